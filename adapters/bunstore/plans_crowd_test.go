package bunstore

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	testserver "plaza/test/postgres"
)

// People of the crowd, whose IDs go up to 60,000. Those up to 40,000 are called Maximilian, and of them only the last hundred have
// accounts that are not disabled; the others are called Borislava. Behind 10,000 come the 50,000 fans.
const (
	idol     = 1 // is followed by all fans, follows each tenth of them back, and has a huge diary
	eager    = 2 // follows the idol, the first 5,000 fans, of whom each second follows back, and 2,500 with the other name
	shy      = 3 // blocks 5,000 fans
	disliked = 4 // is blocked by 40,000 fans
	stranger = 5 // follows no one, and is not followed
	noticed  = 6 // has 900 notifications, and 15,000 withdrawn ones
	fan      = 20_001

	follows, crowdOfDay, quarrellers = 7501, 20_000, 3000
)

// Days with 99 events of fans, a third of them public. On all but the first day there are later events, which some viewers may not see.
const (
	quietDay    = "2026-01-01"
	privateDay  = "2026-03-01" // of one fan whom eager follows
	strangerDay = "2026-03-03" // for contacts, of 5,000 fans who have none
	contactDay  = "2026-03-05" // for contacts, of a contact of eager
	quarrelDay  = "2026-03-07" // for all, of 3,000 fans, half of whom shy blocks, and who all block disliked
)

// crowd are the statements that fill a database with many rows, of which each read needs few. Words in braces differ between the
// databases.
func crowd() []string {
	events := func(author, day, permission, at string, n int) string {
		return fmt.Sprintf(`INSERT INTO events (author_id, day, title, content, html, permission, status, hidden, province, city, district,
				created, modified, published_at)
			SELECT %s, %s, 'A title', '', '', %s, 100, FALSE, '', '', '', %[4]s, %[4]s, %[4]s FROM {series %d}`, author, day, permission, at, n)
	}
	statements := []string{events("10001 + n % 6000", "{day n % 700}", "n / 6000 % 3 * 100", "{ago n}", 60_000)}
	for _, day := range []string{quietDay, privateDay, strangerDay, contactDay, quarrelDay} {
		statements = append(statements, events("10000 + n * 53", "'"+day+"'", "n % 3 * 100", "{ago n}", 99))
	}
	return slices.Concat(statements, []string{
		events("1", "{day n % 3000}", "0", "{ago -n}", 20_000),
		events("10003", "'"+privateDay+"'", "200", "{ago -n}", crowdOfDay),
		events("20001 + n % 5000", "'"+strangerDay+"'", "100", "{ago -n}", crowdOfDay),
		events("10002", "'"+contactDay+"'", "100", "{ago -n}", crowdOfDay),
		events("20000 + n", "'"+quarrelDay+"'", "0", "{ago -n}", quarrellers),
	}, strings.Split(crowdOfPeople+crowdOfThings, ";\n"))
}

