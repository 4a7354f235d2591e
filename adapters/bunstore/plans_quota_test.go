package bunstore

import (
	"context"
	"database/sql"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The account 1 has far more than its quotas: 20,000 drafts among 100,000 published events,
// and 20,000 comments among 80,000 of others on event 1. Others have little of everything.
var hoarder = []string{
	`INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location, timezone, joined)
		SELECT '+86-' || n, '', '{list}', false, false, 0, '', '', '', '', 'UTC', {now} FROM {series of 1000}`,
	`INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified)
		SELECT 1, '2026-01-01', 'A title', '', '', 0, CASE n % 6 WHEN 0 THEN 0 ELSE 100 END, '', '', '', {now}, {now} FROM {series of 120000}`,
	`INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified)
		SELECT 2 + n % 999, '2026-01-01', 'A title', '', '', 0, CASE n % 6 WHEN 0 THEN 0 ELSE 100 END, '', '', '', {now}, {now} FROM {series of 6000}`,
	`INSERT INTO comments (event_id, author_id, content, created)
		SELECT 1, CASE n % 5 WHEN 0 THEN 1 ELSE 2 + n % 999 END, 'Well said', {now} FROM {series of 100000}`,
	`INSERT INTO pictures (key, owner_id, bytes) SELECT 'public/' || n, CASE n % 2 WHEN 0 THEN 1 ELSE 2 + n % 999 END, 10 FROM {series of 50000}`,
	`INSERT INTO picture_totals SELECT owner_id, SUM(bytes) FROM pictures GROUP BY owner_id`,
}

// hoarded returns these statements for a database.
func hoarded(list, now, series string) (statements []string) {
	for _, s := range hoarder {
		before, n, found := strings.Cut(s, "{series of ")
		if found {
			s = before + strings.ReplaceAll(series, "?", strings.TrimSuffix(n, "}"))
		}
		statements = append(statements, strings.NewReplacer("{list}", list, "{now}", now).Replace(s))
	}
	return statements
}

// quotaPlan is the expected plan of a statement that keeps a quota. The events are 126,000, of
// which the account 1 has the first 120,000.
type quotaPlan struct {
	name      string
	statement string
	args      []string // of Postgres
	index     string
	read      float64 // limit of the rows read, of all tables together
	buffers   float64 // limit of the pages read, those that are written included
}

func quotaPlans(s *Store) []quotaPlan {
	return []quotaPlan{
		{"a draft too many", s.sql.draftsBelow, []string{"1", "1000"}, "events_drafts", 1001, 20},
		{"a draft of another", s.sql.draftsBelow, []string{"8", "1000"}, "events_drafts", 4, 20},
		{"a comment too many", s.sql.commentsBelow, []string{"1", "1", "500"}, "comments_of_author", 501, 20},
		{"a comment of another", s.sql.commentsBelow, []string{"1", "7", "500"}, "comments_of_author", 82, 20},
		{"a picture too many", s.sql.takeBytes, []string{"1", "10", "250000"}, "", 0, 20},
		{"a picture of another", s.sql.takeBytes, []string{"7", "10", "250000"}, "", 0, 20},
		{"the bytes that are taken", s.sql.bytesTaken, []string{"1"}, "picture_totals_pkey", 1, 10},
	}
}

func TestGEN14_quotas_of_Postgres_read_no_more_than_they_have(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	s, conn := filledPostgres(t, hoarded("{}", "now()", "generate_series(1, ?) n")...)
	for _, q := range quotaPlans(s) {
		t.Run(q.name, func(t *testing.T) {
			whole := explain(t, conn, q.statement, q.args...)
			var read float64
			var used []string
			for _, scan := range whole.scans() {
				assert.NotEqual(t, "Seq Scan", scan.Node, scan.Relation)
				if scan.Node != "ModifyTable" {
					read += scan.read()
					used = append(used, scan.Index)
				}
			}
			t.Logf("%v rows from %v, %v pages", read, used, whole.Hit+whole.Missed)
			if q.index != "" {
				assert.Contains(t, used, q.index)
			}
			assert.LessOrEqual(t, read, q.read, "rows read of all tables")
			assert.LessOrEqual(t, whole.Hit+whole.Missed, q.buffers, "pages")
		})
	}
}

// On SQLite a quota costs about ten steps of its virtual machine for each thing counted.
func TestGEN14_quotas_of_SQLite_read_no_more_than_they_have(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	path := filepath.Join(t.TempDir(), "plaza.db")
	s, err := Open(t.Context(), Options{URL: "sqlite:" + path})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	withRawConn(t, path, func(ctx context.Context, db *sql.Conn) {
		series := "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ?) SELECT n FROM s)"
		for _, statement := range append([]string{"BEGIN"}, append(hoarded("[]", "0", series), "COMMIT")...) {
			_, err := db.ExecContext(ctx, statement)
			require.NoError(t, err, statement)
		}
		for _, q := range quotaPlans(s) {
			t.Run(q.name, func(t *testing.T) {
				var args []any
				for _, arg := range q.args {
					args = append(args, argument(arg))
				}
				r := sqliteRead{statement: q.statement, args: args}
				if q.index != "" && !strings.HasSuffix(q.index, "_pkey") {
					assert.Contains(t, strings.Join(explainSQLite(t, db, r), "\n"), q.index)
				}
				_, steps := run(t, db, r)
				t.Logf("%d steps", steps)
				assert.LessOrEqual(t, steps, 200+10*int(q.read), "steps")
			})
		}
	})
}

// argument returns the value of an SQL literal. Instants are zero.
func argument(literal string) any {
	if n, err := strconv.Atoi(literal); err == nil {
		return n
	}
	switch literal {
	case "NULL":
		return nil
	case "now()":
		return 0
	}
	return strings.Trim(literal, "'")
}
