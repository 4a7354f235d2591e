package bunstore

import (
	"slices"

	"plaza/domain/payment"
)

// ledgerSteps are the statements of orders and their prepayments and payments.
type ledgerSteps struct {
	order       string // $1 order; locks its row
	prepayments string // $1 order
	payments    string // $1 order
	journal     string // $1 order
	orderOf     string // $1 number of a prepayment

	settle           string // $1 order, $2 old state, $3 state, $4 paid, $5 transaction, $6 next check
	insertPrepayment string // $1 order, then rowCodec.prepayment
	updatePrepayment string // $1 number, then the columns of standing
	insertPayment    string // rowCodec.payment
	insertUnmatched  string // the same, unless the transaction is known
	updatePayment    string // $1 transaction, $2 state, $3 amount, $4 currency
	ofTransaction    string // $1 transaction
	insertEntry      string // $1 order, then rowCodec.entry

	orders   string // $1 user, $2 size, $3 offset; each row begins with the total
	ordersIn string // the same, $4 state

	due     string                          // $1 now, $2 limit; locks the rows
	putOff  string                          // $1 orders, $2 next check
	page    string                          // $1 size, $2 offset; each row begins with the total
	pageOf  map[payment.PaymentState]string // the same; the states differ much in frequency, so their plans differ
	reserve string                          // $1 user, $2 name, $3 fingerprint, $4 now, $5 until, $6 expired if since is not after this, $7 holder
	key     string                          // $1 user, $2 name
	answer  string                          // $1 user, $2 name, $3 fingerprint, $4 at, $5 order, $6 reply
	release string                          // $1 user, $2 name, $3 holder
}

const (
	orderColumns      = "user_id, subject, amount, currency, state, created, expires, paid, transaction_id"
	prepaymentColumns = "out_trade_no, end_type, app, open_id, state, request, prepay_id, code_url, mweb_url, created, opened, ends, leased"
	paymentColumns    = "order_id, transaction_id, out_trade_no, state, amount, currency, received"
)

func newLedgerSteps(d dialect) ledgerSteps {
	paymentsWhere := func(where string) string { return "SELECT id, " + paymentColumns + " FROM payments WHERE " + where }
	page := func(where string) string {
		return "SELECT (SELECT COUNT(*) FROM payments" + where + "), id, " + paymentColumns + " FROM payments" + where +
			" ORDER BY received DESC, id DESC LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint)"
	}
	ordersWhere := func(where string) string {
		return "SELECT (SELECT COUNT(*) FROM orders WHERE " + where + "), id, " + orderColumns + " FROM orders WHERE " + where +
			" ORDER BY created DESC, id DESC LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint)"
	}
	skipLocked := ""
	if d.forUpdate() != "" {
		skipLocked = " " + d.forUpdate() + " SKIP LOCKED"
	}
	insertPayment := "INSERT INTO payments (" + paymentColumns + ") " + d.values("$1, $2, $3, $4, $5, $6, $7")
	s := ledgerSteps{
		order:       "SELECT " + orderColumns + ", look FROM orders WHERE id = $1 " + d.forUpdate(),
		prepayments: "SELECT " + prepaymentColumns + " FROM prepayments WHERE order_id = $1 ORDER BY id",
		payments:    paymentsWhere("order_id = $1 ORDER BY id"),
		journal:     "SELECT happened, noted, out_trade_no, detail FROM journal WHERE order_id = $1 ORDER BY id",
		orderOf:     "SELECT order_id FROM prepayments WHERE out_trade_no = $1",

		settle: d.alwaysMatches("UPDATE orders SET state = $3, paid = $4, transaction_id = $5, look = $6 WHERE id = $1 AND state = $2"),
		insertPrepayment: "INSERT INTO prepayments (order_id, " + prepaymentColumns + ")" +
			" " + d.values("$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14"),
		updatePrepayment: `UPDATE prepayments SET state = $2, prepay_id = $3, code_url = $4, mweb_url = $5, opened = $6, ends = $7, leased = $8
			WHERE out_trade_no = $1` + d.unlessMissed(),
		insertPayment:   insertPayment,
		insertUnmatched: insertPayment + " ON CONFLICT (transaction_id) DO NOTHING",
		updatePayment:   "UPDATE payments SET state = $2, amount = $3, currency = $4 WHERE transaction_id = $1" + d.unlessMissed(),
		ofTransaction:   paymentsWhere("transaction_id = $1"),
		insertEntry:     "INSERT INTO journal (order_id, happened, noted, out_trade_no, detail) " + d.values("$1, $2, $3, $4, $5"),

		orders:   ordersWhere("user_id = $1"),
		ordersIn: ordersWhere("user_id = $1 AND state = $4"),

		due:    "SELECT id FROM orders WHERE look <= $1 ORDER BY look, id LIMIT CAST($2 AS bigint)" + skipLocked,
		putOff: "UPDATE orders SET look = $2 WHERE " + d.among("id", "$1"),
		page:   page(""),
		pageOf: map[payment.PaymentState]string{},

		reserve: `INSERT INTO idempotency_keys (user_id, name, fingerprint, since, busy, holder) VALUES ($1, $2, $3, $4, $5, $7)
			ON CONFLICT (user_id, name) DO UPDATE
			SET fingerprint = EXCLUDED.fingerprint, holder = EXCLUDED.holder, since = EXCLUDED.since, busy = EXCLUDED.busy, order_id = NULL, reply = NULL
			WHERE idempotency_keys.since <= $6
				OR idempotency_keys.fingerprint = EXCLUDED.fingerprint AND idempotency_keys.busy <= EXCLUDED.since
			RETURNING user_id`,
		key: "SELECT fingerprint, since, busy, order_id, reply FROM idempotency_keys WHERE user_id = $1 AND name = $2",
		answer: d.mustMatch(`INSERT INTO idempotency_keys (user_id, name, fingerprint, since, order_id, reply) VALUES ($1, $2, $3, $4, $5, $6)
			ON CONFLICT (user_id, name) DO UPDATE
			SET since = EXCLUDED.since, busy = NULL, order_id = EXCLUDED.order_id, reply = EXCLUDED.reply
			WHERE idempotency_keys.fingerprint = EXCLUDED.fingerprint AND idempotency_keys.busy IS NOT NULL`, "user_id"),
		release: "DELETE FROM idempotency_keys WHERE user_id = $1 AND name = $2 AND holder = $3 AND busy IS NOT NULL",
	}
	for _, v := range payment.PaymentStates() {
		s.pageOf[v] = page(" WHERE state = '" + string(v) + "'")
	}
	return s
}