const crowdOfPeople = `
INSERT INTO users (phone, password_hash, scopes, disabled, generation, firstname, lastname, expertise, location, timezone, joined)
	SELECT '+86-' || n, '', {list}, n <= 39900, 0,
		CASE WHEN n <= 40000 THEN 'Maximilian' ELSE 'Borislava' END, '', '', '', 'UTC', {ago n} FROM {series 60000};
UPDATE users SET roles = {cashier} WHERE id % 500 = 0;
INSERT INTO presence (user_id, seen) SELECT id, joined FROM users;
INSERT INTO name_prefixes (prefix, user_id) SELECT CASE WHEN id <= 40000 THEN 'ma' ELSE 'bo' END, id FROM users
	UNION ALL SELECT CASE WHEN id <= 40000 THEN 'maximili' ELSE 'borislav' END, id FROM users;
INSERT INTO tokens (hash, user_id, scopes, narrowed, generation, ttl, created)
	SELECT {hash n}, n, {list}, FALSE, 0, 1, {ago n} FROM {series 20000};
INSERT INTO token_uses (token_id, used) SELECT id, created FROM tokens;
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 10000 + n, 1, {ago n}, {ago n} FROM {series 50000};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 1, 10000 + 10 * n, {ago n}, {ago n} FROM {series 5000};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 2, 10000 + n, {ago n}, {ago n} FROM {series 5000};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 2, 40000 + 2 * n, {ago n}, {ago n} FROM {series 2500};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 2, 1, {ago n}, {ago n} FROM {series 1};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 10000 + 2 * n, 2, {ago n}, {ago n} FROM {series 2500};
INSERT INTO contacts (user_id, contact_id) SELECT s.user_id, s.followed_id FROM subscriptions s
	JOIN subscriptions back ON back.user_id = s.followed_id AND back.followed_id = s.user_id WHERE TRUE ON CONFLICT DO NOTHING;
INSERT INTO blocks (user_id, other_id, is_by_user, created) SELECT 3, 20000 + 2 * n, TRUE, {ago n} FROM {series 5000}
	UNION ALL SELECT 20000 + 2 * n, 3, FALSE, {ago n} FROM {series 5000};
INSERT INTO blocks (user_id, other_id, is_by_user, created) SELECT 20000 + n, 4, TRUE, {ago n} FROM {series 40000}
	UNION ALL SELECT 4, 20000 + n, FALSE, {ago n} FROM {series 40000};
INSERT INTO event_counts (event_id, author_id, comments, likes, commented) SELECT id, author_id, 1, 1, created FROM events;
INSERT INTO plates (event_id, photo, created) SELECT id, 'private/a', created FROM events WHERE id <= 40000;
INSERT INTO likes (event_id, user_id) SELECT id, 1 FROM events WHERE id <= 40000;
INSERT INTO comments (event_id, author_id, content, created) SELECT 1, 20000 + n, 'Hm', {ago n} FROM {series 3000};
INSERT INTO comments (event_id, author_id, content, created) SELECT 2 + n % 1999, 10000 + n, 'Hm', {ago n} FROM {series 20000};
INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires, withdrawn)
	SELECT 6, 'like', 20000 + n, 13, {ago n}, {ago -n}, TRUE FROM {series 15000};
UPDATE notification_counts SET total = 0, unread = 0;
INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires)
	SELECT 6, 'comment', 20000 + n, n, {ago n}, {ago -n} FROM {series 900};
INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires)
	SELECT 20000 + n, 'comment', 1, 10000 + n, {ago n}, {ago -n} FROM {series 20000};
INSERT INTO notification_counts (owner_id, total, unread) SELECT 6, 900, 900 FROM {series 1} WHERE TRUE ON CONFLICT DO NOTHING;
INSERT INTO code_uses (use, number, prefix, source, at)
	SELECT 'tried', '8613800000001', '861380000', '2001:db8:1::/48', {ago n} FROM {series 50000};
INSERT INTO code_uses (use, number, prefix, source, at)
	SELECT 'tried', '86139' || (10000000 + n), '86139' || (1000 + n % 9000), '192.0.2.' || n % 250, {ago n} FROM {series 50000};
INSERT INTO report_cases (kind, object_id, owner_id, first_reported, last_reported, spam, decided, outcome)
	SELECT 'event', n, 2, {ago n}, {ago n}, 1, {ago n}, 'dismissed' FROM {series 20000};
INSERT INTO report_cases (kind, object_id, owner_id, first_reported, last_reported, illegal)
	SELECT CASE WHEN n % 1000 = 0 THEN 'image' ELSE 'comment' END, n, 2, {ago n}, {ago n}, CASE WHEN n % 1000 = 1 THEN 1 ELSE 0 END
	FROM {series 20000};
INSERT INTO reports (author_id, kind, object_id, case_id, reason, content, created)
	SELECT 10000 + n, 'event', 1, 1, 'spam', 'An ad', {ago n} FROM {series 20000};
INSERT INTO reports (author_id, kind, object_id, case_id, reason, content, created)
	SELECT 2, 'comment', n, 20000 + n, 'spam', 'An ad', {ago n} FROM {series 20000};
INSERT INTO kept_versions (case_id, digest, content, created)
	SELECT 20000 + n, {hash n}, '{}', {ago n} FROM {series 20000};
INSERT INTO hidden_things (kind, object_id, owner_id, reason, hidden_at)
	SELECT 'image', n, 1 + n % 500, 'Rude', {ago n} FROM {series 20000};
INSERT INTO orders (user_id, subject, amount, currency, state, created, expires)
	SELECT 10000 + n % 20000, 'Tea', 1 + n * 7919 % 100000, 'CNY', CASE WHEN n % 500 = 0 THEN 'open' ELSE 'paid' END, {ago n}, {ago n}
	FROM {series 60000};
INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received, user_id)
	SELECT id, 't' || id, 'o' || id, CASE state WHEN 'paid' THEN 'applied' ELSE 'refund_due' END, amount, currency, created, user_id
	FROM orders;
INSERT INTO refunds (payment_id, out_refund_no, amount, currency, reason, origin, state, wallet_refund_id, created, updated, user_id)
	SELECT id, 'r' || id, amount, currency, 'Cold', 'automatic', 'succeeded', '', received, received, user_id FROM payments WHERE id % 3 = 0;
INSERT INTO images (owner_id, key, width, height, tags, created)
	SELECT 1 + n % 500, 'public/a', 1, 1, {list}, {ago n} FROM {series 20000};
`

