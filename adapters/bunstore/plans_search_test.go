package bunstore

import (
	"database/sql"
	"fmt"
	"math"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/page"
	"plaza/domain/user"
)

// namesakes are 200,000 people of one name, who are disabled but for the last hundred, and 20,000 of another name, who are
// not. User 7 follows 5,000 of the first, and 2,500 of the second.
func namesakes(series, now, none string) []string {
	people := func(from, to int) string { return fmt.Sprintf("(SELECT n FROM "+series+" WHERE n > %d)", to, from) }
	return []string{
		"INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, " +
			"firstname, lastname, expertise, location, timezone, joined)" +
			" SELECT '+86-' || n, '', '" + none + "', false, n <= 199900, 0, CASE WHEN n <= 200000 THEN 'Maximilian' ELSE 'Borislava' END, '', " +
			"'', '', 'UTC', " +
			now + " FROM " + people(0, 220000) + " s",
		"INSERT INTO name_prefixes SELECT 'ma', id FROM users WHERE id <= 200000",
		"INSERT INTO name_prefixes SELECT 'maximili', id FROM users WHERE id <= 200000",
		"INSERT INTO name_prefixes SELECT 'bo', id FROM users WHERE id > 200000",
		"INSERT INTO name_prefixes SELECT 'borislav', id FROM users WHERE id > 200000",
		"INSERT INTO presence (user_id, seen) SELECT id, " + now + " FROM users",
		"INSERT INTO blocks (user_id, other_id, is_by_user, created) SELECT 1000 + n, 1000 + n + 1 - n % 2 * 2, n % 2 = 0, " + now + " FROM " +
			people(1, 9999) + " s",
		"INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 7, 100000 + n, " + now + ", " + now + " FROM " +
			people(0, 5000) + " s",
		"INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 7, 200000 + 2 * n, " + now + ", " + now + " FROM " +
			people(0, 2500) + " s",
	}
}

// search is a search with the rows that it may read at most: for each followed user the subscription, the prefix, the
// account and the profile with its presence, and as many for each one examined. The last one examined is found by as many rows again.
type search struct {
	name, by          string
	followed, others  int64 // behind which it continues
	limit             int
	mayRead, mustFind int
	withDisabled      bool
}

const (
	follows        = 7500
	examinedAtOnce = 1000
)

// cameFirst are uids that a cursor has.
const cameFirst = "3,100001,200002,219999"

var searches = []search{
	{"ma", "7", 0, 0, 21, 2*follows + 5000 + 4*examinedAtOnce, 1, false},
	{"ma", "7", math.MaxInt64, 150_000, 21, 4 * examinedAtOnce, 1, false},
	{"ma", "7", math.MaxInt64, 199_950, 21, 5 * 21, 21, false},
	{"ma", "8", 0, 0, 21, 4 * examinedAtOnce, 1, false},
	{"maximili", "8", 0, 198_500, examinedAtOnce, 4 * examinedAtOnce, 1, false},
	{"bo", "7", 0, 0, 21, 2*follows + 5*21, 21, false},
	{"bo", "7", 204_000, 0, 101, 2*500 + 5*101, 101, false},
	{"bo", "7", math.MaxInt64, 0, 101, 8 * 101, 101, false},
	{"borislav", "7", math.MaxInt64, 0, examinedAtOnce, 7 * examinedAtOnce, examinedAtOnce / 2, false},
	{"borislav", "8", 0, 0, examinedAtOnce, 6 * examinedAtOnce, examinedAtOnce, false},
	{"none", "7", 0, 0, 21, 2 * follows, 0, false},
	{"none", "8", 0, 0, 21, 10, 0, false},
	{"ma", "0", 0, 0, 21, 5 * 21, 21, true},
}

func TestUSR08_a_search_reads_a_bounded_number_of_rows_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledPostgres(t, namesakes("generate_series(1, %d) n", "now()", "{}")...)
	for _, of := range searches {
		t.Run(fmt.Sprint(of), func(t *testing.T) { of.assertBounded(t, s, conn) })
	}
	assertSearchContinues(t, s)
}

func (of search) assertBounded(t *testing.T, s *Store, conn *pgx.Conn) {
	t.Helper()
	args := []string{"'" + of.name + "'", of.by, fmt.Sprint(of.followed), fmt.Sprint(of.others), fmt.Sprint(of.limit),
		fmt.Sprint(of.withDisabled), "'{" + cameFirst + "}'", "1000"}
	plan := explain(t, conn, s.Pick(constants["foundByPrefix"]), args...)
	var read float64
	for _, scan := range plan.scans() {
		assert.NotEqual(t, "Seq Scan", scan.Node, scan.Relation)
		read += scan.read()
	}
	assert.LessOrEqual(t, read, float64(of.mayRead), "rows read")
	assert.GreaterOrEqual(t, plan.Rows, float64(of.mustFind), "rows found")
}

func TestUSR08_a_search_reads_a_bounded_number_of_rows_on_SQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	series := "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT %d) SELECT n FROM s)"
	s, conn := filledSQLite(t, namesakes(series, "1", "[]")...)
	for _, of := range searches {
		t.Run(fmt.Sprint(of), func(t *testing.T) { of.assertFew(t, s, conn) })
	}
	assertSearchContinues(t, s)
}

func (of search) assertFew(t *testing.T, s *Store, conn *sql.Conn) {
	t.Helper()
	found, steps := run(t, conn, sqliteRead{s.Pick(constants["foundByPrefix"]), []any{
		of.name, of.by, of.followed, of.others, of.limit, of.withDisabled, "[" + cameFirst + "]", 1000,
	}})
	assert.LessOrEqual(t, steps, 200+18*of.mayRead, "steps for %d rows", of.mayRead)
	assert.GreaterOrEqual(t, found, of.mustFind)
}

// assertSearchContinues asserts that pages go on behind users whom the name does not find.
func assertSearchContinues(t *testing.T, s *Store) {
	t.Helper()
	for name, want := range map[user.SearchName]int{"ma": 100, "maximilian": 100, "maximilianus": 0, "bo": 2500 + 17_500, "borislava": 20_000,
		"borislave": 0, "ma maximili": 100, "borislav bo": 20_000, "ma bo": 0} {
		found, pages, last := 0, 0, page.Cursor{}
		seen := map[user.ID]bool{}
		for more := true; more; pages++ {
			p, err := s.Accounts().Search(t.Context(), user.Search{Name: name, By: 7, CursorRequest: page.Behind(last, 100)})
			require.NoError(t, err)
			for _, m := range p.Items {
				assert.False(t, seen[m.ID])
				seen[m.ID] = true
				assert.True(t, name.Finds(m))
			}
			found += len(p.Items)
			if more = p.Next != (page.Cursor{}); more {
				require.Positive(t, p.Next.Compare(last))
				last = p.Next
			}
		}
		assert.Equal(t, want, found, name)
		assert.LessOrEqual(t, pages, 410, name)
	}
}
