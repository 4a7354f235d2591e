package bunstore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// User 1 is the idol. Each fan follows the idol and three others, and writes an event. The idol follows 5,000 fans back, and
// likes every event.
const (
	idol = user.ID(1)
	fans = 100_000
)

// fandom returns the statements that store them. Braces contain the differences between the databases.
func fandom(differing ...string) []string {
	return strings.Split(strings.NewReplacer(differing...).Replace(`
INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location, timezone, joined)
	SELECT '+86-' || n, '', '{list}', FALSE, FALSE, 0, '', '', '', '', 'UTC', {at} FROM {series of 100001};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT n + 1, 1, {at}, {at} FROM {series of 100000};
INSERT INTO subscriptions (user_id, followed_id, created, updated)
	SELECT 2 + n % 100000, 2 + (n + 7 * (n / 100000 + 1)) % 100000, {at}, {at} FROM {series of 300000};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 1, 1 + 20 * n, {at}, {at} FROM {series of 5000};
INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified, published_at)
	SELECT n + 1, '2026-01-01', 'A title', '', '', 100, 100, '', '', '', {at}, {at}, {at} FROM {series of 100000};
INSERT INTO event_counts (event_id, author_id, likes) SELECT id, author_id, 1 FROM events;
INSERT INTO likes (event_id, user_id) SELECT id, 1 FROM events;
INSERT INTO blocks (user_id, other_id, is_by_user, created) SELECT 50001 + n, 50002 + n - (n + 1) % 2 * 2, n % 2 = 1, {at} FROM {series of 20000}`), ";")
}

// lastQuery is the last statement that bun has made.
type lastQuery string

func (*lastQuery) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

func (q *lastQuery) AfterQuery(_ context.Context, e *bun.QueryEvent) { *q = lastQuery(e.Query) }

// readsOfIdol returns the statements of a page of followers, and of one follower.
func readsOfIdol(t *testing.T, s *Store) (followers, follower string) {
	t.Helper()
	var seen lastQuery
	s.Reader = s.Reader.WithQueryHook(&seen)
	p, err := s.Subscriptions().List(t.Context(), subscription.Query{Followed: idol})
	require.NoError(t, err)
	require.Equal(t, []int{fans, page.DefaultSize}, []int{p.Total, len(p.Items)})
	followers = string(seen)
	_, err = s.Subscriptions().List(t.Context(), subscription.Query{User: 7, Followed: idol})
	require.NoError(t, err)
	return followers, string(seen)
}

// someEvents returns the IDs of a page of events, which are also those of users.
func someEvents() []int64 {
	events := make([]int64, page.MaxSize)
	for i := range events {
		events[i] = int64(1 + i)
	}
	return events
}

func TestSUB05_many_followers_are_not_read_to_show_some_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledPostgres(t, fandom("{list}", "{}", "{at}", "now() - n * interval '1 second'", "{series of ", "generate_series(1, ", "}",
		") n")...)
	followers, follower := readsOfIdol(t, s)
	assertReads := func(statement string, most float64, args ...string) {
		t.Helper()
		read := 0.0
		for _, scan := range explain(t, conn, statement, args...).scans() {
			assert.NotEqual(t, "Seq Scan", scan.Node)
			read += scan.read()
		}
		assert.LessOrEqual(t, read, most)
	}
	assertReads(followers, fans+page.DefaultSize) // the total is counted in the index
	assertReads(follower, 2)
	some := "'{" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(someEvents()), "[]")), ",") + "}'"
	assertReads(s.Pick(constants["tiesTo"]), 2*2*page.MaxSize, some, "1")
	assertReads(s.Pick(constants["likings"]), 5*page.MaxSize, some, "1")
}

func TestSUB05_many_followers_are_not_read_to_show_some_on_SQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledSQLite(t, fandom("{list}", "[]", "{at}", "-n",
		"{series of ", "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ", "}", ") SELECT n FROM s)")...)
	followers, follower := readsOfIdol(t, s)
	steps := func(statement string, args ...any) int {
		_, steps := run(t, conn, sqliteRead{statement, args})
		return steps
	}
	assert.LessOrEqual(t, steps(followers), 3*fans+40*page.DefaultSize, "three for each that is counted")
	assert.LessOrEqual(t, steps(follower), 100)
	assert.LessOrEqual(t, steps(s.Pick(constants["tiesTo"]), s.Dialect.List(someEvents()), 1), 70*page.MaxSize)
	assert.LessOrEqual(t, steps(s.Pick(constants["likings"]), s.Dialect.List(someEvents()), 1), 100*page.MaxSize)
}
