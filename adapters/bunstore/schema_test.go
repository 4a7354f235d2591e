package bunstore_test

import (
	_ "embed"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/migrations"
)

// Both statements find a line for each column, key, constraint and index of a schema, in the words of SQLite. Conditions of partial
// indexes are in the words of either database.
var (
	//go:embed testdata/schema_postgres.sql
	schemaOfPostgres string
	//go:embed testdata/schema_sqlite.sql
	schemaOfSQLite string
)

// ownIndex finds the lines of the index of search that only one database has: each finds words in its own way.
var ownIndex = regexp.MustCompile(`^search_(words|entries\.place|entries (PRIMARY|UNIQUE|INDEX))`)

// schemaOf returns the schema from the database's catalogue, with the table of steps and without what the databases write differently.
func schemaOf(t *testing.T, url string) []string {
	t.Helper()
	query := schemaOfPostgres
	if strings.HasPrefix(url, "sqlite:") {
		query = schemaOfSQLite
	}
	lines := column[string](t, rawSQL(t, url), query)
	for i, line := range lines {
		line = regexp.MustCompile(`::\w+|[()]`).ReplaceAllString(line, "")
		lines[i] = strings.NewReplacer("'{}'[]", "'['", "= ANY ARRAY[", "IN ", "]", "").Replace(line)
	}
	slices.Sort(lines)
	return slices.DeleteFunc(lines, ownIndex.MatchString)
}

func TestBoth_databases_end_in_the_same_tables(t *testing.T) {
	t.Parallel()
	sqlite := bunstore.MigratedSQLite(t)
	found := schemaOf(t, bunstore.MigratedPostgres(t))
	assert.Contains(t, found, "events.day text NOT NULL")
	assert.Equal(t, found, schemaOf(t, sqlite))
	others := []string{"schema_migrations", "search_words", "search_words_config", "search_words_data", "search_words_idx"}
	assert.Equal(t, others, column[string](t, rawSQL(t, sqlite),
		"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql NOT LIKE '%STRICT' ORDER BY name"),
		"columns of others take only values of their type")
}

func TestBoth_databases_have_the_same_steps(t *testing.T) {
	stepsIn := func(folder string) (steps []string) {
		entries, err := fs.ReadDir(migrations.Of(folder), ".")
		require.NoError(t, err)
		for _, e := range entries {
			steps = append(steps, e.Name())
		}
		return steps
	}
	steps := stepsIn("postgres")
	require.NotEmpty(t, steps)
	assert.Equal(t, steps, stepsIn("sqlite"))
	numbers := map[string]bool{}
	for _, step := range steps {
		assert.Regexp(t, `^[0-9]{4}_[a-z0-9_]+\.sql$`, step)
		assert.False(t, numbers[step[:4]], "%s has the number of another step: which comes first?", step)
		numbers[step[:4]] = true
	}
}
