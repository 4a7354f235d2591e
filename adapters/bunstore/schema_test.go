package bunstore_test

import (
	"database/sql"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// schemaTable describes a table in terms common to both databases.
type schemaTable struct {
	Columns  map[string]schemaColumn
	Primary  []string
	Numbered bool // the database assigns IDs, each once
	Typed    bool // columns accept only values of their type
	Unique   map[string]bool
	Foreign  map[string]string
	Indexes  map[string]schemaIndex
	Checks   int
}

type schemaColumn struct {
	Type     string
	Required bool
	Default  string
}

type schemaIndex struct {
	Unique  bool
	Columns string
	Only    string // the condition of a partial index
}

// storedAs maps each type of Postgres to SQLite's.
var storedAs = map[string]string{
	"bigint": "integer", "integer": "integer", "smallint": "integer", "boolean": "integer",
	"timestamp with time zone": "integer", "double precision": "real", "bytea": "blob",
	"text": "text", "text[]": "text", "bigint[]": "text", "jsonb": "text", "date": "text",
}

// schemaOf returns the schema from the database's catalogue, including the table of
// steps.
func schemaOf(t *testing.T, url string) map[string]schemaTable {
	t.Helper()
	db := rawSQL(t, url)
	read, names := postgresTable, "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
	if strings.HasPrefix(url, "sqlite:") {
		read, names = sqliteTable, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	}
	tables := map[string]schemaTable{}
	for _, name := range column[string](t, db, names) {
		table := schemaTable{
			Columns: map[string]schemaColumn{}, Unique: map[string]bool{}, Foreign: map[string]string{}, Indexes: map[string]schemaIndex{},
		}
		read(t, db, name, &table)
		tables[name] = table
	}
	return tables
}

// eachRow scans each row and calls found.
func eachRow(t *testing.T, db *sql.DB, query, arg string, found func(), into ...any) {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, arg)
	require.NoError(t, err, query)
	defer rows.Close()
	for rows.Next() {
		require.NoError(t, rows.Scan(into...))
		found()
	}
	require.NoError(t, rows.Err())
}

func postgresTable(t *testing.T, db *sql.DB, name string, table *schemaTable) {
	t.Helper()
	var c struct {
		name, kind, fallback string
		required, numbered   bool
	}
	eachRow(t, db, `SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity <> '',
			coalesce(pg_get_expr(d.adbin, d.adrelid), '')
		FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
		WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`, name, func() {
		stored, known := storedAs[c.kind]
		require.True(t, known, "%s.%s: how does SQLite keep a %s?", name, c.name, c.kind)
		table.Columns[c.name] = schemaColumn{Type: stored, Required: c.required, Default: strings.TrimSuffix(c.fallback, "::text")}
		table.Numbered = table.Numbered || c.numbered
	}, &c.name, &c.kind, &c.required, &c.numbered, &c.fallback)
	table.Typed = true
	postgresConstraints(t, db, name, table)
	var i struct {
		name, columns, only string
		unique              bool
	}
	eachRow(t, db, `SELECT c.relname, x.indisunique, coalesce(pg_get_expr(x.indpred, x.indrelid), ''),
			(SELECT string_agg(coalesce(a.attname, 'expression') || CASE WHEN k.n <= x.indnkeyatts AND x.indoption[k.n - 1] & 1 = 1 THEN ' DESC' ELSE '' END, ', ' ORDER BY k.n)
				FROM unnest(x.indkey) WITH ORDINALITY k(att, n) LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.att)
		FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid
		WHERE x.indrelid = $1::regclass AND NOT EXISTS (SELECT FROM pg_constraint o WHERE o.conindid = x.indexrelid AND o.contype <> 'f')`, name, func() {
		table.Indexes[i.name] = schemaIndex{Unique: i.unique, Columns: i.columns, Only: plainly(i.only)}
	}, &i.name, &i.unique, &i.only, &i.columns)
}

