package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

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
	if err := removePartialBackup(partial); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removePartialBackup(partial))
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
	return publishBackup(partial, path)
}

// removePartialBackup removes an unfinished copy and its journal. Otherwise SQLite would roll the
// next copy back to the journal.
func removePartialBackup(partial string) error {
	var problems []error
	for _, file := range []string{partial, partial + "-journal"} {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
	}
	return errors.Join(problems...)
}

// publishBackup makes the finished file durable under its name.
func publishBackup(partial, path string) error {
	file, err := os.OpenFile(partial, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(file.Chmod(0o600), file.Sync(), file.Close()); err != nil {
		return err
	}
	return rename(partial, path)
}

// rename gives a file its name durably, even across a power failure. Windows syncs no folders:
// NTFS has a journal of names.
func rename(partial, path string) error {
	if err := os.Rename(partial, path); err != nil || runtime.GOOS == "windows" {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// Integrity returns the problems that SQLite finds in its file.
func (s *DB) Integrity(ctx context.Context) (found []string, err error) {
	if !s.isSQLite() {
		return nil, nil
	}
	var report []string
	if err := s.Reader.NewRaw("PRAGMA integrity_check").Scan(ctx, &report); err != nil {
		return nil, err
	}
	for _, line := range report {
		if line != "ok" {
			found = append(found, line)
		}
	}
	var dangling []struct {
		Table  string
		Rowid  int64
		Parent string
		Fkid   int
	}
	if err := s.Reader.NewRaw("PRAGMA foreign_key_check").Scan(ctx, &dangling); err != nil {
		return nil, err
	}
	for _, d := range dangling {
		found = append(found, fmt.Sprintf("%s %d refers to a missing row of %s", d.Table, d.Rowid, d.Parent))
	}
	return found, nil
}

// DiscardDeleted empties the write-ahead log of SQLite, which still has former pages. The database file has none: secure_delete
// overwrites what is deleted. Of Postgres VACUUM frees it, which runs by itself.
func (s *DB) DiscardDeleted(ctx context.Context) error {
	if !s.isSQLite() {
		return nil
	}
	var isBusy bool
	var inLog, copied int
	if err := s.Writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&isBusy, &inLog, &copied); err != nil {
		return fmt.Errorf("empty the write-ahead log: %w", err)
	}
	if isBusy {
		return errors.New("the write-ahead log still has what was deleted, because others read it: try again")
	}
	return nil
}
