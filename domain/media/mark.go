package media

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
)

// MarkName is the name of a store's mark beside its pictures. It has not the form of a key.
const MarkName = "plaza-mark"

// ErrForeign is the error of pictures that do not belong to the database. The text says why.
var ErrForeign = errors.New("the pictures do not belong to the database")

// unpaired begins the mark of a store whose database may not have stored the mark yet.
const unpaired = "unpaired "

// Pair returns nil if the pictures of the store belong to the database: both have the same mark. A database and a store
// without pictures that have no mark get one; of several callers at once, one makes it. Otherwise Pair returns ErrForeign.
//
// keep stores the mark in the database unless that has one, and returns the mark of the database; an empty mark is not stored.
func Pair(ctx context.Context, s Store, keep func(ctx context.Context, mark string) (string, error)) error {
	mark, err := s.Mark(ctx, "")
	if err == nil && mark == "" {
		mark, err = firstMark(ctx, s, keep)
	}
	if err != nil {
		return err
	}
	own := ""
	mark, isNew := strings.CutPrefix(mark, unpaired)
	if isNew {
		own = mark
	}
	kept, err := keep(ctx, own)
	switch {
	case err != nil:
		return err
	case mark != kept || mark == "":
		return fmt.Errorf("%w: the mark of the pictures is %s, that of the database %s",
			ErrForeign, cmp.Or(mark, "missing"), cmp.Or(kept, "missing"))
	case isNew:
		return s.SetMark(ctx, mark)
	}
	return nil
}

// firstMark returns the mark that the store has now. It gives it one if the database has none, and if there are no pictures.
func firstMark(ctx context.Context, s Store, keep func(context.Context, string) (string, error)) (string, error) {
	kept, err := keep(ctx, "")
	if err != nil {
		return "", err
	}
	if kept != "" {
		return s.Mark(ctx, "") // another caller may have made both
	}
	for _, err := range s.All(ctx) {
		if err != nil {
			return "", err
		}
		return s.Mark(ctx, "")
	}
	return s.Mark(ctx, unpaired+rand.Text())
}

// Adopt gives the store and the database a new mark. From then on the pictures belong to this database alone. set replaces
// the mark of the database.
func Adopt(ctx context.Context, s Store, set func(ctx context.Context, mark string) error) error {
	mark := rand.Text()
	if err := s.SetMark(ctx, mark); err != nil {
		return err
	}
	return set(ctx, mark)
}
