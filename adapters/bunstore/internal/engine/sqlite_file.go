package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

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
