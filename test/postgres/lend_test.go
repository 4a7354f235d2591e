package postgres

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shelves is a schema whose tables refer to each other.
var shelves = filling(`
	CREATE TABLE schema_migrations (name text);
	INSERT INTO schema_migrations VALUES ('first');
	CREATE TABLE shelf (id bigserial PRIMARY KEY);
	CREATE TABLE "A book" (id bigint GENERATED ALWAYS AS IDENTITY, shelf bigint NOT NULL REFERENCES shelf)`)

func TestLend_hands_out_the_same_database_emptied(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	var before string
	for range 2 {
		t.Run("", func(t *testing.T) {
			at := Lend(t, shelves)
			other := Lend(t, shelves)
			assert.NotEqual(t, at, other, "two tests never share a database")
			if before == "" {
				before = at
			}
			assert.Contains(t, []string{at, other}, before, "and one that was given back is lent again")
			for _, at := range []string{at, other} {
				conn := connect(t, at)
				assert.Equal(t, "first", ask[string](t, conn, "SELECT string_agg(name, ' ') FROM schema_migrations"))
				assert.Zero(t, ask[int](t, conn, "SELECT count(*) FROM shelf"))
				assert.Equal(t, 1, ask[int](t, conn, "INSERT INTO shelf DEFAULT VALUES RETURNING id"))
				assert.Equal(t, 1, ask[int](t, conn, `INSERT INTO "A book" (shelf) VALUES (1) RETURNING id`))
			}
		})
	}
}

// skipped is a test that is skipped or fails.
type skipped struct {
	testing.TB
	why any
}

func (s *skipped) Helper()               {}
func (s *skipped) Skip(why ...any)       { s.why = why[0]; panic(s) }
func (s *skipped) Fatalf(string, ...any) { panic("it fails") }

func TestWithout_PostgreSQL_tests_are_skipped_and_say_how_to_get_it(t *testing.T) {
	t.Setenv("PG_BIN", "")
	t.Setenv("PATH", t.TempDir())
	_, missing := installed(t.TempDir() + "/*/bin")
	require.ErrorContains(t, missing, "apt-get install postgresql")
	hosts, programs := shared, binaries
	t.Cleanup(func() { shared, binaries = hosts, programs })
	shared = func() (*host, error) { return nil, missing }
	binaries = func() (string, error) { return "", missing }
	none := func(context.Context, string) error { return nil }
	for name, need := range map[string]func(testing.TB){
		"New":   func(t testing.TB) { New(t, none) },
		"Lend":  func(t testing.TB) { Lend(t, none) },
		"Empty": func(t testing.TB) { Empty(t) },
		"Start": func(t testing.TB) { Start(t) },
	} {
		s := &skipped{TB: t}
		assert.PanicsWithValue(t, s, func() { need(s) }, name)
		assert.Equal(t, missing, s.why, name)
	}
}
