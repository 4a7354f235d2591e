package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	sqlitedriver "modernc.org/sqlite"
)

// ErrDatabaseMoved reports that the database that used to be at a path is gone.
var ErrDatabaseMoved = errors.New("the database is not where it was")

// errMoved reports that the file was renamed, replaced or removed since it was opened.
var errMoved = errors.New("the database file was moved or replaced while it was open")

// databaseFile identifies the file that was opened, even if it is moved.
type databaseFile struct {
	path string
	info os.FileInfo
}

// markerOf returns the path of the marker file, which contains the ID of the database
// that must be at the path. The marker stays beside the database if the database is
// removed.
func markerOf(path string) string { return path + ".id" }

// CheckFile returns ErrDatabaseMoved if a database was at the path before and the file is
// missing or empty now. A new database must not take its place unnoticed.
func CheckFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errIfMarked(path)
}

func errIfMarked(path string) error {
	if _, err := os.Lstat(markerOf(path)); err != nil {
		return nil
	}
	return fmt.Errorf("%w: restore %s from its old place or a backup, or remove %s to start with an empty database",
		ErrDatabaseMoved, path, markerOf(path))
}

// makeFile creates a database file that only its owner can access, unless it exists.
func makeFile(path string) (databaseFile, error) {
	if err := CheckFile(path); err != nil {
		return databaseFile{}, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return databaseFile{}, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return databaseFile{}, err
	}
	info, err := file.Stat()
	return databaseFile{path, info}, errors.Join(err, file.Close())
}

// check returns errMoved if the path no longer leads to the file that was opened.
func (f databaseFile) check() error {
	info, err := os.Stat(f.path)
	if err == nil && os.SameFile(info, f.info) {
		return nil
	}
	return errors.Join(fmt.Errorf("%w: %s", errMoved, f.path), err)
}

// open returns a pool of at most so many connections to the file.
func (f databaseFile) open(connections int, url string) *bun.DB {
	pool := sql.OpenDB(&fileConnector{file: f, url: url})
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	return bun.NewDB(pool, sqlitedialect.New())
}

// fileConnector connects only to the file that was opened.
type fileConnector struct {
	file   databaseFile
	url    string
	driver sqlitedriver.Driver
}

func (w *fileConnector) Driver() driver.Driver { return &w.driver }

// Connect looks at the file first: SQLite would read another one at its path with the log that is beside it, and empty the log.
func (w *fileConnector) Connect(context.Context) (driver.Conn, error) {
	if err := w.file.check(); err != nil {
		return nil, err
	}
	conn, err := w.driver.Open(w.url)
	if err != nil {
		return nil, err
	}
	if err := w.file.check(); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}

// publish gives the finished file its name durably, even across a power failure. Windows syncs no folders: NTFS has a
// journal of names.
func publish(partial, path string) error {
	file, err := os.OpenFile(partial, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = errors.Join(file.Chmod(0o600), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(partial, path)
	}
	if err != nil || runtime.GOOS == "windows" {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// removePartial removes an unfinished file, and the journal of a copy. Otherwise SQLite would roll the
// next copy back to the journal.
func removePartial(partial string) error {
	var problems []error
	for _, file := range []string{partial, partial + "-journal"} {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

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

// Backup copies the database as of one moment, while others write. The copy gets its
// name only when it is complete and on the disk.
func (d SQLite) Backup(ctx context.Context, path string) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%s: %w", path, fs.ErrExist)
		}
		return err
	}
	partial := path + ".partial"
	if err := removePartial(partial); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removePartial(partial))
		}
	}()
	// A separate connection: the writer must not wait, and the readers must not write.
	db, err := sql.Open("sqlite", SQLiteURL(d.file.path, busyTimeoutPragma(DefaultLimit)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", partial); err != nil {
		return fmt.Errorf("copy database: %w", err)
	}
	return publish(partial, path)
}

// DiscardDeleted empties the write-ahead log of SQLite, which still has former pages. The database file has none: secure_delete
// overwrites what is deleted. Of Postgres VACUUM frees it, which runs by itself.
func (s *DB) DiscardDeleted(ctx context.Context) error {
	if !s.isSQLite() {
		return nil
	}
	return s.try(ctx, func(ctx context.Context) error {
		var isBusy bool
		var inLog, copied int
		if err := s.Writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&isBusy, &inLog, &copied); err != nil {
			return fmt.Errorf("empty the write-ahead log: %w", err)
		}
		if isBusy {
			return errors.New("the write-ahead log still has what was deleted, because others read it: try again")
		}
		return nil
	})
}
