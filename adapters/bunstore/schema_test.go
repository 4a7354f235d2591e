package bunstore_test

import (
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
const (
	schemaOfPostgres = `
	WITH t AS (SELECT oid, relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace)
	SELECT t.name || '.' || a.attname || ' ' || CASE format_type(a.atttypid, a.atttypmod)
			WHEN 'bigint' THEN 'integer' WHEN 'smallint' THEN 'integer' WHEN 'boolean' THEN 'integer'
			WHEN 'timestamp with time zone' THEN 'integer' WHEN 'double precision' THEN 'real' WHEN 'bytea' THEN 'blob'
			WHEN 'text[]' THEN 'text' WHEN 'bigint[]' THEN 'text' WHEN 'jsonb' THEN 'text' WHEN 'tsvector' THEN 'text' WHEN 'date' THEN 'text'
			ELSE format_type(a.atttypid, a.atttypmod) END
		|| CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END || CASE WHEN a.attidentity <> '' THEN ' AUTOINCREMENT' ELSE '' END
		|| coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')
	FROM t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
	LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
	UNION ALL
	SELECT t.name || CASE o.contype WHEN 'p' THEN ' PRIMARY KEY ' WHEN 'u' THEN ' UNIQUE ' ELSE ' FOREIGN KEY ' END
		|| (SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(o.conkey) WITH ORDINALITY k(att, n)
			JOIN pg_attribute a ON a.attrelid = o.conrelid AND a.attnum = k.att)
		|| coalesce(' REFERENCES ' || r.relname || ' ' || (SELECT string_agg(a.attname, ', ' ORDER BY k.n)
				FROM unnest(o.confkey) WITH ORDINALITY k(att, n) JOIN pg_attribute a ON a.attrelid = o.confrelid AND a.attnum = k.att)
			|| CASE o.confdeltype WHEN 'c' THEN ' CASCADE' WHEN 'a' THEN ' NO ACTION' ELSE o.confdeltype::text END, '')
	FROM t JOIN pg_constraint o ON o.conrelid = t.oid AND o.contype IN ('p', 'u', 'f') LEFT JOIN pg_class r ON r.oid = o.confrelid
	UNION ALL
	SELECT t.name || ' CHECKS ' || count(*) FROM t JOIN pg_constraint o ON o.conrelid = t.oid AND o.contype = 'c' GROUP BY t.name
	UNION ALL
	SELECT t.name || CASE WHEN x.indisunique THEN ' UNIQUE' ELSE '' END || ' INDEX ' || c.relname || ' ON ' || (
			SELECT string_agg(coalesce(a.attname, 'expression')
				|| CASE WHEN k.n <= x.indnkeyatts AND x.indoption[k.n - 1] & 1 = 1 THEN ' DESC' ELSE '' END, ', ' ORDER BY k.n)
			FROM unnest(x.indkey) WITH ORDINALITY k(att, n) LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.att)
		|| coalesce(' WHERE ' || pg_get_expr(x.indpred, x.indrelid), '')
	FROM t JOIN pg_index x ON x.indrelid = t.oid JOIN pg_class c ON c.oid = x.indexrelid
	WHERE NOT EXISTS (SELECT FROM pg_constraint o WHERE o.conindid = x.indexrelid AND o.contype <> 'f')`

	schemaOfSQLite = `
	WITH t AS (SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%')
	SELECT t.name || '.' || c.name || ' ' || lower(c.type) || CASE WHEN c."notnull" OR c.pk THEN ' NOT NULL' ELSE '' END
		|| CASE WHEN c.pk AND t.sql LIKE '%AUTOINCREMENT%' THEN ' AUTOINCREMENT' ELSE '' END || coalesce(' DEFAULT ' || c.dflt_value, '')
	FROM t JOIN pragma_table_info(t.name) c
	UNION ALL
	SELECT t.name || ' PRIMARY KEY ' || group_concat(c.name, ', ' ORDER BY c.pk) FROM t JOIN pragma_table_info(t.name) c
	WHERE c.pk GROUP BY t.name
	UNION ALL
	SELECT t.name || ' FOREIGN KEY ' || group_concat(f."from", ', ' ORDER BY f.seq) || ' REFERENCES ' || f."table" || ' '
		|| group_concat(f."to", ', ' ORDER BY f.seq) || ' ' || f.on_delete
	FROM t JOIN pragma_foreign_key_list(t.name) f GROUP BY t.name, f.id
	UNION ALL
	SELECT t.name || ' CHECKS ' || ((length(t.sql) - length(replace(t.sql, 'CHECK (', ''))) / 7) FROM t WHERE t.sql LIKE '%CHECK (%'
	UNION ALL
	SELECT t.name || CASE WHEN l."unique" THEN ' UNIQUE' ELSE '' END || CASE l.origin WHEN 'c' THEN ' INDEX ' || l.name || ' ON' ELSE '' END
		|| ' ' || (SELECT group_concat(coalesce(x.name, 'expression') || CASE WHEN x.desc THEN ' DESC' ELSE '' END, ', ' ORDER BY x.seqno)
			FROM pragma_index_xinfo(l.name) x WHERE x.key)
		|| coalesce(substr(s.sql, nullif(instr(s.sql, ' WHERE '), 0)), '')
	FROM t JOIN pragma_index_list(t.name) l LEFT JOIN sqlite_schema s ON s.name = l.name WHERE l.origin <> 'pk'`
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
