package bunstore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/calendar"
)

// User 1 blocks 5,000 people, user 2 is blocked by 50,000, and user 3 has no block. 3,000 people comment on event 1, and 2,000
// write an event of one day. User 1 blocks half of these people, all of whom block user 2.
const (
	shy, disliked, indifferent = 1, 2, 3
	commenters, writers        = 3000, 2000
)

// quarrels returns the statements that store them. Braces contain the differences between the databases.
func quarrels(differing ...string) []string {
	return strings.Split(strings.NewReplacer(differing...).Replace(`
INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location, timezone, joined)
	SELECT '+86-' || n, '', '{list}', FALSE, FALSE, 0, '', '', '', '', 'UTC', {at} FROM {series of 60001};
INSERT INTO blocks (user_id, other_id, is_by_user, created) SELECT 1, 10000 + 2 * n, TRUE, {at} FROM {series of 5000}
	UNION ALL SELECT 10000 + 2 * n, 1, FALSE, {at} FROM {series of 5000};
INSERT INTO blocks (user_id, other_id, is_by_user, created) SELECT 10000 + n, 2, TRUE, {at} FROM {series of 50000}
	UNION ALL SELECT 2, 10000 + n, FALSE, {at} FROM {series of 50000};
INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified, published_at)
	SELECT 10000 + n, '2026-01-01', 'A title', '', '', 0, 100, '', '', '', {at}, {at}, {at} FROM {series of 2000};
INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified, published_at)
	SELECT n, '2025-01-01', 'A title', '', '', 0, 100, '', '', '', {at}, {at}, {at} FROM {series of 60000};
INSERT INTO event_counts (event_id, author_id) SELECT id, author_id FROM events;
INSERT INTO comments (event_id, author_id, content, created) SELECT 1, 10000 + n, 'Hm', {at} FROM {series of 3000};
INSERT INTO comments (event_id, author_id, content, created) SELECT 2 + n % 1999, 10000 + n, 'Hm', {at} FROM {series of 20000}`), ";")
}

// quarrel is a read, and how many rows each of the three may read and must find. Without a block, no row is read for them.
type quarrel struct {
	name, statement string
	args            []any // {viewer} is the viewer
	mayRead         map[int]int
	mustFind        map[int]int
}

const viewerOf = "{viewer}"

func quarrelReads(s *Store) []quarrel {
	page := 20
	day := s.Dialect.Key([]calendar.Date{daysFrom("2026-01-01", 1)[0]})
	return []quarrel{
		{"an event", constants["eventFor"].Postgres, []any{2, viewerOf}, map[int]int{shy: 3, disliked: 3, indifferent: 2},
			map[int]int{shy: 1, disliked: 1, indifferent: 1}},
		{"likes", s.Pick(constants["likings"]), []any{s.Dialect.List([]int64{1, 2, 3, 4}), viewerOf},
			map[int]int{shy: 12, disliked: 12, indifferent: 8},
			map[int]int{shy: 4, disliked: 4, indifferent: 4}},
		{"comments", constants["commentsPage"].Postgres, []any{1, page, 0, viewerOf},
			map[int]int{shy: 4 * commenters, disliked: 6 * commenters, indifferent: commenters + 2*page},
			map[int]int{shy: page, disliked: 0, indifferent: page}},
		{"the newest comments", s.Pick(constants["newestComments"]), []any{s.Dialect.Key([]int64{1}), 10, viewerOf},
			map[int]int{shy: 80, disliked: 2*commenters + 5, indifferent: 30}, map[int]int{shy: 10, disliked: 0, indifferent: 10}},
		{"the moment", s.Pick(constants["moment"]), []any{day, viewerOf, 11},
			map[int]int{shy: 200, disliked: 6 * writers, indifferent: 100}, map[int]int{shy: 11, disliked: 0, indifferent: 11}},
	}
}

func (q quarrel) argsOf(viewer int) []any {
	args := make([]any, len(q.args))
	for i, arg := range q.args {
		if args[i] = arg; arg == viewerOf {
			args[i] = viewer
		}
	}
	return args
}

func TestMOD02_blocks_cost_those_who_have_none_a_probe_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledPostgres(t, quarrels("{list}", "{}", "{at}", "now() - n * interval '1 second'", "{series of ", "generate_series(1, ", "}",
		") n")...)
	for _, q := range quarrelReads(s) {
		for viewer, most := range q.mayRead {
			var args []string
			for _, arg := range q.argsOf(viewer) {
				text := fmt.Sprint(arg)
				if list, is := arg.([]int64); is {
					text = "'{" + strings.Join(strings.Fields(strings.Trim(fmt.Sprint(list), "[]")), ",") + "}'"
				} else if strings.HasPrefix(q.name, "the moment") && len(args) == 0 {
					text = "'{2026-01-01}'"
				}
				args = append(args, text)
			}
			plan := explain(t, conn, q.statement, args...)
			read, blocks := 0.0, 0.0
			for _, scan := range plan.scans() {
				if !slices.Contains([]string{"blocks", "comments", "events"}, scan.Relation) {
					continue // the others are small
				}
				assert.NotEqual(t, "Seq Scan", scan.Node, "%s: %s", q.name, scan.Relation)
				if read += scan.read(); scan.Relation == "blocks" {
					blocks += scan.read()
				}
			}
			assert.LessOrEqual(t, read, float64(most), "%s, seen by %d", q.name, viewer)
			assert.EqualValues(t, q.mustFind[viewer], plan.Rows, "%s, seen by %d", q.name, viewer)
			if viewer == indifferent {
				assert.Zero(t, blocks, q.name)
			}
		}
	}
}

func TestMOD02_blocks_cost_those_who_have_none_a_probe_on_SQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledSQLite(t, quarrels("{list}", "[]", "{at}", "-n",
		"{series of ", "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ", "}", ") SELECT n FROM s)")...)
	for _, q := range quarrelReads(s) {
		for viewer, most := range q.mayRead {
			found, steps := run(t, conn, sqliteRead{q.statement, q.argsOf(viewer)})
			assert.LessOrEqual(t, steps, 700+16*most, "%s, seen by %d", q.name, viewer)
			assert.Equal(t, q.mustFind[viewer], found, "%s, seen by %d", q.name, viewer)
		}
	}
}