// crowdOfThings has most items in the first of 200 categories, and each 25th demand within 5 km of the lake, as many in its latitudes
// but elsewhere, and the others within a thousand kilometres.
const crowdOfThings = `
INSERT INTO categories (id, name, slug) SELECT n, 'Nº ' || n, '' FROM {series 200};
CREATE TEMPORARY TABLE things AS SELECT n AS id, CASE n % 3 WHEN 0 THEN 1 ELSE 1 + n * 31 / 8 % 200 END AS category_id,
	{ago n * 60} AS created, {ago n * 7919 % 100000 * 60} AS updated,
	CASE n % 25 WHEN 0 THEN 30.5 + 0.0440 * sqrt(n / 20000.0) * sin(n) WHEN 1 THEN 30.5 + 0.04 * sin(n)
		ELSE 25 + n * 4001 % 99991 / 9999.1 END AS lat,
	CASE n % 25 WHEN 0 THEN 120.5 + 0.0511 * sqrt(n / 20000.0) * cos(n) ELSE 115 + n * 3989 % 99989 / 9998.9 END AS lng
	FROM {series 20000};
INSERT INTO bundles (id, first_original_id) SELECT id, CASE WHEN id % 2 = 0 THEN id - 1 END FROM things;
INSERT INTO publications (id, bundle_id, first_original_id, type, title, summary, author_id, language, category_id,
		published, deleted, created, updated)
	SELECT id, id, CASE WHEN id % 2 = 0 THEN id - 1 END, 0, 'A title', 'A summary', id, 'en', category_id, TRUE, FALSE, created, updated
	FROM things;
INSERT INTO publication_texts SELECT id, 'A text' FROM things;
INSERT INTO nodes (id, bundle_id, title, summary, author_id, language, category_id, published, deleted, created, updated)
	SELECT id, id, 'A title', 'A summary', id, 'en', category_id, TRUE, FALSE, created, updated FROM things;
INSERT INTO node_texts SELECT id, 'A text' FROM things;
INSERT INTO demands (id, title, description, tags, images, author_id, address, category_id, lat, lng, closed, starts, ends,
		published, deleted, created, updated)
	SELECT id, 'A title', '', {list}, {list}, id, '', category_id, lat, lng, created, created, created, TRUE, FALSE, created, updated
	FROM things;
INSERT INTO feed_listings (kind, id, category_id, created, updated) SELECT kind, id, category_id, created, updated
	FROM things, (SELECT 'publication' AS kind UNION ALL SELECT 'node' UNION ALL SELECT 'xfile') kinds;
INSERT INTO feed_listings (kind, id, category_id, created, updated)
	SELECT 'origin', id, category_id, created, updated FROM things WHERE id % 2 = 1;
INSERT INTO feed_listings (kind, id, category_id, created, updated, lat, lng)
	SELECT 'demand', id, category_id, created, updated, lat, lng FROM things;
INSERT INTO feed_counters SELECT category_id, kind, id % 16, count(*), max(created), max(updated) FROM feed_listings GROUP BY 1, 2, 3;
INSERT INTO feed_totals SELECT kind, id % 16, count(*), 1 FROM feed_listings WHERE kind <> 'xfile' GROUP BY 1, 2;
INSERT INTO feed_totals VALUES ('category', 0, 0, 200);
INSERT INTO search_entries ({columns}kind, id, created, author_id, private, words)
	SELECT {place n}'xfile', n, {ago n}, 10000 + n, false, {words 'a 大 b' || (n % 2) || ' c' || (n % 3) || ' d' || (n % 5) || ' e' || (n % 7) ||
		CASE WHEN n = 30000 THEN ' rare' WHEN n > 59900 THEN ' old' ELSE '' END} FROM {series 60000};
INSERT INTO translations SELECT {hash n}, 'A text', {ago -n} FROM {series 20000};
INSERT INTO news (site_name, site_logo, url, title, released, html, category, city, district, province, country)
	SELECT '', '', '', '', {day n % 2000}, '', '', CASE n % 10 WHEN 0 THEN '杭州市' ELSE '' END, '', '', '' FROM {series 20000}`

