package bench

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite"

	"plaza/adapters/bunstore"
)

// fill makes the program's own schema in the empty database and loads the dataset.
func fill(ctx context.Context, url string, d *dataset) error {
	if err := prepare(ctx, url); err != nil {
		return err
	}
	if path, is := strings.CutPrefix(url, "sqlite:"); is {
		return fillSQLite(ctx, path, d)
	}
	return fillPostgres(ctx, url, d)
}

// prepare makes the tables, and the key that addresses of plates are signed with.
func prepare(ctx context.Context, url string) error {
	store, err := bunstore.Open(ctx, bunstore.Options{URL: url})
	if err != nil {
		return err
	}
	if _, err = store.Migrate(ctx); err == nil {
		_, err = store.Secret(ctx, signingKey)
	}
	return errors.Join(err, store.Close())
}

// signingKey is what the program calls that key.
const signingKey = "media addresses"

func fillPostgres(ctx context.Context, url string, d *dataset) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, t := range d.tables() {
		if err := copyRows(ctx, conn, t); err != nil {
			return fmt.Errorf("loading %s: %w", t.name, err)
		}
	}
	if err := refreshTiles(ctx, url); err != nil {
		return err
	}
	// Index-only scans need the map of visible rows, which VACUUM makes.
	_, err = conn.Exec(ctx, "VACUUM ANALYZE")
	return err
}

func copyRows(ctx context.Context, conn *pgx.Conn, t table) error {
	next, stop := iter.Pull(t.rows)
	defer stop()
	_, err := conn.CopyFrom(ctx, pgx.Identifier{t.name}, strings.Split(t.columns, ", "), pgx.CopyFromFunc(func() ([]any, error) {
		row, ok := next()
		if !ok {
			return nil, nil
		}
		for i, value := range row {
			if d, is := value.(day); is {
				row[i] = d.Time
			}
		}
		return row, nil
	}))
	if err != nil || !t.numbers {
		return err
	}
	_, err = conn.Exec(ctx, fmt.Sprintf("SELECT setval(pg_get_serial_sequence('%[1]s', 'id'), COALESCE(MAX(id), 1)) FROM %[1]s", t.name))
	return err
}

func fillSQLite(ctx context.Context, path string, d *dataset) error {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=synchronous(off)")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, t := range d.tables() {
		if err := insertRows(ctx, db, t); err != nil {
			return fmt.Errorf("loading %s: %w", t.name, err)
		}
	}
	if err := refreshTiles(ctx, "sqlite:"+path); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// refreshTiles counts the tiles of the map. Else a server would do so in the background, while the
// first scenarios are measured, and no other store could.
func refreshTiles(ctx context.Context, url string) error {
	store, err := bunstore.Open(ctx, bunstore.Options{URL: url})
	if err != nil {
		return err
	}
	return errors.Join(store.RefreshTiles(ctx), store.Close())
}

// How many rows a statement has, and a transaction.
const (
	sqliteRows  = 50
	sqliteBatch = 2000 * sqliteRows
)

func insertRows(ctx context.Context, db *sql.DB, t table) error {
	next, stop := iter.Pull(t.rows)
	defer stop()
	for more := true; more; {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		if more, err = insertBatch(ctx, tx, t, next); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		if err := tx.Commit(); err != nil {
			return err
		}
	}
	return nil
}

// insertBatch returns false when there are no more rows.
func insertBatch(ctx context.Context, tx *sql.Tx, t table, next func() ([]any, bool)) (more bool, err error) {
	columns := strings.Count(t.columns, ",") + 1
	text := func(rows int) string {
		row := "(?" + strings.Repeat(", ?", columns-1) + ")"
		return "INSERT INTO " + t.name + " (" + t.columns + ") VALUES " + row + strings.Repeat(", "+row, rows-1)
	}
	full, err := tx.PrepareContext(ctx, text(sqliteRows))
	if err != nil {
		return false, err
	}
	defer full.Close()
	for range sqliteBatch / sqliteRows {
		args := make([]any, 0, sqliteRows*columns)
		for len(args) < cap(args) {
			row, ok := next()
			if !ok {
				if len(args) > 0 {
					_, err = tx.ExecContext(ctx, text(len(args)/columns), args...)
				}
				return false, err
			}
			for _, value := range row {
				args = append(args, sqliteValue(value))
			}
		}
		if _, err := full.ExecContext(ctx, args...); err != nil {
			return false, err
		}
	}
	return true, nil
}

// sqliteValue is the value as SQLite's schema has it.
func sqliteValue(value any) any {
	switch v := value.(type) {
	case time.Time:
		return v.UnixMicro()
	case day:
		return v.String()
	case bool:
		if v {
			return 1
		}
		return 0
	case []string:
		text, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(text)
	}
	return value
}
