package bunstore

import (
	"context"
	"database/sql"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/personaldata"
)

// Each table has 20,000 rows, of which user 1 has three. User 2 has half of them, and the others are evenly spread. All
// comments and likes are on few events: event 1 has most of the comments.
var crowd = []string{
	`INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location, timezone, joined, source)
		SELECT '+86-' || (100000 + n), '', '{list}', false, false, 0, '', '', '', '', 'UTC', {now}, 'source ' || n FROM {series of 10000}`,
	`INSERT INTO events (author_id, day, title, content, html, permission, status, province, city, district, created, modified)
		SELECT {owner}, '2026-01-01', 'A title', '', '', 0, 0, '', '', '', {now}, {now} FROM {series of 20000}`,
	`INSERT INTO presence (user_id, seen) SELECT id, {now} FROM users`,
	`INSERT INTO plates (event_id, photo, created) SELECT id, 'private/a', created FROM events`,
	`INSERT INTO comments (event_id, author_id, content, created)
		SELECT CASE n % 100 WHEN 0 THEN n ELSE 1 END, {owner}, 'Well said', {now} FROM {series of 20000}`,
	`INSERT INTO likes (event_id, user_id) SELECT n, {owner} FROM {series of 20000}`,
	`INSERT INTO event_counts (event_id, author_id) SELECT id, author_id FROM events`,
	`INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT n, CASE WHEN n <= 3 THEN 1 ELSE 2 + n % 8000 END, {now}, {now} FROM {series of 10000}`,
	`INSERT INTO images (owner_id, key, width, height, tags, created, deleted)
		SELECT {owner}, 'public/a', 1, 1, '{list}', {now}, CASE n % 2 WHEN 0 THEN {now} END FROM {series of 20000}`,
	`INSERT INTO publications (id, type, title, summary, author_id, language, published, deleted, created, updated)
		SELECT n, 0, 'A title', '', {owner}, 'en', true, false, {now}, {now} FROM {series of 20000}`,
	`INSERT INTO nodes (id, title, summary, author_id, language, published, deleted, created, updated)
		SELECT n, 'A title', '', {owner}, 'en', true, false, {now}, {now} FROM {series of 20000}`,
	`INSERT INTO demands (id, title, description, tags, images, author_id, address, closed, starts, ends, published, deleted, created, updated)
		SELECT n, 'A title', '', '{list}', '{list}', {owner}, '', {now}, {now}, {now}, true, false, {now}, {now} FROM {series of 20000}`,
	`INSERT INTO howtos (category, robot_id, bundles, created, updated) SELECT 'category ' || n, {owner}, '{list}', {now}, {now} FROM {series of 20000}`,
	`INSERT INTO tokens (hash, user_id, scopes, generation, ttl, created) SELECT {hash}, {owner}, '{list}', 0, 1, {now} FROM {series of 20000}`,
	`INSERT INTO token_uses SELECT id, {now} FROM tokens`,
	`INSERT INTO orders (user_id, subject, amount, currency, state, created, expires) SELECT {owner}, 'Tea', 1, 'CNY', 'closed', {now}, {now} FROM {series of 20000}`,
	`INSERT INTO prepayments (order_id, out_trade_no, end_type, app, open_id, state, request, prepay_id, code_url, mweb_url, created)
		SELECT id, 'no ' || id, 0, 'official_account', '', 'closed', '{blob}', '', 'a link', '', created FROM orders`,
	`INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
		SELECT id, 'transaction ' || id, '', 'refund_due', 1, 'CNY', created FROM orders`,
	`INSERT INTO refunds (payment_id, out_refund_no, amount, currency, reason, origin, state, wallet_refund_id, created, updated)
		SELECT id, 'refund ' || id, 1, 'CNY', 'Paid twice', 'command', 'succeeded', '', received, received FROM payments`,
	`INSERT INTO idempotency_keys (user_id, name, fingerprint, since) SELECT {owner}, 'key ' || n, {hash}, {now} FROM {series of 20000}`,
	`INSERT INTO rate_limits (user_id, action, until) SELECT {owner}, 'action ' || n, 0 FROM {series of 20000}`,
	`INSERT INTO login_failures (phone, source, failed, in_pair, in_unusual) SELECT '+86-' || (100000 + {owner}), '192.0.2.0/24', {now}, true, true FROM {series of 20000}`,
	`INSERT INTO usual_sources (phone, source, last_login) SELECT '+86-' || (100000 + {owner}), 'network ' || n, {now} FROM {series of 20000}`,
}

