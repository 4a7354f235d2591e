package bunstore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/application/telemetry"
)

// busyDays returns the statements that create 200,000 people, events and comments before the days, 15,000 of each on the first
// day, and 100 on the second. Each day has 86,400,000,000 microseconds.
func busyDays(series, at string) []string {
	when := fmt.Sprintf(at, "CASE WHEN n <= 200000 THEN n ELSE 86400000000 + (n - 200001) / 15000 * 86400000000 + n END")
	rows := fmt.Sprintf(series, 215100)
	users := "INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location, " +
		"timezone, joined)" +
		" SELECT '+86-' || n, '', '{list}', false, false, 0, '', '', '', '', 'UTC', " + when + " FROM " + rows
	events := "INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified, " +
		"published_at)" +
		" SELECT 1, '2026-01-01', 'A title', '', '', 0, 100, '', '', '', " + when + ", " + when + ", " + when + " FROM " + rows
	comments := "INSERT INTO comments (event_id, author_id, content, created) SELECT 1, 1, 'Oh', " + when + " FROM " + rows
	return []string{users, events, comments}
}

func TestOFF01_recent_days_read_a_bounded_number_of_rows_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	statements := busyDays("generate_series(1, %d) n", "timestamptz '1970-01-01Z' + (%s) * interval '1 microsecond'")
	for i := range statements {
		statements[i] = strings.ReplaceAll(statements[i], "{list}", "{}")
	}
	s, conn := filledPostgres(t, statements...)
	plan := explain(t, conn, s.Pick(constants["createdBetween"]), "'1970-01-02Z'", "'1970-01-03Z'")
	var read float64
	for _, scan := range plan.scans() {
		if scan.Relation == "users" || scan.Relation == "events" || scan.Relation == "comments" {
			assert.NotEqual(t, "Seq Scan", scan.Node, scan.Relation)
		}
		read += scan.read()
	}
	assert.LessOrEqual(t, read, float64(3*(telemetry.MaxCount+200)))
	assert.GreaterOrEqual(t, read, float64(3*telemetry.MaxCount))
}

func TestOFF01_recent_days_read_a_bounded_number_of_rows_on_SQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	series := "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT %d) SELECT n FROM s)"
	statements := busyDays(series, "%s")
	for i := range statements {
		statements[i] = strings.ReplaceAll(statements[i], "{list}", "[]")
	}
	s, conn := filledSQLite(t, statements...)
	const day = 86_400_000_000
	_, steps := run(t, conn, sqliteRead{s.Pick(constants["createdBetween"]), []any{day, 2 * day}})
	assert.LessOrEqual(t, steps, 10*3*(telemetry.MaxCount+200))
	assert.GreaterOrEqual(t, steps, 3*telemetry.MaxCount)
}
