package bunstore

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// The users of the crowded timelines. The authors have the IDs from 1; those with even ones follow the eager reader back.
const (
	authorsFollowed = 5000
	eagerReader     = authorsFollowed + 1 // follows all authors
	lonelyReader    = authorsFollowed + 2 // follows no one
	famousReader    = authorsFollowed + 3 // follows one author, and all authors follow them
	hugeDiary       = 50_000
	timelinePage    = 101 // the largest page, and one more
)

// crowdedTimelines returns the statements that create an event of each author, and later ones: very many
// that all may see of author 1, and as many of authors 3, 5 and 7 that the eager reader may not see. Braces contain the
// differences between the databases.
func crowdedTimelines(differing ...string) []string {
	follow := func(follower, followed, from string) string {
		return "INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT " + follower + ", " + followed + ", {at}, {at} FROM " +
			from
	}
	write := func(author, permission, status, from string) string {
		return "INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified, " +
			"published_at)" +
			" SELECT " + author + ", '2026-01-01', 'A title', '', '', " + permission + ", " + status + ", '', '', '', {at}, {at}, {at} FROM " + from
	}
	authors := fmt.Sprintf("{series of %d}", authorsFollowed)
	diary := strings.ReplaceAll(fmt.Sprintf("{series of %d}", hugeDiary), "series", "later series")
	statements := []string{
		"INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, " +
			"firstname, lastname, expertise, location, timezone, joined)" +
			fmt.Sprintf(" SELECT '+86-' || n, '', '{list}', false, false, 0, '', '', '', '', 'UTC', {at} FROM {series of %d}", famousReader),
		follow(fmt.Sprint(eagerReader), "n", authors), follow("n", fmt.Sprint(eagerReader), authors+" WHERE n % 2 = 0"),
		follow(fmt.Sprint(famousReader), "n", authors+" WHERE n = 1"), follow("n", fmt.Sprint(famousReader), authors),
		write("n", "n % 3 * 100", "100", authors),
		write("1", "0", "100", diary), write("3", "100", "100", diary), write("5", "200", "100", diary), write("7", "0", "0", diary),
		"INSERT INTO event_counts (event_id, author_id) SELECT id, author_id FROM events",
	}
	for i, statement := range statements {
		statements[i] = strings.NewReplacer(differing...).Replace(statement)
	}
	return statements
}

// timelines are what a page of a reader may cost: so many entries of indexes and rows. Of each author whom a reader
// follows it is at most ten, also if an author has written very many events.
var timelines = []struct {
	reader, found, most int
}{
	{eagerReader, timelinePage, 10*authorsFollowed + 10*timelinePage},
	{lonelyReader, 0, 10},
	{famousReader, timelinePage, 10 * timelinePage},
}

func TestEVT23_a_timeline_costs_a_constant_for_each_followed_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledPostgres(t, crowdedTimelines("{list}", "{}", "{at}", "now() + n * interval '1 second'",
		"{series of ", "generate_series(1, ", "{later series of ", "generate_series(10000, 10000 + ", "}", ") n")...)
	for _, c := range timelines {
		p := explain(t, conn, s.Pick(constants["timeline"]), fmt.Sprint(c.reader), "'infinity'", fmt.Sprint(math.MaxInt64),
			fmt.Sprint(timelinePage))
		assert.EqualValues(t, c.found, p.Rows, "what is found")
		var rows float64
		for _, scan := range p.scans() {
			if scan.Relation == "events" || scan.Relation == "subscriptions" {
				assert.NotEqual(t, "Seq Scan", scan.Node, scan.Relation)
			}
			rows += scan.read()
		}
		assert.LessOrEqual(t, rows, float64(c.most), "rows")
	}
}

func TestEVT23_a_timeline_costs_a_constant_for_each_followed_on_SQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledSQLite(t, crowdedTimelines("{list}", "[]", "{at}", "n * 1000000",
		"{series of ", "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ",
		"{later series of ", "(WITH RECURSIVE s (n) AS (SELECT 10000 UNION ALL SELECT n + 1 FROM s LIMIT ", "}", ") SELECT n FROM s)")...)
	for _, c := range timelines {
		r := sqliteRead{statement: s.Pick(constants["timeline"]), args: []any{c.reader, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro(),
			int64(math.MaxInt64), timelinePage}}
		found, steps := run(t, conn, r)
		assert.Equal(t, c.found, found)
		assert.LessOrEqual(t, steps, 12*c.most, "steps")
	}
}