// crowded returns these statements for a database.
func crowded(list, now, series, hash, blob string) (statements []string) {
	for _, s := range crowd {
		before, n, found := strings.Cut(s, "{series of ")
		if found {
			s = before + strings.ReplaceAll(series, "?", strings.TrimSuffix(n, "}"))
		}
		statements = append(statements, strings.NewReplacer("{list}", list, "{now}", now, "{hash}", hash, "'{blob}'", blob,
			"{owner}", "CASE WHEN n <= 3 THEN 1 WHEN n % 2 = 0 THEN 2 ELSE 3 + n % 8000 END").Replace(s))
	}
	return statements
}

// personalPlan is a statement about user 1, whose arguments are SQL literals.
type personalPlan struct {
	name, statement string
	args            []string
	read            float64 // limit of the rows read, of all tables together
}

// personalPlans returns the reads first: the others change what they find.
func personalPlans(s *Store) (plans []personalPlan) {
	for _, k := range slices.Sorted(maps.Keys(s.sql.personRecords)) {
		args := []string{"1"}
		for _, key := range personalReads(s.dialect)[k].begin {
			args = append(args, map[bool]string{true: "''", false: "0"}[key == ""])
		}
		plans = append(plans, personalPlan{"records of " + string(k), s.sql.personRecords[k], append(args, "200"), 20})
	}
	for _, k := range []personaldata.Kind{personaldata.Likes, personaldata.Nodes, personaldata.Publications} {
		plans = append(plans, personalPlan{"a page from the middle of " + string(k), s.sql.personRecords[k], []string{"2", "10000", "200"}, 201})
	}
	for _, k := range slices.Sorted(maps.Keys(s.sql.personRemaining)) {
		plans = append(plans, personalPlan{"count of " + string(k), s.sql.personRemaining[k], []string{"1"}, 20})
	}
	for name, statement := range map[string]string{
		"events": s.sql.someEvents, "comments": s.sql.someComments, "likes": s.sql.someLikes, "images": s.sql.someImages,
	} {
		plans = append(plans, personalPlan{"some " + name, statement, []string{"1", "20"}, 20})
	}
	for kind, statement := range s.sql.someRecords {
		plans = append(plans, personalPlan{"some " + string(kind), statement, []string{"1", "20"}, 20})
	}
	for _, k := range slices.Sorted(maps.Keys(s.sql.personErase)) {
		plans = append(plans, personalPlan{"erasure of " + string(k), s.sql.personErase[k], []string{"1", "20"}, 40})
	}
	return plans
}

func TestPersonalData_of_Postgres_is_read_apart_from_that_of_others(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	s, conn := filledPostgres(t, crowded("{}", "now()", "generate_series(1, ?) n", "sha256(convert_to(n::text, 'UTF8'))", "'a request'")...)
	for _, q := range personalPlans(s) {
		t.Run(q.name, func(t *testing.T) {
			var read float64
			var used []string
			for _, scan := range explain(t, conn, q.statement, q.args...).scans() {
				assert.NotEqual(t, "Seq Scan", scan.Node, scan.Relation)
				if scan.Node != "ModifyTable" {
					read += scan.read()
					used = append(used, scan.Index)
				}
			}
			t.Logf("%v rows from %v", read, used)
			assert.LessOrEqual(t, read, q.read, "rows read of all tables")
		})
	}
}

func TestPersonalData_of_SQLite_is_read_apart_from_that_of_others(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	path := filepath.Join(t.TempDir(), "plaza.db")
	s, err := Open(t.Context(), Options{URL: "sqlite:" + path})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	withRawConn(t, path, func(ctx context.Context, db *sql.Conn) {
		series := "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT ?) SELECT n FROM s)"
		hash := "CAST(printf('%032d', n) AS blob)"
		for _, statement := range append([]string{"BEGIN"}, append(crowded("[]", "0", series, hash, "CAST('a request' AS blob)"), "COMMIT")...) {
			_, err := db.ExecContext(ctx, statement)
			require.NoError(t, err, statement)
		}
		for _, q := range personalPlans(s) {
			t.Run(q.name, func(t *testing.T) {
				var args []any
				for _, arg := range q.args {
					args = append(args, argument(arg))
				}
				r := sqliteRead{statement: q.statement, args: args}
				_, steps := run(t, db, r)
				t.Logf("%d steps", steps)
				assert.LessOrEqual(t, steps, 400+50*int(q.read), strings.Join(explainSQLite(t, db, r), "\n"))
			})
		}
	})
}
