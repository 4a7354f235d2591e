package media

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
)

// MarkName is the name of a store's mark beside its pictures. It has not the form of a key.
const MarkName = "plaza-mark"

// ErrMarked is the error of a first mark for a store that has one.
var ErrMarked = errors.New("the store of pictures has a mark")

// ErrForeign is the error of pictures that do not belong to the database. The text says why.
var ErrForeign = errors.New("the pictures do not belong to the database")

// unpaired begins the mark of a store whose database may not have stored the mark yet.
const unpaired = "unpaired "

// Pair returns nil if the pictures of the store belong to the database: both have the same mark. A database and a store
// without pictures that have no mark get one; of several callers at once, one makes it. Otherwise Pair returns ErrForeign.
//
// keep stores the mark in the database unless that has one, and returns the mark of the database; an empty mark is not stored.
func Pair(ctx context.Context, s Store, keep func(ctx context.Context, mark string) (string, error)) error {
	err := pair(ctx, s, keep)
	if errors.Is(err, ErrForeign) { // another caller may have stored the second mark after this one had read it
		err = pair(ctx, s, keep)
	}
	return err
}

func pair(ctx context.Context, s Store, keep func(context.Context, string) (string, error)) error {
	kept, err := keep(ctx, "")
	if err != nil {
		return err
	}
	mark, err := s.Mark(ctx)
	if err == nil && mark == "" && kept == "" {
		mark, err = beginMark(ctx, s)
	}
	if err != nil {
		return err
	}
	mark, isNew := strings.CutPrefix(mark, unpaired)
	if isNew && kept == "" {
		if kept, err = keep(ctx, mark); err != nil {
			return err
		}
	}
	switch {
	case mark != kept || mark == "":
		return fmt.Errorf("%w: the pictures have %s, the database has %s", ErrForeign, described(mark), described(kept))
	case isNew:
		return s.SetMark(ctx, mark, false)
	}
	return nil
}

// beginMark gives a store without pictures its first mark, and returns the mark that the store has then.
func beginMark(ctx context.Context, s Store) (string, error) {
	for _, err := range s.All(ctx) {
		if err == nil {
			err = fmt.Errorf("%w: there are pictures, and neither they nor the database have a mark", ErrForeign)
		}
		return "", err
	}
	mark := unpaired + rand.Text()
	err := s.SetMark(ctx, mark, true)
	if errors.Is(err, ErrMarked) {
		return s.Mark(ctx)
	}
	return mark, err
}

func described(mark string) string {
	if mark == "" {
		return "no mark"
	}
	return "the mark " + mark
}

// Adopt gives the store and the database a new mark. From then on the pictures belong to this database alone. set replaces
// the mark of the database.
func Adopt(ctx context.Context, s Store, set func(ctx context.Context, mark string) error) error {
	mark := rand.Text()
	if err := s.SetMark(ctx, mark, false); err != nil {
		return err
	}
	return set(ctx, mark)
}
