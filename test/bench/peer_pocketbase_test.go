package bench

import (
	"context"
	"database/sql"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// startPocketBase starts the peer in PocketBase with the dataset in a folder of its own.
func startPocketBase(ctx context.Context, tb testing.TB, program string, d *dataset) peer {
	tb.Helper()
	version, err := pocketBaseVersion(program)
	if err != nil {
		tb.Fatal(err)
	}
	folder := tb.TempDir()
	cmd := exec.Command(program, "serve", "--dir", folder)
	cmd.Env = withoutPlaza(os.Environ())
	at := start(tb, cmd, func() error { return cmd.Process.Signal(syscall.SIGTERM) }).at
	if err := fillPocketBase(ctx, filepath.Join(folder, "data.db"), d); err != nil {
		tb.Fatalf("filling PocketBase: %v", err)
	}
	return peer{name: "PocketBase", about: "PocketBase " + version + ", over collections of its own in SQLite", at: at}
}

func pocketBaseVersion(program string) (string, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "", err
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/pocketbase/pocketbase" {
			return m.Version, nil
		}
	}
	return "", fmt.Errorf("%s is not built with PocketBase", program)
}

// fillPocketBase loads the dataset while the server runs, which has made the tables.
func fillPocketBase(ctx context.Context, path string, d *dataset) error {
	const quick = "_pragma=busy_timeout(5000)&_pragma=synchronous(off)&_pragma=cache_size(-262144)"
	db, err := sql.Open("sqlite", "file:"+path+"?"+quick)
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, t := range d.pocketBaseTables() {
		if err := insertRows(ctx, db, t); err != nil {
			return fmt.Errorf("loading %s: %w", t.name, err)
		}
	}
	_, err = db.ExecContext(ctx, "ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// pocketBaseTables are the rows that the peer is asked for.
func (d *dataset) pocketBaseTables() []table {
	return []table{
		{name: "members", columns: "id, firstname, lastname, expertise, location, timezone, seen", rows: d.pocketBaseMembers()},
		{name: "categories", columns: "id, name, slug", rows: pocketBaseRecords(counted(categories, d.category), []int{0, 2, 3}, 0)},
		{name: "publications", columns: "id, bundle, first_original, original, node, type, title, summary, cover, author, language, category, published, deleted, created, updated",
			rows: pocketBaseRecords(counted(d.publications, d.publicationRow), nil, 0, 9, 11)},
		{name: "demands", columns: "id, title, description, tags, cover, images, author, address, category, lat, lng, closed, starts, ends, published, deleted, created, updated",
			rows: pocketBaseRecords(counted(d.demands, d.demandRow), nil, 0, 6, 8)},
		{name: "images", columns: "id, owner, key, width, height, tags, created, deleted",
			rows: pocketBaseRecords(counted(d.images, d.imageRow), nil, 0, 1)},
	}
}

// pocketBaseMembers are the users, each with the time when they were seen last.
func (d *dataset) pocketBaseMembers() iter.Seq[[]any] {
	seen := map[any]any{}
	for row := range d.presence() {
		seen[row[0]] = row[1]
	}
	return pocketBaseRecords(counted(d.users, func(i int) []any {
		row := d.user(i)
		return append(row, seen[row[0]])
	}), []int{0, 7, 8, 9, 10, 11, 13}, 0)
}

// pocketBaseRecords makes rows of the dataset what PocketBase keeps. Of each row it takes
// the columns at these places, or all; those at the places of ids, counted in what it has
// taken, are ids. PocketBase knows no NULL: an id becomes an empty text, and a number 0.
func pocketBaseRecords(rows iter.Seq[[]any], columns []int, ids ...int) iter.Seq[[]any] {
	return func(yield func([]any) bool) {
		for row := range rows {
			record := row
			if columns != nil {
				record = make([]any, len(columns))
				for i, column := range columns {
					record[i] = row[column]
				}
			}
			for _, i := range ids {
				record[i] = pocketBaseID(record[i])
			}
			for i, value := range record {
				if value == nil {
					record[i] = 0
				}
			}
			if !yield(record) {
				return
			}
		}
	}
}

// pocketBaseID has 15 digits, which is a valid id of PocketBase and sorts as the number does.
func pocketBaseID(id any) string {
	if id == nil {
		return ""
	}
	return fmt.Sprintf("%015d", id)
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
