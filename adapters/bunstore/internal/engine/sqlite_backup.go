package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
