package bench

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// benchSQLite sends the mix alone.
func benchSQLite(ctx context.Context, b *testing.B, binary string) results {
	full := "sqlite:" + filepath.Join(b.TempDir(), "full.db")
	all := results{benchedStore: benchedStore{
		name: onSQLite, version: sqlite3.SQLITE_VERSION, settings: "WAL, synchronous=full", full: full,
		tidy: func() error {
			return execute(ctx, full, fmt.Sprintf(`UPDATE token_uses SET used = %[1]d;
				INSERT INTO presence (user_id, seen) SELECT DISTINCT user_id, %[1]d FROM tokens WHERE true ON CONFLICT (user_id) DO UPDATE SET seen = %[1]d;
				PRAGMA wal_checkpoint(TRUNCATE)`, time.Now().UnixMicro()))
		},
	}}
	d := newDataset(*scaleFlag)
	all.fill(ctx, b, d)
	all.benchMix(ctx, b, binary, d)
	return all
}

// openSQLite opens the file as the bench writes it: what is lost with a power failure is made anew.
func openSQLite(path string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+path+"?_pragma=synchronous(off)&_pragma=busy_timeout(5000)&_time_integer_format=unix_micro")
}

func fillSQLite(ctx context.Context, path string, d *dataset) error {
	db, err := openSQLite(path)
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	for _, t := range d.tables() {
		if err := insertRows(ctx, tx, t); err != nil {
			return fmt.Errorf("loading %s: %w", t.name, errors.Join(err, tx.Rollback()))
		}
	}
	const forever = "9223372036854775807"
	for _, statement := range derived {
		statement = strings.NewReplacer("'infinity'::timestamptz", forever, "'infinity'", forever).Replace(statement)
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%w: %s", errors.Join(err, tx.Rollback()), statement)
		}
	}
	return tx.Commit()
}

func insertRows(ctx context.Context, tx *sql.Tx, t table) error {
	insert, err := tx.PrepareContext(ctx, "INSERT INTO "+t.name+" ("+t.columns+") VALUES (?"+strings.Repeat(", ?",
		strings.Count(t.columns, ","))+")")
	if err != nil {
		return err
	}
	defer insert.Close()
	for row := range t.rows {
		for i, value := range row {
			switch v := value.(type) {
			case day:
				row[i] = v.String()
			case []string:
				list, err := json.Marshal(v)
				if err != nil {
					return err
				}
				row[i] = string(list)
			}
		}
		if _, err := insert.ExecContext(ctx, row...); err != nil {
			return err
		}
	}
	return nil
}
