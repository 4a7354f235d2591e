package bunstore

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/calendar"
)

// The users of the crowded days: contacts of the popular viewer have even IDs up to
// twice contactsOfOne, strangers odd ones.
const (
	contactsOfOne = 1000
	popular       = 2*contactsOfOne + 1 // a viewer
	alone         = 2*contactsOfOne + 2 // a viewer without contacts
	secretive     = 2*contactsOfOne + 3 // an author
	friend        = 2*contactsOfOne + 4 // a viewer whose only contact has the ID 2
	crowdSize     = 20_000
)

// Days, each with the same 34 events as other days, of which viewers may see some. On
// crowded days hidden events are created later than all of these.
var (
	quietDays      = daysFrom("2026-01-01", 20)
	privateDays    = daysFrom("2026-03-01", 20) // the first has many private events, the others some
	strangersDay   = daysFrom("2026-05-01", 1)  // many events of ten strangers for contacts
	contactsDay    = daysFrom("2026-05-03", 1)  // many events of one contact for contacts
	busyAuthorsDay = daysFrom("2026-05-05", 1)  // many events of as many strangers as the viewer has contacts
)

func daysFrom(first string, n int) []calendar.Date {
	start, err := time.Parse(time.DateOnly, first)
	if err != nil {
		panic(err) // a constant
	}
	days := make([]calendar.Date, n)
	for i := range days {
		days[i] = calendar.DateOf(start.AddDate(0, 0, i))
	}
	return days
}

// crowdedDays returns the statements that create these days. Braces contain the
// differences between the databases.
func crowdedDays(differing ...string) []string {
	statements := []string{
		`INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location, timezone, joined)
			SELECT '+86-' || n, '', '{list}', false, false, 0, '', '', '', '', 'UTC', {at} FROM {series of ` + fmt.Sprint(friend) + `}`,
	}
	for _, pair := range []string{"%d, 2 * n", "2 * n, %d"} {
		statements = append(statements, fmt.Sprintf("INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT "+pair+
			", {at}, {at} FROM {series of %d}", popular, contactsOfOne))
	}
	statements = append(statements, fmt.Sprintf("INSERT INTO subscriptions (user_id, followed_id, created, updated)"+
		" VALUES (%[1]d, 2, {at}, {at}), (2, %[1]d, {at}, {at})", friend))
	write := func(day calendar.Date, n int, author, permission string, later int) {
		statements = append(statements, fmt.Sprintf(
			`INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified, published_at)
				SELECT %s, '%s', 'A title', '', '', %s, 100, '', '', '', {at}, {at}, {at} FROM {series of %d}`, author, day, permission, n))
		statements[len(statements)-1] = strings.ReplaceAll(statements[len(statements)-1], "{at}", fmt.Sprintf("{at %d}", later))
	}
	for _, days := range [][]calendar.Date{quietDays, privateDays, strangersDay, contactsDay, busyAuthorsDay} {
		for _, day := range days {
			write(day, 34, "n * 53", "n % 3 * 100", 0)
		}
	}
	write(privateDays[0], crowdSize, fmt.Sprint(secretive), "200", 1)
	for _, day := range privateDays[1:] {
		write(day, 1000, fmt.Sprint(secretive), "200", 1)
	}
	write(strangersDay[0], crowdSize, "1 + 200 * (n % 10)", "100", 1)
	write(contactsDay[0], crowdSize, "2", "100", 1)
	write(busyAuthorsDay[0], crowdSize, fmt.Sprintf("1 + n %% %d * 2", contactsOfOne), "100", 1)
	for i, statement := range statements {
		statements[i] = strings.NewReplacer(differing...).Replace(statement)
	}
	return statements
}

// crowds must cost at most twice as much as the same days without them. Postgres may read all events of a contact's day.
var crowds = []struct {
	name           string
	quiet, crowded []calendar.Date
	limit          int
	onPostgres     float64
}{
	{"a day of 20,000 private events", quietDays[:1], privateDays[:1], 10, 2},
	{"20 days of private events", quietDays, privateDays, 3, 2},
	{"a day of 20,000 events for strangers' contacts", quietDays[:1], strangersDay, 10, 2},
	{"a day of 20,000 events for a contact's contacts", quietDays[:1], contactsDay, 10, 16},
}

