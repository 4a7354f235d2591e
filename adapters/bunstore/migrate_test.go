package bunstore_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	sqlitedriver "modernc.org/sqlite"

	"plaza/adapters/bunstore"
	"plaza/migrations"
	"plaza/test/postgres"
)

// untouched are databases that nobody has migrated yet.
var untouched = map[string]func(t *testing.T) string{
	"SQLite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "plaza.db") },
	"Postgres": func(t *testing.T) string { return postgres.Empty(t) },
}

// rawSQL speaks to the database past the store, as an administrator does.
func rawSQL(t *testing.T, url string) *sql.DB {
	t.Helper()
	driver, source := "pgx", url
	if path, is := strings.CutPrefix(url, "sqlite:"); is {
		driver, source = "sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(on)"
	}
	db, err := sql.Open(driver, source)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

// unmigrated opens a store and leaves its schema as it is.
func unmigrated(t *testing.T, url string) *bunstore.Store {
	t.Helper()
	s, err := bunstore.Open(t.Context(), bunstore.Options{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.ExecContext(t.Context(), statement)
	require.NoError(t, err, statement)
}

func column[T any](t *testing.T, db *sql.DB, query string, args ...any) []T {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	require.NoError(t, err, query)
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		var one T
		require.NoError(t, rows.Scan(&one))
		all = append(all, one)
	}
	require.NoError(t, rows.Err())
	return all
}

func stepsIn(t *testing.T, folder fs.FS, name string) []string {
	t.Helper()
	files, err := fs.Glob(folder, name+"/*")
	require.NoError(t, err)
	for i, file := range files {
		files[i] = strings.TrimPrefix(file, name+"/")
	}
	return files
}

func TestBoth_databases_have_the_same_steps(t *testing.T) {
	steps := stepsIn(t, migrations.Postgres, "postgres")
	require.NotEmpty(t, steps)
	assert.Equal(t, steps, stepsIn(t, migrations.SQLite, "sqlite"))
	form := regexp.MustCompile(`^[0-9]{4}_[a-z0-9_]+\.sql$`)
	numbers := map[string]bool{}
	for _, step := range steps {
		assert.Regexp(t, form, step)
		assert.False(t, numbers[step[:4]], "%s has the number of another step: which comes first?", step)
		numbers[step[:4]] = true
	}
}

func TestBoth_databases_end_in_the_same_tables(t *testing.T) {
	found := map[string]map[string]schemaTable{}
	for name, url := range databases {
		at := url(t)
		open(t, at)
		found[name] = schemaOf(t, at)
	}
	require.NotEmpty(t, found["Postgres"])
	require.Contains(t, found["Postgres"], "events")
	assert.NotEmpty(t, found["Postgres"]["events"].Columns)
	for name, table := range found["Postgres"] {
		assert.Equal(t, table, found["SQLite"][name], name)
	}
	for name := range found["SQLite"] {
		assert.Contains(t, found["Postgres"], name)
	}
}

// onEachEmpty runs the test on every database, each time one without any tables.
func onEachEmpty(t *testing.T, test func(t *testing.T, url string)) {
	for name, url := range untouched {
		t.Run(name, func(t *testing.T) { test(t, url(t)) })
	}
}

func TestMigrating_twice_changes_nothing(t *testing.T) {
	onEachEmpty(t, func(t *testing.T, url string) {
		s := unmigrated(t, url)
		require.ErrorIs(t, s.CheckSchema(t.Context()), bunstore.ErrOutdated)
		applied, err := s.Migrate(t.Context())
		require.NoError(t, err)
		assert.Len(t, applied, len(stepsIn(t, migrations.Postgres, "postgres")))
		require.NoError(t, s.CheckSchema(t.Context()))
		steps, err := s.Migrations(t.Context())
		require.NoError(t, err)
		tables := schemaOf(t, url)

		applied, err = s.Migrate(t.Context())
		require.NoError(t, err)
		assert.Empty(t, applied)
		again, err := s.Migrations(t.Context())
		require.NoError(t, err)
		assert.Equal(t, steps, again, "not even the time has changed")
		assert.Equal(t, tables, schemaOf(t, url))
	})
}

func TestMany_who_migrate_at_once_apply_each_step_once(t *testing.T) {
	const many = 8
	onEachEmpty(t, func(t *testing.T, url string) {
		var stores []*bunstore.Store
		for range many {
			stores = append(stores, unmigrated(t, url))
		}
		var all [many][]string
		var errs [many]error
		var done sync.WaitGroup
		for i, s := range stores {
			done.Go(func() { all[i], errs[i] = s.Migrate(t.Context()) })
		}
		done.Wait()
		require.NoError(t, errors.Join(errs[:]...))
		var applied []string
		for _, names := range all {
			applied = append(applied, names...)
		}
		assert.Equal(t, column[string](t, rawSQL(t, url), "SELECT name FROM schema_migrations ORDER BY name"), applied)
		assert.NotEmpty(t, applied)
	})
}

func TestMany_who_look_at_an_empty_database_at_once_see_that_it_is(t *testing.T) {
	const many = 8
	onEachEmpty(t, func(t *testing.T, url string) {
		var stores []*bunstore.Store
		for range many {
			stores = append(stores, unmigrated(t, url))
		}
		var errs [many]error
		var done sync.WaitGroup
		for i, s := range stores {
			done.Go(func() { errs[i] = s.CheckSchema(t.Context()) })
		}
		done.Wait()
		for _, err := range errs {
			assert.ErrorIs(t, err, bunstore.ErrOutdated)
		}
	})
}

// holdSchema is what keeps others from migrating while a transaction lasts.
var holdSchema = map[bool][2]string{
	true:  {"BEGIN IMMEDIATE", "SELECT 1"},
	false: {"BEGIN", "SELECT pg_advisory_xact_lock(hashtextextended('plaza schema', 0))"},
}

func TestWho_migrates_waits_for_another_however_long_that_takes(t *testing.T) {
	const limit = 100 * time.Millisecond
	onEachEmpty(t, func(t *testing.T, url string) {
		s, err := bunstore.Open(t.Context(), bunstore.Options{URL: url, Limit: limit})
		require.NoError(t, err)
		defer s.Close()
		other, err := rawSQL(t, url).Conn(t.Context())
		require.NoError(t, err)
		defer other.Close()
		for _, statement := range holdSchema[strings.HasPrefix(url, "sqlite:")] {
			_, err := other.ExecContext(t.Context(), statement)
			require.NoError(t, err)
		}
		migrated := make(chan error, 1)
		go func() {
			_, err := s.Migrate(t.Context())
			migrated <- err
		}()
		select {
		case err := <-migrated:
			require.Fail(t, "another server may need long for a large table", "%v", err)
		case <-time.After(10 * limit):
		}
		_, err = other.ExecContext(t.Context(), "ROLLBACK")
		require.NoError(t, err)
		require.NoError(t, <-migrated)
		assert.NoError(t, s.CheckSchema(t.Context()))
	})
}

func TestA_schema_that_is_newer_is_left_alone(t *testing.T) {
	const tableOfSteps = "CREATE TABLE schema_migrations (name text NOT NULL PRIMARY KEY, applied %s NOT NULL)"
	types := map[bool]string{true: "integer", false: "timestamptz"}
	values := map[bool]string{true: "1", false: "now()"}
	onEachEmpty(t, func(t *testing.T, url string) {
		embedded := strings.HasPrefix(url, "sqlite:")
		db := rawSQL(t, url)
		execute(t, db, strings.ReplaceAll(tableOfSteps, "%s", types[embedded]))
		execute(t, db, "INSERT INTO schema_migrations VALUES ('9999_from_the_future', "+values[embedded]+")")
		before := schemaOf(t, url)
		s := unmigrated(t, url)
		_, err := s.Migrate(t.Context())
		require.ErrorIs(t, err, bunstore.ErrNewer)
		assert.ErrorContains(t, err, "9999_from_the_future", "people must learn which")
		_, err = s.Migrations(t.Context())
		require.ErrorIs(t, err, bunstore.ErrNewer)
		require.ErrorIs(t, s.CheckSchema(t.Context()), bunstore.ErrNewer)
		assert.Equal(t, before, schemaOf(t, url), "although steps are missing")
		assert.Equal(t, []string{"9999_from_the_future"}, column[string](t, db, "SELECT name FROM schema_migrations"))
	})
}

func TestA_step_that_fails_leaves_nothing(t *testing.T) {
	onEachEmpty(t, func(t *testing.T, url string) {
		db := rawSQL(t, url)
		execute(t, db, "CREATE TABLE secrets (in_the_way integer)") // the step makes it, after everything else
		before := schemaOf(t, url)
		s := unmigrated(t, url)
		applied, err := s.Migrate(t.Context())
		require.Error(t, err)
		assert.Empty(t, applied)
		assert.ErrorContains(t, err, "0001_initial")
		assert.ErrorContains(t, err, "secrets")
		assert.Equal(t, before, schemaOf(t, url))

		execute(t, db, "DROP TABLE secrets")
		_, err = s.Migrate(t.Context())
		require.NoError(t, err, "whoever has mended it starts anew")
	})
}

func TestA_cancelled_migration_leaves_nothing(t *testing.T) {
	onEachEmpty(t, func(t *testing.T, url string) {
		s := unmigrated(t, url)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Migrate(ctx)
		require.ErrorIs(t, err, context.Canceled)
		assert.Empty(t, schemaOf(t, url))
	})
}

// filler is what the refused statements refer to. Ids are the database's to give:
// it doesn't know of others, and would give them again.
var filler = []string{
	`INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname,
		expertise, location, timezone, joined) VALUES ('+86-13800000001', '', NONE, FALSE, FALSE, 0, '', '', '', '', '', NOW)`,
	`INSERT INTO orders (user_id, subject, amount, currency, state, created, expires)
		VALUES (1, 'A year', 100, 'CNY', 'open', NOW, NOW), (1, 'A month', 10, 'CNY', 'open', NOW, NOW)`,
	`INSERT INTO prepayments (order_id, out_trade_no, state, created) VALUES (1, 'first', 'live', NOW)`,
	`INSERT INTO prepayments (order_id, out_trade_no, state, created) VALUES (1, 'past', 'closed', NOW)`,
	`INSERT INTO payments (order_id, transaction_id, state, amount, currency, received)
		VALUES (1, 'given', 'applied', 100, 'CNY', NOW), (NULL, 'other', 'disputed', 1, 'USD', NOW)`,
	`INSERT INTO subscriptions (user_id, followed_id, created, updated) VALUES (1, 1, NOW, NOW)`,
	`INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified)
		VALUES (1, '2026-03-14', '', '', '', 0, 0, '', '', '', NOW, NOW)`,
}

const (
	mustExistThere = "23503"
	mustBeUnique   = "23505"
	mustBeInRange  = "23514"
	mustBeThere    = "23502"
)

// sameRefusal is the SQLite extended result code of each SQLSTATE.
var sameRefusal = map[string]int{mustExistThere: 787, mustBeUnique: 2067, mustBeInRange: 275, mustBeThere: 1299}

const newEvent = `INSERT INTO events (author_id, day, title, content, html, category_id, permission, status,
	province, city, district, created, modified) VALUES `

var refused = map[string]struct{ statement, code string }{
	"a permission that is none": {newEvent + `(1, '2026-03-14', '', '', '', NULL, 50, 0, '', '', '', NOW, NOW)`, mustBeInRange},
	"a status that is none":     {newEvent + `(1, '2026-03-14', '', '', '', NULL, 0, 1, '', '', '', NOW, NOW)`, mustBeInRange},
	"an author who isn't there": {newEvent + `(3, '2026-03-14', '', '', '', NULL, 0, 0, '', '', '', NOW, NOW)`, mustExistThere},
	"a category that isn't there": {
		newEvent + `(1, '2026-03-14', '', '', '', 9, 0, 0, '', '', '', NOW, NOW)`, mustExistThere},
	"an event without a day": {newEvent + `(1, NULL, '', '', '', NULL, 0, 0, '', '', '', NOW, NOW)`, mustBeThere},
	"a comment on no event": {
		`INSERT INTO comments (event_id, author_id, content, created) VALUES (9, 1, '', NOW)`, mustExistThere},
	"counts below nothing": {
		`INSERT INTO event_counts (event_id, author_id, likes) VALUES (1, 1, -1)`, mustBeInRange},
	"comments without a latest one": {
		`INSERT INTO event_counts (event_id, author_id, comments) VALUES (1, 1, 1)`, mustBeInRange},
	"a listing of an unknown kind": {
		`INSERT INTO feed_listings (kind, id, category_id, created, updated) VALUES ('rumour', 1, 0, NOW, NOW)`, mustBeInRange},
	"half a place": {
		`INSERT INTO feed_listings (kind, id, category_id, created, updated, lat) VALUES ('demand', 1, 0, NOW, NOW, 1)`, mustBeInRange},
	"a shard too many": {
		`INSERT INTO feed_counters VALUES (0, 'xfile', 8, 0, NULL, NULL, 1)`, mustBeInRange},
	"a counter below nothing": {
		`INSERT INTO feed_counters VALUES (0, 'xfile', 0, -1, NOW, NOW, 1)`, mustBeInRange},
	"following somebody twice": {
		`INSERT INTO subscriptions (user_id, followed_id, created, updated) VALUES (1, 1, NOW, NOW)`, mustBeUnique},
	"following nobody and nothing": {
		`INSERT INTO subscriptions (user_id, created, updated) VALUES (1, NOW, NOW)`, mustBeInRange},
	"a phone that is taken": {
		`UPDATE users SET phone = '+86-13800000001' WHERE id = 2`, mustBeUnique},
	"an order for nothing": {`UPDATE orders SET amount = 0 WHERE id = 1`, mustBeInRange},
	"an order in dollars":  {`UPDATE orders SET currency = 'USD' WHERE id = 1`, mustBeInRange},
	"an order in a state of its own": {
		`UPDATE orders SET state = 'forgotten' WHERE id = 1`, mustBeInRange},
	"two live prepayments of one order": {
		`INSERT INTO prepayments (order_id, out_trade_no, state, created) VALUES (1, 'second', 'preparing', NOW)`, mustBeUnique},
	"a closed prepayment that lives again beside another": {
		`UPDATE prepayments SET state = 'unknown' WHERE out_trade_no = 'past'`, mustBeUnique},
	"an out_trade_no that is repeated": {
		`INSERT INTO prepayments (order_id, out_trade_no, state, created) VALUES (2, 'first', 'live', NOW)`, mustBeUnique},
	"a prepayment in a state of its own": {
		`UPDATE prepayments SET state = 'maybe' WHERE out_trade_no = 'past'`, mustBeInRange},
	"a transaction id that is repeated": {
		`INSERT INTO payments (order_id, transaction_id, state, amount, currency, received) VALUES (2, 'given', 'refund_due', 1, 'CNY', NOW)`, mustBeUnique},
	"an order that is paid twice": {
		`INSERT INTO payments (order_id, transaction_id, state, amount, currency, received) VALUES (1, 'later', 'applied', 100, 'CNY', NOW)`, mustBeUnique},
	"a payment of no order": {
		`INSERT INTO payments (order_id, transaction_id, state, amount, currency, received) VALUES (9, 'later', 'applied', 100, 'CNY', NOW)`, mustExistThere},
	"an order whose payments would dangle": {`DELETE FROM orders WHERE id = 1`, mustExistThere},
	"a person whose events would dangle":   {`DELETE FROM users WHERE id = 1`, mustExistThere},
	"a token that is no hash": {
		`INSERT INTO tokens (hash, user_id, scopes, generation, ttl, created) VALUES ('abc', 1, NONE, 0, 1, NOW)`, mustBeInRange},
}

// inItsWords writes instants, empty lists, truth and bytes as the database has them.
func inItsWords(url, statement string) string {
	if strings.HasPrefix(url, "sqlite:") {
		return strings.NewReplacer("NOW", "1", "NONE", "'[]'", "'abc'", "x'616263'").Replace(statement)
	}
	return strings.NewReplacer("NOW", "now()", "NONE", "'{}'").Replace(statement)
}

// refusalOf is the SQLSTATE of the error, whichever database it came from.
func refusalOf(err error) string {
	if told, is := errors.AsType[*pgconn.PgError](err); is {
		return told.Code
	}
	if told, is := errors.AsType[*sqlitedriver.Error](err); is {
		for state, code := range sameRefusal {
			if code == told.Code() {
				return state
			}
		}
	}
	return ""
}

func TestConstraints(t *testing.T) {
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			open(t, at)
			db := rawSQL(t, at)
			for _, statement := range filler {
				execute(t, db, inItsWords(at, statement))
			}
			execute(t, db, inItsWords(at, strings.Replace(filler[0], "13800000001", "13800000002", 1)))
			for what, r := range refused {
				_, err := db.ExecContext(t.Context(), inItsWords(at, r.statement))
				assert.Equal(t, r.code, refusalOf(err), "%s: %v", what, err)
			}
		})
	}
}