// prepayment returns the values of a new prepayment.
func (r rowCodec) prepayment(p payment.Prepayment) []any {
	return []any{
		string(p.TradeNo), int64(p.Intent.EndType), string(p.Intent.App), p.Intent.OpenID, string(p.State), filled(p.Request),
		p.Ticket.PrepayID, p.Ticket.CodeURL, p.Ticket.MWebURL,
		r.d.instant(dbTime{p.Created}), r.d.instant(dbTime{p.Opened}), r.d.instant(dbTime{p.Expires}), r.d.instant(dbTime{p.LeasedUntil}),
	}
}

func (rowCodec) scanPrepayment(scan scanner) (p payment.Prepayment, err error) {
	var created, opened, ends, leased dbTime
	err = scan(
		&p.TradeNo, &p.Intent.EndType, &p.Intent.App, &p.Intent.OpenID, &p.State, &p.Request,
		&p.Ticket.PrepayID, &p.Ticket.CodeURL, &p.Ticket.MWebURL, &created, &opened, &ends, &leased,
	)
	p.Request = orNilBytes(p.Request)
	p.Created, p.Opened, p.Expires, p.LeasedUntil = created.Time, opened.Time, ends.Time, leased.Time
	return p, err
}

// payment returns the values of a new payment.
func (r rowCodec) payment(p payment.Payment) []any {
	return []any{
		r.orNull(int64(p.Order)), p.TransactionID, string(p.TradeNo), string(p.State), p.Amount, p.Currency, r.d.instant(dbTime{p.Received}),
	}
}

// scanPayment scans a payment and the columns before it.
func (rowCodec) scanPayment(scan scanner, before ...any) (p payment.Payment, err error) {
	var received dbTime
	err = scan(append(before,
		&p.ID, orZeroNumber[payment.OrderID]{&p.Order}, &p.TransactionID, &p.TradeNo, &p.State, &p.Amount, &p.Currency, &received)...)
	p.Received = received.Time
	return p, err
}

func (r rowCodec) entry(e payment.Entry) []any {
	return []any{r.d.instant(dbTime{e.At}), string(e.Noted), string(e.TradeNo), e.Detail}
}

func (rowCodec) scanEntry(scan scanner) (e payment.Entry, err error) {
	var at dbTime
	err = scan(&at, &e.Noted, &e.TradeNo, &e.Detail)
	e.At = at.Time
	return e, err
}

// scanOrder scans an order and the columns before and after it. The caller provides its
// ID or scans it before.
func (rowCodec) scanOrder(scan scanner, id *payment.OrderID, before, after []any) (payment.Order, error) {
	var row orderRow
	order := []any{
		(*int64)(&row.UserID), &row.Subject, &row.Amount, &row.Currency, &row.State, &row.Created, &row.Expires, &row.Paid,
		orZeroText[string]{&row.TransactionID},
	}
	err := scan(slices.Concat(before, order, after)...)
	row.ID = *id
	return row.order(), err
}