// momentViewers are viewers.
var momentViewers = map[string]int{"with 1,000 contacts": popular, "with a contact": friend, "without contacts": alone}

// A day's hidden events may be of as many authors as the viewer has contacts. Such a viewer pays for
// reading both lists in order, others nothing.
const (
	busyAuthorsBuffers = 24 // in buffers of a quiet day
	busyAuthorsSteps   = 260_000
)

func TestEVT14_hidden_events_cost_others_nothing_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	statements := crowdedDays("{list}", "{}", "{at}", "now()", "{at 0}", "now() - n * interval '1 second'", "{at 1}",
		"now() + n * interval '1 second'",
		"{series of ", "generate_series(1, ", "}", ") n")
	s, conn := filledPostgres(t, statements...)
	cost := func(t *testing.T, days []calendar.Date, viewer int, limit int) (p plan, buffers float64) {
		p = explain(t, conn, s.Pick(constants["moment"]), "'{"+strings.Join(texts(days), ",")+"}'", fmt.Sprint(viewer), fmt.Sprint(limit))
		assert.Equal(t, float64(len(days)*limit), p.Rows, "what is found")
		return p, p.Hit + p.Missed
	}
	for _, c := range crowds {
		for name, viewer := range momentViewers {
			t.Run(c.name+", seen by one "+name, func(t *testing.T) {
				cost(t, c.crowded, viewer, c.limit) // the first run reads the catalogue
				_, quiet := cost(t, c.quiet, viewer, c.limit)
				_, crowded := cost(t, c.crowded, viewer, c.limit)
				assert.LessOrEqual(t, crowded, c.onPostgres*quiet, "buffers")
			})
		}
	}
	_, quiet := cost(t, quietDays[:1], popular, 10)
	p, crowded := cost(t, busyAuthorsDay, popular, 10)
	for _, scan := range p.scans() {
		if scan.Relation == "events" || scan.Relation == "subscriptions" {
			assert.NotEqual(t, "Seq Scan", scan.Node, scan.Relation)
		}
	}
	assert.LessOrEqual(t, crowded, busyAuthorsBuffers*quiet, "buffers")
	_, quiet = cost(t, quietDays[:1], alone, 10)
	_, crowded = cost(t, busyAuthorsDay, alone, 10)
	assert.LessOrEqual(t, crowded, 2*quiet, "buffers, without contacts")
}

func TestEVT14_hidden_events_cost_others_nothing_on_SQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledSQLite(t, crowdedDays("{list}", "[]", "{at}", "0", "{at 0}", "-n", "{at 1}", "n",
		"{series of ", "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ", "}", ") SELECT n FROM s)")...)
	cost := func(t *testing.T, days []calendar.Date, viewer int, limit int) (steps int) {
		for _, day := range days {
			r := sqliteRead{statement: s.Pick(constants["moment"]), args: []any{s.Dialect.Key([]calendar.Date{day}), viewer, limit}}
			found, took := run(t, conn, r)
			assert.Equal(t, limit, found)
			steps += took
		}
		return steps
	}
	for _, c := range crowds {
		for name, viewer := range momentViewers {
			t.Run(c.name+", seen by one "+name, func(t *testing.T) {
				assert.LessOrEqual(t, cost(t, c.crowded, viewer, c.limit), 2*cost(t, c.quiet, viewer, c.limit), "steps")
			})
		}
	}
	assert.LessOrEqual(t, cost(t, busyAuthorsDay, popular, 10), busyAuthorsSteps, "steps")
	assert.LessOrEqual(t, cost(t, busyAuthorsDay, alone, 10), 2*cost(t, quietDays[:1], alone, 10), "steps, without contacts")
}

func texts(days []calendar.Date) []string {
	all := make([]string, len(days))
	for i, day := range days {
		all[i] = day.String()
	}
	return all
}