func postgresConstraints(t *testing.T, db *sql.DB, name string, table *schemaTable) {
	t.Helper()
	var kind, columns, target, deletion string
	eachRow(t, db, `SELECT o.contype::text,
			coalesce((SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(o.conkey) WITH ORDINALITY k(att, n)
				JOIN pg_attribute a ON a.attrelid = o.conrelid AND a.attnum = k.att), ''),
			coalesce(r.relname || '.' || (SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(o.confkey) WITH ORDINALITY k(att, n)
				JOIN pg_attribute a ON a.attrelid = o.confrelid AND a.attnum = k.att), ''),
			CASE o.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'a' THEN 'NO ACTION' ELSE o.confdeltype::text END
		FROM pg_constraint o LEFT JOIN pg_class r ON r.oid = o.confrelid WHERE o.conrelid = $1::regclass`, name, func() {
		switch kind {
		case "p":
			table.Primary = strings.Split(columns, ", ")
		case "u":
			table.Unique[columns] = true
		case "f":
			table.Foreign[columns] = target + " ON DELETE " + deletion
		case "c":
			table.Checks++
		}
	}, &kind, &columns, &target, &deletion)
}

func sqliteTable(t *testing.T, db *sql.DB, name string, table *schemaTable) {
	t.Helper()
	var c struct {
		name, kind, fallback string
		required             bool
		primary              int
	}
	eachRow(t, db, `SELECT name, type, "notnull", pk, coalesce(dflt_value, '') FROM pragma_table_info(?) ORDER BY pk`, name, func() {
		if c.primary > 0 {
			table.Primary = append(table.Primary, c.name)
		}
		table.Columns[c.name] = schemaColumn{Type: strings.ToLower(c.kind), Required: c.required || c.primary > 0, Default: c.fallback}
	}, &c.name, &c.kind, &c.required, &c.primary, &c.fallback)
	var from, target, deletion string
	eachRow(t, db, `SELECT group_concat("from", ', ' ORDER BY seq), "table" || '.' || group_concat("to", ', ' ORDER BY seq), on_delete
		FROM pragma_foreign_key_list(?) GROUP BY id, "table", on_delete`, name, func() {
		table.Foreign[from] = target + " ON DELETE " + deletion
	}, &from, &target, &deletion)
	definition := regexp.MustCompile(`--.*`).ReplaceAllString(
		column[string](t, db, "SELECT sql FROM sqlite_schema WHERE name = ?", name)[0], "")
	table.Checks = len(regexp.MustCompile(`\bCHECK \(`).FindAllString(definition, -1))
	table.Numbered = strings.Contains(definition, "AUTOINCREMENT")
	table.Typed = name == "schema_migrations" || strings.HasSuffix(definition, "STRICT")
	sqliteIndexes(t, db, name, table)
}

func sqliteIndexes(t *testing.T, db *sql.DB, name string, table *schemaTable) {
	t.Helper()
	var i struct {
		name, origin, columns, definition string
		unique                            bool
	}
	eachRow(t, db, `SELECT l.name, l.origin, l."unique", coalesce(s.sql, ''),
			(SELECT group_concat(coalesce(x.name, 'expression') || CASE WHEN x.desc THEN ' DESC' ELSE '' END, ', ' ORDER BY x.seqno)
				FROM pragma_index_xinfo(l.name) x WHERE x.key)
		FROM pragma_index_list(?) l LEFT JOIN sqlite_schema s ON s.name = l.name`, name, func() {
		switch i.origin {
		case "u":
			table.Unique[i.columns] = true
		case "c":
			_, only, _ := strings.Cut(i.definition, "WHERE ")
			table.Indexes[i.name] = schemaIndex{Unique: i.unique, Columns: i.columns, Only: plainly(only)}
		}
	}, &i.name, &i.origin, &i.unique, &i.definition, &i.columns)
}

// plainly returns a condition without the additions of Postgres.
func plainly(condition string) string {
	condition = regexp.MustCompile(`::\w+|[()]`).ReplaceAllString(condition, "")
	return strings.NewReplacer("= ANY ARRAY[", "IN ", "]", "").Replace(condition)
}
