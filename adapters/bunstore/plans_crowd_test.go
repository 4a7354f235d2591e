package bunstore

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	testserver "plaza/test/postgres"
)

// People of the crowd, whose IDs go up to 60,000. Those up to 40,000 are called Maximilian, and of them only the last hundred have
// accounts that are not disabled; the others are called Borislava. Behind 10,000 come the 50,000 fans.
const (
	idol     = 1 // is followed by all fans, follows each tenth of them back, and has a huge diary
	eager    = 2 // follows the idol, the first 5,000 fans, of whom each second follows back, and 2,500 with the other name
	shy      = 3 // blocks 5,000 fans
	disliked = 4 // is blocked by 40,000 fans
	stranger = 5 // follows no one, and is not followed
	noticed  = 6 // has 900 notifications, and 15,000 withdrawn ones
	fan      = 20_001

	follows, crowdOfDay, quarrellers = 7501, 20_000, 3000
)

// Days with 99 events of fans, a third of them public. On all but the first day there are later events, which some viewers may not see.
const (
	quietDay    = "2026-01-01"
	privateDay  = "2026-03-01" // of one fan whom eager follows
	strangerDay = "2026-03-03" // for contacts, of 5,000 fans who have none
	contactDay  = "2026-03-05" // for contacts, of a contact of eager
	quarrelDay  = "2026-03-07" // for all, of 3,000 fans, half of whom shy blocks, and who all block disliked
)

//go:embed testdata/crowd.sql
var crowdOfOthers string

// crowd are the statements that fill a database with many rows, of which each read needs few. Words in braces differ between the
// databases.
func crowd() []string {
	events := func(author, day, permission, at string, n int) string {
		return fmt.Sprintf(`INSERT INTO events (author_id, day, title, content, html, permission, status, hidden, province, city, district,
				created, modified, published_at)
			SELECT %s, %s, 'A title', '', '', %s, 100, FALSE, '', '', '', %[4]s, %[4]s, %[4]s FROM {series %d}`, author, day, permission, at, n)
	}
	statements := []string{events("10001 + n % 6000", "{day n % 700}", "n / 6000 % 3 * 100", "{ago n}", 60_000)}
	for _, day := range []string{quietDay, privateDay, strangerDay, contactDay, quarrelDay} {
		statements = append(statements, events("10000 + n * 53", "'"+day+"'", "n % 3 * 100", "{ago n}", 99))
	}
	return slices.Concat(statements, []string{
		events("1", "{day n % 3000}", "0", "{ago -n}", 20_000),
		events("10003", "'"+privateDay+"'", "200", "{ago -n}", crowdOfDay),
		events("20001 + n % 5000", "'"+strangerDay+"'", "100", "{ago -n}", crowdOfDay),
		events("10002", "'"+contactDay+"'", "100", "{ago -n}", crowdOfDay),
		events("20000 + n", "'"+quarrelDay+"'", "0", "{ago -n}", quarrellers),
	}, strings.Split(strings.TrimSuffix(crowdOfOthers, ";\n"), ";\n"))
}

// inBraces matches a word and what it is about.
var inBraces = regexp.MustCompile(`\{(\w+) ?([^}]*)\}`)

// words are what stands in braces, with $ for what they are about.
var words = map[string]engine.Text{
	"series": {
		Postgres: "generate_series(1, $) n",
		SQLite:   "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT $) SELECT n FROM s)",
	},
	"ago": {
		Postgres: "timestamptz '2026-03-14 12:00Z' - ($) * interval '1 second'", SQLite: fmt.Sprint("(", noon.UnixMicro(), " - ($) * 1000000)"),
	},
	"cashier": {Postgres: "ARRAY['cashier']", SQLite: `'["cashier"]'`},
	"day":     {Postgres: "date '2024-01-01' + ($)", SQLite: "date('2024-01-01', ($) || ' days')"},
	"columns": {SQLite: "place, "},
	"place":   {SQLite: fmt.Sprint("(", noon.UnixMicro(), " - ($) * 1000000) * 32, ")},
	"words":   {Postgres: "array_to_tsvector(string_to_array($, ' '))", SQLite: "$"},
	"hash":    {Postgres: "decode(lpad(to_hex($), 64, '0'), 'hex')", SQLite: "unhex(printf('%064x', $))"},
	"list":    {Postgres: "'{}'", SQLite: "'[]'"},
}

func inWordsOf(s *Store, statement string) string {
	return inBraces.ReplaceAllStringFunc(statement, func(found string) string {
		part := inBraces.FindStringSubmatch(found)
		return strings.ReplaceAll(s.Pick(words[part[1]]), "$", part[2])
	})
}

// crowdedPostgres returns a store on a database of its own with the crowd, and a connection. All tables are vacuumed, as autovacuum
// does later, and analysed from all their rows: a sample would be another one in each run.
func crowdedPostgres(t *testing.T) (*Store, *pgx.Conn) {
	t.Helper()
	url := testserver.New(t, MigrateAt) // what is deleted stays in a database that is lent
	s := Opened(t, engine.Options{URL: url})
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(t.Context()) })
	// VACUUM skips rows that are not yet durable. Triggers take half of the time.
	for _, statement := range slices.Concat([]string{"SET synchronous_commit = on", "SET default_statistics_target = 2000",
		"SET session_replication_role = replica"}, crowd(), []string{"VACUUM ANALYZE"}) {
		_, err := conn.Exec(t.Context(), inWordsOf(s, statement))
		require.NoError(t, err, statement)
	}
	return s, conn
}

// crowdedSQLite returns a store on a database file of its own with the crowd, and a connection of its reader.
func crowdedSQLite(t *testing.T) (*Store, *sql.Conn) {
	t.Helper()
	url := MigratedSQLite(t)
	s := Opened(t, engine.Options{URL: url})
	path := strings.TrimPrefix(url, "sqlite:")
	db, err := sql.Open("sqlite", engine.SQLiteURL(path, "synchronous(off)", "temp_store(memory)", "cache_size(-200000)"))
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	for _, statement := range crowd() {
		_, err := db.ExecContext(t.Context(), inWordsOf(s, statement))
		require.NoError(t, err, statement)
	}
	require.NoError(t, db.Close())
	return s, readerOf(t, s)
}

func readerOf(t *testing.T, s *Store) *sql.Conn {
	t.Helper()
	conn, err := s.Dialect.(engine.SQLite).Reader.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return conn
}