// schemaTable is a table in words that both databases have in common.
type schemaTable struct {
	Columns  map[string]schemaColumn
	Primary  []string
	Numbered bool // the database gives out ids, and none twice
	Typed    bool // a column takes values of its own type only
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

// storedAs says how SQLite keeps the values of each type of Postgres.
var storedAs = map[string]string{
	"bigint": "integer", "integer": "integer", "smallint": "integer", "boolean": "integer",
	"timestamp with time zone": "integer", "double precision": "real", "bytea": "blob",
	"text": "text", "text[]": "text", "bigint[]": "text", "jsonb": "text", "date": "text",
}

// schemaOf is what stands in the database's own catalogue. The table of steps is
// part of it.
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

// eachRow calls found after each row has been read into the places.
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
		table.Columns[c.name] = schemaColumn{Type: stored, Required: c.required, Default: c.fallback}
		table.Numbered = table.Numbered || c.numbered
	}, &c.name, &c.kind, &c.required, &c.numbered, &c.fallback)
	table.Typed = true
	postgresConstraints(t, db, name, table)
	var i struct {
		name, columns, only string
		unique              bool
	}
	eachRow(t, db, `SELECT c.relname, x.indisunique, coalesce(pg_get_expr(x.indpred, x.indrelid), ''),
			(SELECT string_agg(a.attname || CASE WHEN k.n <= x.indnkeyatts AND x.indoption[k.n - 1] & 1 = 1 THEN ' DESC' ELSE '' END, ', ' ORDER BY k.n)
				FROM unnest(x.indkey) WITH ORDINALITY k(att, n) JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.att)
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
	eachRow(t, db, `SELECT "from", "table" || '.' || "to", on_delete FROM pragma_foreign_key_list(?)`, name, func() {
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
			(SELECT group_concat(x.name || CASE WHEN x.desc THEN ' DESC' ELSE '' END, ', ' ORDER BY x.seqno)
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

// plainly is a condition without what only Postgres writes into it.
func plainly(condition string) string {
	condition = regexp.MustCompile(`::\w+|[()]`).ReplaceAllString(condition, "")
	return strings.NewReplacer("= ANY ARRAY[", "IN ", "]", "").Replace(condition)
}
