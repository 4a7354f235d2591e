package bunstore

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// populousSQLite is populousPostgres with {many} records of each kind. Without statistics
// SQLite makes the same plan for any size; only a large database shows the plan's cost.
const populousSQLite = `
CREATE TEMPORARY TABLE series (n integer PRIMARY KEY);
INSERT INTO series WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT {many}) SELECT n FROM s;
INSERT INTO users (id, phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location, timezone, joined)
	SELECT n, '+86-' || n, '', '[]', false, false, 0, '', '', '', '', 'UTC', 0 FROM series WHERE n <= {many} / 5;
INSERT INTO presence (user_id, seen) SELECT id, 0 FROM users;
INSERT INTO tokens (hash, user_id, scopes, generation, ttl, created)
	SELECT CAST(format('%032d', n) AS blob), 1 + n % ({many} / 5), '[]', 0, 1, n FROM series WHERE n <= {many} / 5 * 2;
INSERT INTO token_uses SELECT id, 0 FROM tokens;
INSERT INTO categories (id, name, slug) SELECT n, 'Nº ' || n, '' FROM series WHERE n <= 200;
CREATE TEMPORARY TABLE things AS SELECT n AS id, CASE n % 3 WHEN 0 THEN 1 ELSE 1 + n * 31 / 8 % 200 END AS category_id,
	-n AS created, -(n * 7919 % 100003) AS updated, 30 + n * 7907 % 9973 / 9973.0 AS lat, 120 + n * 6997 % 9967 / 9967.0 AS lng FROM series;
INSERT INTO publications (id, type, title, summary, author_id, language, category_id, published, deleted, created, updated)
	SELECT id, 0, 'A title', 'A summary', 1, 'en', category_id, true, false, created, updated FROM things;
INSERT INTO nodes (id, title, summary, author_id, language, category_id, published, deleted, created, updated)
	SELECT id, 'A title', 'A summary', 1, 'en', category_id, true, false, created, updated FROM things;
INSERT INTO demands (id, title, description, tags, images, author_id, address, category_id, lat, lng, closed, starts, ends, published, deleted, created, updated)
	SELECT id, 'A title', 'A description', '[]', '[]', 1, '', category_id, lat, lng, 0, 0, 0, true, false, created, updated FROM things;
INSERT INTO feed_listings SELECT 'demand', id, category_id, created, updated, lat, lng FROM things;
INSERT INTO feed_listings SELECT 'node', id, category_id, created, updated, NULL, NULL FROM things;
INSERT INTO feed_listings SELECT 'origin', id, category_id, created, updated, NULL, NULL FROM things WHERE id % 2 = 1;
INSERT INTO feed_listings SELECT 'publication', id, category_id, created, updated, NULL, NULL FROM things;
INSERT INTO feed_listings SELECT 'xfile', id, category_id, created, updated, NULL, NULL FROM things;
INSERT INTO feed_counters SELECT category_id, kind, 0, count(*), max(created), max(updated), 1 FROM feed_listings GROUP BY 1, 2;
INSERT INTO feed_totals SELECT kind, 0, count(*), count(*) FROM feed_listings WHERE kind <> 'xfile' GROUP BY 1;
INSERT INTO feed_totals VALUES ('category', 0, 0, 200);
INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified)
	SELECT 1 + n % ({many} / 100), date('2026-01-01', '+' || (n % ({many} / 33)) || ' days'), 'A title', '', '', (n / 7 % 3) * 100, CASE n / 11 % 5 WHEN 0 THEN 0 ELSE 100 END, '', '', '', -n, 0 FROM series;
INSERT INTO event_counts (event_id, author_id, comments, commented) SELECT id, author_id, 1, created FROM events;
INSERT INTO plates (event_id, photo, created) SELECT id, 'private/a', created FROM events;
INSERT INTO comments (event_id, author_id, content, created) SELECT id, 1, 'Well said', created FROM events;
INSERT INTO news (site_name, site_logo, url, title, released, html, category, city, district, province, country)
	SELECT '', '', '', '', date('2026-01-01', '+' || (n % ({many} / 33)) || ' days'), '', '', CASE n / 13 % 10 WHEN 0 THEN '杭州市' ELSE '' END, '', '', '' FROM series;
INSERT INTO translations (key, content, expires) SELECT CAST(format('%032d', n) AS blob), 'A text', 1 FROM series;
INSERT INTO subscriptions (user_id, followed_id, created, updated)
	SELECT n, 1 + n % ({many} / 100), n, n FROM series WHERE n BETWEEN {many} / 100 + 1 AND {many} / 5;
INSERT INTO images (owner_id, key, width, height, tags, created)
	SELECT 1 + n % ({many} / 200), 'public/a', 1, 1, json_array('t' || (n % 7), 't' || (n % 11)), -n FROM series;`

// many is the number of records of each kind.
const many = 40_000

// populatedSQLite returns a store on a database file with these records, and a connection of its
// reader. It creates the indexes last, which takes a third of the time.
func populatedSQLite(t *testing.T) (*Store, *sql.Conn) {
	t.Helper()
	url := MigratedSQLite(t)
	path := strings.TrimPrefix(url, "sqlite:")
	statements := []string{"BEGIN"}
	var indexes []string
	withRawConn(t, path, func(ctx context.Context, db *sql.Conn) {
		rows, err := db.QueryContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var name, definition string
			require.NoError(t, rows.Scan(&name, &definition))
			statements, indexes = append(statements, "DROP INDEX "+name), append(indexes, definition)
		}
		require.NoError(t, rows.Err())
	})
	filling := strings.ReplaceAll(populousSQLite, "{many}", strconv.Itoa(many))
	statements = slices.Concat(statements, strings.Split(filling, ";\n"), indexes, []string{"COMMIT"})
	withRawConn(t, path, func(ctx context.Context, db *sql.Conn) {
		for _, statement := range statements {
			_, err := db.ExecContext(ctx, statement)
			require.NoError(t, err, statement)
		}
	})
	return openReader(t, url)
}

// filledSQLite returns a store on a database file of its own that has executed the statements, and a
// connection of its reader.
func filledSQLite(t *testing.T, statements ...string) (*Store, *sql.Conn) {
	t.Helper()
	url := MigratedSQLite(t)
	withRawConn(t, strings.TrimPrefix(url, "sqlite:"), func(ctx context.Context, db *sql.Conn) {
		for _, statement := range statements {
			_, err := db.ExecContext(ctx, statement)
			require.NoError(t, err, statement)
		}
	})
	return openReader(t, url)
}

// openReader returns a store and a connection of its reader.
func openReader(t *testing.T, url string) (*Store, *sql.Conn) {
	t.Helper()
	s, err := Open(t.Context(), Options{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	conn, err := s.dialect.(sqlite).reader.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return s, conn
}

// withRawConn opens the database without the store, on one connection.
func withRawConn(t *testing.T, path string, fn func(context.Context, *sql.Conn)) {
	t.Helper()
	db, err := sql.Open("sqlite", sqliteURL(path, "synchronous(off)", "temp_store(memory)", "cache_size(-200000)"))
	require.NoError(t, err)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	defer conn.Close()
	fn(t.Context(), conn)
}
