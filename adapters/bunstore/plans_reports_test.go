package bunstore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/user"
)

// complaints returns the statements that store 100,000 decided reports, and then 20 open ones. User 1 has reported 50,000 events,
// and 50,000 people have reported event 1. Staff have hidden 2,000 events of user 2, and 100 of each of 500 others.
func complaints(series, at, list string) []string {
	texts := strings.Split(`
INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location, timezone, joined)
	SELECT '+86-' || n, '', '{list}', FALSE, FALSE, 0, '', '', '', '', 'UTC', {at} FROM {series of 50001};
INSERT INTO events (author_id, day, title, content, html, permission, status, hidden, province, city, district, created, modified, published_at)
	SELECT CASE WHEN n <= 2000 THEN 2 ELSE 3 + n % 500 END, '2026-01-01', 'A title', '', '', 0, 100, TRUE, '', '', '', {at}, {at}, {at} FROM {series of 52000};
INSERT INTO hidden_things (kind, object_id, owner_id, reason, hidden_at) SELECT 'event', id, author_id, 'Rude', created FROM events;
INSERT INTO reports (author_id, kind, object_id, owner_id, reason, content, created, decided)
	SELECT 1, 'event', 1 + n, 2, 'spam', '', {at}, {at} FROM {series of 50000};
INSERT INTO reports (author_id, kind, object_id, owner_id, reason, content, created, decided)
	SELECT 1 + n, 'event', 1, 2, 'spam', '', {at}, {at} FROM {series of 50000};
INSERT INTO reports (author_id, kind, object_id, owner_id, reason, content, created) SELECT 2, 'event', 1 + n, 2, 'spam', '', {at} FROM {series of 20}`, ";")
	for i, text := range texts {
		for _, count := range []int{50001, 52000, 50000, 20} {
			text = strings.ReplaceAll(text, fmt.Sprintf("{series of %d}", count), fmt.Sprintf(series, count))
		}
		texts[i] = strings.NewReplacer("{at}", at, "{list}", list).Replace(text)
	}
	return texts
}

// complaintRead is a read of moderation, how many rows it finds, and how many it may read for them.
type complaintRead struct {
	name, statement string
	args            []any
	finds, most     int
}

func complaintReads(t *testing.T, s *Store) []complaintRead {
	t.Helper()
	var seen lastQuery
	s.Reader = s.Reader.WithQueryHook(&seen)
	reports := func(isDecided bool, after int64) string {
		behind := page.Behind(page.Cursor{ID: after}, 20)
		_, err := s.Moderation().Reports(t.Context(), moderation.Query{IsDecided: isDecided, CursorRequest: behind})
		require.NoError(t, err)
		return string(seen)
	}
	hidden := func(owner user.ID, number int) string {
		r, err := page.New(number, 20)
		require.NoError(t, err)
		_, err = s.Moderation().Of(t.Context(), owner, r)
		require.NoError(t, err)
		return string(seen)
	}
	const page = 20
	return []complaintRead{
		{"open reports", reports(false, 0), nil, 20, 4 * (page + 1)},
		{"decided reports", reports(true, 0), nil, page + 1, 4 * (page + 1)},
		{"decided reports behind a cursor", reports(true, 50_000), nil, page + 1, 4 * (page + 1)},
		{"the first decided reports", reports(true, 10), nil, 9, 4 * (page + 1)},
		{"what is hidden of someone", hidden(7, 1), nil, page, 100 + page},
		{"a later page of what is hidden of someone with much", hidden(2, 51), nil, page, 2000 + 1000 + page},
		{"the open reports of an event", "SELECT id FROM reports WHERE kind = 'event' AND object_id = $1 AND decided IS NULL", []any{1}, 0, 0},
	}
}

func TestOFF01_reports_and_hidden_things_are_read_by_their_indexes_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledPostgres(t, complaints("generate_series(1, %d) n", "now() - n * interval '1 second'", "{}")...)
	for _, q := range complaintReads(t, s) {
		var args []string
		for _, arg := range q.args {
			args = append(args, fmt.Sprint(arg))
		}
		plan := explain(t, conn, q.statement, args...)
		read := 0.0
		for _, scan := range plan.scans() {
			if scan.Relation == "comments" || scan.Relation == "images" {
				continue // they are empty
			}
			assert.NotEqual(t, "Seq Scan", scan.Node, "%s: %s", q.name, scan.Relation)
			read += scan.read()
		}
		assert.EqualValues(t, q.finds, plan.Rows, q.name)
		assert.LessOrEqual(t, read, float64(q.most), q.name)
	}
}

func TestOFF01_reports_and_hidden_things_are_read_by_their_indexes_on_SQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	series := "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT %d) SELECT n FROM s)"
	s, conn := filledSQLite(t, complaints(series, "-n", "[]")...)
	for _, q := range complaintReads(t, s) {
		found, steps := run(t, conn, sqliteRead{q.statement, q.args})
		assert.Equal(t, q.finds, found, q.name)
		assert.LessOrEqual(t, steps, 400+30*q.most, q.name)
	}
}
