package bunstore

import (
	"context"
	"crypto/sha256"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/uptrace/bun"

	"plaza/domain/idempotency"
	"plaza/domain/page"
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
INSERT INTO refunds (payment_id, out_refund_no, amount, currency, reason, origin, state, wallet_refund_id, created, updated, sent)
	SELECT id, 'r' || id, 1, 'CNY', 'Cold', 'command', 'succeeded', 'w' || id, received, received, received FROM payments;
INSERT INTO findings (day, kind, transaction_id, out_refund_no, expected, found, seen, resolved)
	SELECT to_char(received, 'YYYY-MM-DD'), 'amount', transaction_id, '', '', '', received, CASE WHEN id % 1000 > 0 THEN received END FROM payments;
INSERT INTO journal (order_id, happened, noted, out_trade_no, detail) SELECT id, created, 'ordered', '', '' FROM orders;
INSERT INTO idempotency_keys (user_id, name, fingerprint, since) SELECT 1, 'k' || id, sha256('k'), created FROM orders;`

// recorder records the texts of the SELECTs that a store sends.
type recorder struct {
	dialect
	mu    sync.Mutex
	texts []string
}

// record makes the store send everything past a recorder.
func record(s *Store) *recorder {
	r := &recorder{dialect: s.dialect}
	s.dialect = r
	s.db, s.reader = s.db.WithQueryHook(r), s.reader.WithQueryHook(r)
	return r
}

// note keeps the statement of a query with its values, as EXPLAIN takes it.
func (r *recorder) note(text string, values []any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(values); i > 0; i-- {
		if value, is := values[i-1].(string); is {
			text = strings.ReplaceAll(text, "$"+strconv.Itoa(i), "'"+value+"'")
		}
	}
	if strings.HasPrefix(text, "SELECT") {
		r.texts = append(r.texts, text)
	}
}

func (r *recorder) BeforeQuery(ctx context.Context, event *bun.QueryEvent) context.Context {
	r.note(bind(event.Query))
	return ctx
}

func (*recorder) AfterQuery(context.Context, *bun.QueryEvent) {}

func (r *recorder) transactAll(ctx context.Context, db *bun.DB, steps []step) error {
	for _, s := range steps {
		r.note(s.statement, s.args)
	}
	return r.dialect.transactAll(ctx, db, steps)
}

func (r *recorder) transact(ctx context.Context, db *bun.DB, first []step, fn func(context.Context, *transaction) ([]step, error)) error {
	return r.dialect.transact(ctx, db, first, func(ctx context.Context, tx *transaction) ([]step, error) {
		run := tx.run
		tx.run = func(ctx context.Context, steps ...step) error {
			for _, s := range steps {
				r.note(s.statement, s.args)
			}
			return run(ctx, steps...)
		}
		return fn(ctx, tx)
	})
}

// ledgerRead is a call of the ledger with the expected plans of its SELECTs.
type ledgerRead struct {
	name     string
	call     func(Ledger) error
	postgres []postgresPlan
	sqlite   [][]string // the accesses of each
}

type postgresPlan struct {
	index string
	read  float64 // limit of the rows read
	whole []string
}

func ledgerReads(t *testing.T) []ledgerRead {
	ctx, now := t.Context(), time.Now()
	second, err := page.New(2, 20)
	require.NoError(t, err)
	return []ledgerRead{
		{
			"an order", func(l Ledger) error { _, err := l.Order(ctx, 77); return err },
			[]postgresPlan{{"orders_pkey", 1, nil}}, [][]string{{"SEARCH o USING INTEGER PRIMARY KEY (rowid=?)"}},
		},
		{
			"a trade", func(l Ledger) error { return l.Change(ctx, 77, func(*payment.Trade) error { return nil }) },
			[]postgresPlan{{"orders_pkey", 1, nil}, {"prepayments_of_order", 1, nil}, {"payments_of_order", 1, nil}},
			[][]string{
				{"SEARCH o USING INTEGER PRIMARY KEY (rowid=?)"}, {"SEARCH p USING INDEX prepayments_of_order (order_id=?)"},
				{"SEARCH p USING INDEX payments_of_order (order_id=?)"},
			},
		},
		{
			"its journal", func(l Ledger) error { _, err := l.Journal(ctx, 77); return err },
			[]postgresPlan{{"journal_of_order", 1, nil}}, [][]string{{"SEARCH j USING INDEX journal_of_order (order_id=?)"}},
		},
		{
			"the order of a prepayment", func(l Ledger) error { _, err := l.OrderOf(ctx, "p77"); return err },
			[]postgresPlan{{"prepayments_out_trade_no_key", 1, nil}},
			[][]string{{"SEARCH p USING INDEX sqlite_autoindex_prepayments_1 (out_trade_no=?)"}},
		},
		{
			"the payment of a transaction",
			func(l Ledger) error {
				_, err := l.AddUnmatched(ctx, payment.Payment{TransactionID: "t77", State: payment.Disputed, Received: now})
				return err
			},
			[]postgresPlan{{"payments_transaction_id_key", 1, nil}},
			[][]string{{"SEARCH p USING INDEX sqlite_autoindex_payments_1 (transaction_id=?)"}},
		},
		{
			"an account's open orders", func(l Ledger) error { _, err := l.OpenOrders(ctx, 2); return err },
			[]postgresPlan{{"orders_of_user", 100, nil}}, [][]string{{"SEARCH o USING INDEX orders_of_user (user_id=? AND state=?)"}},
		},
		{
			"an account's orders", func(l Ledger) error { _, err := l.Orders(ctx, 2, "", second); return err },
			[]postgresPlan{{"orders_newest", 2*100 + 40, nil}},
			[][]string{{"SEARCH o USING INDEX orders_newest (user_id=?)", "SEARCH o USING COVERING INDEX orders_newest (user_id=?)"}},
		},
		{
			"those in a state", func(l Ledger) error { _, err := l.Orders(ctx, 2, payment.Closed, page.Request{}); return err },
			[]postgresPlan{{"orders_of_user", 2*100 + 40, nil}},
			[][]string{{"SEARCH o USING INDEX orders_of_user (user_id=? AND state=?)", "SEARCH o USING COVERING INDEX orders_of_user (user_id=? AND state=?)"}},
		},
		{
			"due", func(l Ledger) error { _, err := l.Due(ctx, now, now, 20); return err },
			[]postgresPlan{{"orders_due", 20, nil}}, [][]string{{"SEARCH o USING COVERING INDEX orders_due (look<?)"}},
		},
		{
			"the entries of a bill's lines", func(l Ledger) error {
				_, err := l.EntriesOf(ctx, []payment.BillLine{{TransactionID: "t77"}, {TransactionID: "t78", RefundNo: "r78"}})
				return err
			},
			[]postgresPlan{{"payments_transaction_id_key", 4, nil}, {"refunds_out_refund_no_key", 1, nil}, {"payments_pkey", 1, nil}},
			[][]string{
				{"SEARCH p USING INDEX sqlite_autoindex_payments_1 (transaction_id=?)"}, {"SEARCH r USING INDEX sqlite_autoindex_refunds_1 (out_refund_no=?)"},
			},
		},
		{
			"payments of a day", func(l Ledger) error {
				_, err := l.PaymentsPaid(ctx, payment.Cursor{At: now.Add(-48 * time.Hour)}, now.Add(-24*time.Hour), 100)
				return err
			},
			[]postgresPlan{{"payments_by_paid", 101, nil}}, [][]string{{"SEARCH p USING INDEX payments_by_paid (<expr>>? AND <expr><?)"}},
		},
		{
			"refunds of a day", func(l Ledger) error {
				_, err := l.RefundsSent(ctx, payment.Cursor{At: now.Add(-48 * time.Hour)}, now.Add(-24*time.Hour), 100)
				return err
			},
			[]postgresPlan{{"refunds_by_sent", 101, nil}, {"payments_pkey", 100, nil}}, [][]string{{"SEARCH r USING INDEX refunds_by_sent (sent>? AND sent<?)"}},
		},
		{
			"open findings", func(l Ledger) error {
				_, err := l.Findings(ctx, payment.FindingFilter{Kind: payment.FoundAmount, State: payment.FindingOpen}, second)
				return err
			},
			[]postgresPlan{{"findings_open", 2*30 + 40, nil}},
			[][]string{{"SEARCH f USING INDEX findings_open (kind=?)"}}, // the page and the count alike
		},
		{
			"findings of a day", func(l Ledger) error {
				_, err := l.Findings(ctx, payment.FindingFilter{Day: payment.DayOf(now.Add(-72 * time.Hour))}, page.Request{})
				return err
			},
			[]postgresPlan{{"findings_of_day", 2*1440 + 40, nil}},
			[][]string{{"SEARCH f USING INDEX findings_of_day (day=?)", "SEARCH f USING COVERING INDEX findings_of_day (day=?)"}},
		},
		{
			"payments in a state", func(l Ledger) error { _, err := l.Payments(ctx, payment.Disputed, second); return err },
			[]postgresPlan{{"payments_of_state", 2*300 + 40, nil}},
			[][]string{{"SEARCH p USING INDEX payments_of_state (state=?)", "SEARCH p USING COVERING INDEX payments_of_state (state=?)"}},
		},
		{
			"payments: those before the page are stepped over, and all are counted",
			func(l Ledger) error { _, err := l.Payments(ctx, "", second); return err },
			[]postgresPlan{{"payments_newest", 30_000 + 40, []string{"payments"}}},
			[][]string{{"SCAN p USING INDEX payments_newest", "SCAN payments USING COVERING INDEX payments_by_paid"}},
		},
		{
			"a key", func(l Ledger) error {
				_, err := l.Reserve(ctx, idempotency.Key{User: 1, Name: "k77", Fingerprint: sha256.Sum256([]byte("k"))}, now, now)
				return err
			},
			[]postgresPlan{{"idempotency_keys_pkey", 1, nil}},
			[][]string{{"SEARCH k USING INDEX sqlite_autoindex_idempotency_keys_1 (user_id=? AND name=?)"}},
		},
	}
}

func TestPAY11_a_ledger_is_read_by_its_indexes(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	s, conn := filledPostgres(t, populousOrders)
	recorded := record(s)
	for _, r := range ledgerReads(t) {
		t.Run(r.name, func(t *testing.T) {
			recorded.texts = nil
			require.NoError(t, r.call(s.Ledger()))
			require.Len(t, recorded.texts, len(r.postgres))
			for i, want := range r.postgres {
				var read float64
				var used []string
				for _, scan := range explain(t, conn, recorded.texts[i]).scans() {
					assert.True(t, scan.Node != "Seq Scan" || slices.Contains(want.whole, scan.Relation), scan.Relation)
					used = append(used, scan.Index)
					read += scan.read()
				}
				assert.Contains(t, used, want.index)
				assert.LessOrEqual(t, read, want.read, "rows read")
			}
		})
	}
}

func TestPAY11_a_ledger_of_SQLite_is_read_by_its_indexes(t *testing.T) {
	s, _ := openWithUser(t, Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "plaza.db")})
	conn, err := s.dialect.(sqlite).reader.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	recorded := record(s)
	for _, r := range ledgerReads(t) {
		recorded.texts = nil
		_ = r.call(s.Ledger()) // the database is empty, so that some find nothing
		require.Len(t, recorded.texts, len(r.sqlite), r.name)
		for i, want := range r.sqlite {
			assert.ElementsMatch(t, want, explainSQLite(t, conn, sqliteRead{statement: recorded.texts[i]}), r.name)
		}
	}
}
