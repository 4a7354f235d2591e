package money

import (
	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// paymentsOf finds the payments with the transactions $1.
var paymentsOf = engine.Both(`
	SELECT id, order_id, transaction_id, out_trade_no, protocol, app, state, amount, currency, received, refunded, paid
	FROM payments
	WHERE transaction_id = ANY($1)`)

// insertPayment stores the payment of the order $1, with the transaction $2, unless that is stored: $3 prepayment, $4
// protocol, $5 app, $6 state, $7 amount, $8 currency, $9 received, $10 refunded, $11 paid.
const insertPayment = `
	INSERT INTO payments (order_id, transaction_id, out_trade_no, protocol, app, state, amount, currency, received, refunded, paid, user_id)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, (SELECT user_id FROM orders WHERE id = $1))
	ON CONFLICT (transaction_id) DO NOTHING`

// addPayment queues the statement that stores the payment; zero: of no order.
func addPayment(tx *engine.Tx, of payment.OrderID, p payment.Payment) *engine.Step {
	return tx.Queue(insertPayment, engine.NullIfZero(of), p.TransactionID, p.TradeNo, p.Protocol, p.App, p.State, p.Amount, p.Currency,
		p.Received, p.Refunded, p.Paid)
}

// journal queues the statements that store the entries.
func journal(tx *engine.Tx, of payment.OrderID, entries ...payment.Entry) {
	for _, e := range entries {
		tx.Queue("INSERT INTO journal (order_id, happened, noted, out_trade_no, detail) VALUES ($1, $2, $3, $4, $5)",
			of, e.At, e.Noted, e.TradeNo, engine.AsJSON{Of: e.Detail})
	}
}

// ordered returns the order of a list of money: that of the span, by the column of a time or by amounts.
func ordered[R any](db *engine.DB, s page.Span, at string, key func(R) page.Cursor) engine.Order[R] {
	o := engine.Latest(db, s, at, "id", key)
	if o.Key = key; s.IsByAmount {
		o.By, o.Behind = "amount DESC, id DESC", "(amount, id) < (?, ?)"
		o.Values = func(c page.Cursor) []any { return []any{c.Rank, c.ID} }
	}
	return o
}

// OrderRow is a row of orders.
type OrderRow struct {
	bun.BaseModel `bun:"table:orders,alias:o"`
	ID            payment.OrderID `bun:",pk,autoincrement"`
	UserID        user.ID
	Subject       string
	Amount        int64
	Currency      string
	State         payment.State
	Created       engine.Time
	Expires       engine.Time
	Paid          engine.Time
	TransactionID string `bun:",nullzero"`
	NextCheck     engine.Time
	engine.PageRow
}

// Order returns the stored order.
func (r OrderRow) Order() payment.Order {
	return payment.Order{
		ID: r.ID, User: r.UserID, Subject: r.Subject, Amount: r.Amount, Currency: r.Currency, State: r.State,
		Created: r.Created.Time, Expires: r.Expires.Time, PaidAt: r.Paid.Time, Transaction: r.TransactionID,
	}
}

// PrepaymentRow is a row of prepayments.
type PrepaymentRow struct {
	bun.BaseModel `bun:"table:prepayments,alias:p"`
	ID            int64 `bun:",scanonly"`
	OrderID       payment.OrderID
	TradeNo       payment.TradeNo `bun:"out_trade_no,pk"`
	Protocol      payment.Protocol
	payment.Intent
	State       payment.PrepaymentState
	Request     []byte
	PrepayID    string
	CodeURL     string
	MWebURL     string `bun:"mweb_url"`
	Created     engine.Time
	Opened      engine.Time
	Expires     engine.Time
	LeasedUntil engine.Time
}

// Prepayment returns the stored prepayment.
func (r PrepaymentRow) Prepayment() payment.Prepayment {
	return payment.Prepayment{
		TradeNo: r.TradeNo, Protocol: r.Protocol, Intent: r.Intent, State: r.State, Request: r.Request,
		Ticket:  payment.Ticket{PrepayID: r.PrepayID, CodeURL: r.CodeURL, MWebURL: r.MWebURL},
		Created: r.Created.Time, Opened: r.Opened.Time, Expires: r.Expires.Time, LeasedUntil: r.LeasedUntil.Time,
	}
}

// PaymentRow is a row of payments.
type PaymentRow struct {
	bun.BaseModel `bun:"table:payments,alias:p"`
	ID            payment.PaymentID `bun:",pk,autoincrement"`
	OrderID       payment.OrderID   `bun:",nullzero"`
	TransactionID string
	TradeNo       payment.TradeNo `bun:"out_trade_no"`
	Protocol      payment.Protocol
	App           payment.WalletApp
	State         payment.PaymentState
	Amount        int64
	Currency      string
	Received      engine.Time
	Refunded      int64
	Paid          engine.Time
	engine.PageRow
}

// Payment returns the stored payment.
func (r PaymentRow) Payment() payment.Payment {
	return payment.Payment{
		ID: r.ID, Order: r.OrderID, TransactionID: r.TransactionID, TradeNo: r.TradeNo, Protocol: r.Protocol, App: r.App, State: r.State,
		Amount: r.Amount, Currency: r.Currency, Received: r.Received.Time, Refunded: r.Refunded, Paid: r.Paid.Time,
	}
}

type entryRow struct {
	bun.BaseModel `bun:"table:journal,alias:j"`
	Happened      engine.Time
	Noted         payment.Noted
	TradeNo       payment.TradeNo `bun:"out_trade_no"`
	Detail        payment.Detail
}

func (r entryRow) entry() payment.Entry {
	return payment.Entry{At: r.Happened.Time, Noted: r.Noted, TradeNo: r.TradeNo, Detail: r.Detail}
}

// RefundRow is a row of refunds.
type RefundRow struct {
	bun.BaseModel  `bun:"table:refunds,alias:r"`
	ID             payment.RefundID `bun:",pk,autoincrement"`
	PaymentID      payment.PaymentID
	No             payment.RefundNo `bun:"out_refund_no"`
	Amount         int64
	Currency       string
	Reason         string
	Origin         payment.RefundOrigin
	RequestedBy    user.ID `bun:",nullzero"`
	UserID         user.ID `bun:",nullzero"`
	State          payment.RefundState
	WalletRefundID string
	Created        engine.Time
	Updated        engine.Time
	Sent           engine.Time
	NextCheck      engine.Time
	engine.PageRow
}

// Refund returns the stored refund.
func (r RefundRow) Refund() payment.Refund {
	return payment.Refund{
		ID: r.ID, Payment: r.PaymentID, No: r.No, Amount: r.Amount, Currency: r.Currency, Reason: r.Reason, Origin: r.Origin,
		Staff: r.RequestedBy, Payer: r.UserID, State: r.State, WalletID: r.WalletRefundID,
		Created: r.Created.Time, Updated: r.Updated.Time, Sent: r.Sent.Time, NextCheck: r.NextCheck.Time,
	}
}
