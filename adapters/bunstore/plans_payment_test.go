//go:build !race

package bunstore

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

// populousOrders is large enough to make Postgres choose between plans: 30,000 closed orders of
// 300 of 301 users with everything that an order may have, and thirty orders that are due.
const populousOrders = `
INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location, timezone, joined)
	SELECT '+86-138' || n, '', '{}', false, false, 1, '', '', '', '', 'UTC', now() FROM generate_series(10000001, 10000301) n;
INSERT INTO orders (user_id, subject, amount, currency, state, created, expires, look)
	SELECT 2 + n % 300, 'Tea', 990, 'CNY', (ARRAY['closed', 'paid', 'open'])[1 + n / 300 % 3], now() - n * interval '1 minute', now(), CASE WHEN n % 1000 = 0 THEN now() END FROM generate_series(1, 30000) n;
INSERT INTO prepayments (order_id, out_trade_no, end_type, app, open_id, state, request, prepay_id, code_url, mweb_url, created)
	SELECT id, 'p' || id, 0, 'official_account', '', 'closed', 'a request', '', '', '', created FROM orders;
INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
	SELECT id, 't' || id, 'p' || id, CASE WHEN id % 100 = 0 THEN 'disputed' ELSE 'applied' END, 990, 'CNY', created FROM orders;
INSERT INTO journal (order_id, happened, noted, out_trade_no, detail) SELECT id, created, 'ordered', '', '' FROM orders;
INSERT INTO idempotency_keys (user_id, name, fingerprint, since) SELECT 1, 'k' || id, sha256('k'), created FROM orders;
ANALYZE;`

func TestPAY11_a_ledger_is_read_by_its_indexes(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	s, conn := filledPostgres(t, populousOrders, "VACUUM payments", "VACUUM orders")
	w := s.sql
	for _, r := range []postgresRead{
		{"the order", w.order, []string{"77"}, []string{"orders_pkey"}, 1, nil},
		{"its prepayments", w.prepayments, []string{"77"}, []string{"prepayments_of_order"}, 1, nil},
		{"its payments", w.payments, []string{"77"}, []string{"payments_of_order"}, 1, nil},
		{"its journal", w.journal, []string{"77"}, []string{"journal_of_order"}, 1, nil},
		{"the order of a prepayment", w.orderOf, []string{"'p77'"}, []string{"prepayments_out_trade_no_key"}, 1, nil},
		{"the payment of a transaction", w.ofTransaction, []string{"'t77'"}, []string{"payments_transaction_id_key"}, 1, nil},
		{"an account's orders", w.orders, []string{"2", "20", "20"}, []string{"orders_newest"}, 2*100 + 40, nil},
		{"those in a state", w.ordersIn, []string{"2", "20", "0", "'closed'"}, []string{"orders_of_user"}, 2*100 + 40, nil},
		{"due", w.due, []string{"now()", "20"}, []string{"orders_due"}, 20, nil},
		{"payments of a verdict", w.pageOf[payment.Disputed], []string{"20", "20"}, []string{"payments_of_state"}, 2*300 + 40, nil},
		{"payments", w.page, []string{"20", "20"}, []string{"payments_newest"}, 30_000 + 40, []string{"payments"}},
		{"a key", w.key, []string{"1", "'k77'"}, []string{"idempotency_keys_pkey"}, 1, nil},
	} {
		t.Run(r.name, func(t *testing.T) {
			var read float64
			var used []string
			for _, scan := range explain(t, conn, r.statement, r.args...).scans() {
				assert.True(t, scan.Node != "Seq Scan" || slices.Contains(r.whole, scan.Relation), scan.Relation)
				used = append(used, scan.Index)
				read += scan.read()
			}
			for _, index := range r.indexes {
				assert.Contains(t, used, index)
			}
			assert.LessOrEqual(t, read, r.read, "rows read")
		})
	}
}

func TestPAY11_a_ledger_of_SQLite_is_read_by_its_indexes(t *testing.T) {
	s, _ := openWithUser(t, Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "plaza.db")})
	conn, err := s.dialect.(sqlite).reader.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	w := s.sql
	for _, r := range []sqliteRead{
		{name: "the order", statement: w.order, args: []any{77}, by: []string{"SEARCH orders USING INTEGER PRIMARY KEY (rowid=?)"}},
		{name: "its prepayments", statement: w.prepayments, args: []any{77}, by: []string{"SEARCH prepayments USING INDEX prepayments_of_order (order_id=?)"}},
		{name: "its payments", statement: w.payments, args: []any{77}, by: []string{"SEARCH payments USING INDEX payments_of_order (order_id=?)"}},
		{name: "its journal", statement: w.journal, args: []any{77}, by: []string{"SEARCH journal USING INDEX journal_of_order (order_id=?)"}},
		{
			name: "the order of a prepayment", statement: w.orderOf, args: []any{"p77"},
			by: []string{"SEARCH prepayments USING INDEX sqlite_autoindex_prepayments_1 (out_trade_no=?)"},
		},
		{
			name: "the payment of a transaction", statement: w.ofTransaction, args: []any{"t77"},
			by: []string{"SEARCH payments USING INDEX sqlite_autoindex_payments_1 (transaction_id=?)"},
		},
		{
			name: "an account's orders", statement: w.orders, args: []any{1, 20, 20},
			by: []string{"SEARCH orders USING INDEX orders_newest (user_id=?)", "SEARCH orders USING COVERING INDEX orders_newest (user_id=?)"},
		},
		{
			name: "those in a state", statement: w.ordersIn, args: []any{1, 20, 20, "open"},
			by: []string{"SEARCH orders USING INDEX orders_of_user (user_id=? AND state=?)", "SEARCH orders USING COVERING INDEX orders_of_user (user_id=? AND state=?)"},
		},
		{name: "due", statement: w.due, args: []any{0, 20}, by: []string{"SEARCH orders USING COVERING INDEX orders_due (look<?)"}},
		{
			name: "payments of a verdict", statement: w.pageOf[payment.Disputed], args: []any{20, 20},
			by: []string{"SEARCH payments USING INDEX payments_of_state (state=?)", "SEARCH payments USING COVERING INDEX payments_of_state (state=?)"},
		},
		{
			name: "payments: those before the page are stepped over, and all are counted", statement: w.page, args: []any{20, 20},
			by: []string{"SCAN payments USING INDEX payments_newest", "SCAN payments USING COVERING INDEX payments_newest"},
		},
		{
			name: "a key", statement: w.key, args: []any{1, "k"},
			by: []string{"SEARCH idempotency_keys USING INDEX sqlite_autoindex_idempotency_keys_1 (user_id=? AND name=?)"},
		},
	} {
		assert.ElementsMatch(t, r.by, explainSQLite(t, conn, r), r.name)
	}
}
