package bench

import (
	"context"
	"database/sql"
	"debug/buildinfo"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
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
	const quick = "&_pragma=synchronous(off)&_pragma=cache_size(-262144)"
	db, err := sql.Open("sqlite", "file:"+path+"?"+waiting+quick)
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
