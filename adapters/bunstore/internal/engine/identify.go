package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Identify records the location of the database. It returns ErrDatabaseMoved if another database
// has taken its place. Migrate calls it, too.
func (s *DB) Identify(ctx context.Context) error {
	if file, is := s.Dialect.(SQLite); is {
		return s.Explain(ctx, file.identify(ctx, s))
	}
	return nil // a server keeps its databases
}

// identify writes the ID of the database into the marker. An existing marker must have
// the same ID; a backup without an ID gets the marker's.
func (d SQLite) identify(ctx context.Context, s *DB) error {
	marker := markerOf(d.file.path)
	text, err := os.ReadFile(marker)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	marked, _, _ := strings.Cut(string(text), "\n")
	id, err := s.secret(ctx, databaseID, cmp.Or(marked, rand.Text()))
	switch {
	case err != nil:
		return err
	case marked == "":
		return mark(marker, id.Reveal())
	case marked != id.Reveal():
		return fmt.Errorf("%w: %s is a different database; restore the original, or remove %s to use this one",
			ErrDatabaseMoved, d.file.path, marker)
	}
	return nil
}

// databaseID is the name of the ID in the table of secrets; the ID is random, too.
const databaseID = "database id"

// mark creates the marker, which gets its name only when it is complete.
func mark(path, id string) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, "%s\nThe database with this id is in the file beside this one. Plaza makes no other in its place.\n", id)
	if err = errors.Join(err, file.Close()); err == nil {
		err = publish(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, removePartial(file.Name()))
	}
	return nil
}