// inBraces matches a word and what it is about.
var inBraces = regexp.MustCompile(`\{(\w+) ?([^}]*)\}`)

// words are what stands in braces, with $ for what they are about.
var words = map[string]engine.Text{
	"series": {
		Postgres: "generate_series(1, $) n",
		SQLite:   "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT $) SELECT n FROM s)",
	},
	"ago": {
		Postgres: "timestamptz '2026-03-14 12:00Z' - ($) * interval '1 second'", SQLite: fmt.Sprint("(", noon.UnixMicro(), " - ($) * 1000000)"),
	},
	"cashier": {Postgres: "ARRAY['cashier']", SQLite: `'["cashier"]'`},
	"day":     {Postgres: "date '2024-01-01' + ($)", SQLite: "date('2024-01-01', ($) || ' days')"},
	"columns": {SQLite: "place, "},
	"place":   {SQLite: fmt.Sprint("(", noon.UnixMicro(), " - ($) * 1000000) * 32, ")},
	"words":   {Postgres: "array_to_tsvector(string_to_array($, ' '))", SQLite: "$"},
	"hash":    {Postgres: "decode(lpad(to_hex($), 64, '0'), 'hex')", SQLite: "unhex(printf('%064x', $))"},
	"list":    {Postgres: "'{}'", SQLite: "'[]'"},
}

func inWordsOf(s *Store, statement string) string {
	return inBraces.ReplaceAllStringFunc(statement, func(found string) string {
		part := inBraces.FindStringSubmatch(found)
		return strings.ReplaceAll(s.Pick(words[part[1]]), "$", part[2])
	})
}

// crowdedPostgres returns a store on a database of its own with the crowd, and a connection. All tables are vacuumed, as autovacuum
// does later, and analysed from all their rows: a sample would be another one in each run.
func crowdedPostgres(t *testing.T) (*Store, *pgx.Conn) {
	t.Helper()
	url := testserver.New(t, MigrateAt) // what is deleted stays in a database that is lent
	s := Opened(t, engine.Options{URL: url})
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close(t.Context()) })
	// VACUUM skips rows that are not yet durable. Triggers take half of the time.
	for _, statement := range slices.Concat([]string{"SET synchronous_commit = on", "SET default_statistics_target = 2000",
		"SET session_replication_role = replica"}, crowd(), []string{"VACUUM ANALYZE"}) {
		_, err := conn.Exec(t.Context(), inWordsOf(s, statement))
		require.NoError(t, err, statement)
	}
	return s, conn
}

// crowdedSQLite returns a store on a database file of its own with the crowd, and a connection of its reader.
func crowdedSQLite(t *testing.T) (*Store, *sql.Conn) {
	t.Helper()
	url := MigratedSQLite(t)
	s := Opened(t, engine.Options{URL: url})
	path := strings.TrimPrefix(url, "sqlite:")
	db, err := sql.Open("sqlite", engine.SQLiteURL(path, "synchronous(off)", "temp_store(memory)", "cache_size(-200000)"))
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	for _, statement := range crowd() {
		_, err := db.ExecContext(t.Context(), inWordsOf(s, statement))
		require.NoError(t, err, statement)
	}
	require.NoError(t, db.Close())
	return s, readerOf(t, s)
}

func readerOf(t *testing.T, s *Store) *sql.Conn {
	t.Helper()
	conn, err := s.Dialect.(engine.SQLite).Reader.Conn(context.Background())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	return conn
}
