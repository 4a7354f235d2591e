package bunstore

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// errUnpaid reports that fn has changed a paid order to another state.
var errUnpaid = errors.New("an order that is paid stays paid")

// Change locks the order: payments are never changed optimistically.
func (v Ledger) Change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	return v.transact(ctx, func(ctx context.Context, tx *engine.Tx) ([]engine.Step, error) {
		old, err := v.load(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		next := old
		next.Prepayments, next.Payments = slices.Clone(old.Prepayments), slices.Clone(old.Payments)
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return nil, err
		}
		if next.Answer != nil {
			if err := storeAnswer(ctx, tx, *next.Answer); err != nil {
				return nil, err
			}
		}
		if err := storeOrder(ctx, tx, old, next); err != nil {
			return nil, err
		}
		return stepsOf(tx, old, next), nil
	})
}

// load locks the order and reads the trade in one round trip.
func (v Ledger) load(ctx context.Context, tx *engine.Tx, id payment.OrderID) (t payment.Trade, err error) {
	err = tx.Run(ctx,
		engine.BuiltRead(v.s.Selecting(tx).Where("id = ?", id), func(r orderRow) {
			t.Order, t.NextCheck = r.order(), r.NextCheck.Time
		}),
		engine.BuiltRead(tx.NewSelect().Where("order_id = ?", id).Order("id"), func(r prepaymentRow) {
			t.Prepayments = append(t.Prepayments, r.prepayment())
		}),
		engine.BuiltRead(tx.NewSelect().Where("order_id = ?", id).Order("id"), func(r paymentRow) {
			t.Payments = append(t.Payments, r.payment())
		}),
	)
	if err == nil && t.Order.ID == 0 {
		err = payment.ErrNoOrder
	}
	return t, err
}

// storeOrder is a compare-and-set on the state of the order, which is locked.
func storeOrder(ctx context.Context, tx *engine.Tx, old, next payment.Trade) error {
	if next.Order == old.Order && next.NextCheck.Equal(old.NextCheck) {
		return nil
	}
	if old.Order.State == payment.Paid && next.Order.State != payment.Paid {
		return errUnpaid
	}
	row := orderRowOf(next.Order)
	row.NextCheck = engine.At(next.NextCheck)
	done, err := tx.NewUpdate().Model(&row).Column("state", "paid", "transaction_id", "next_check").
		Where("id = ? AND state = ?", old.Order.ID, old.Order.State).Exec(ctx)
	return engine.OrNotAffected(done, err, errors.New("a locked order has changed"))
}

// stepsOf returns the steps that store the other changes: updates, then inserts. A former
// prepayment must be closed before a new one is inserted. Its request never changes.
func stepsOf(tx *engine.Tx, old, next payment.Trade) []engine.Step {
	id := old.Order.ID
	var steps []engine.Step
	var opened []prepaymentRow
	for _, p := range next.Prepayments {
		row := prepaymentRowOf(id, p)
		i := slices.IndexFunc(old.Prepayments, func(o payment.Prepayment) bool { return o.TradeNo == p.TradeNo })
		switch {
		case i < 0:
			opened = append(opened, row)
		case !reflect.DeepEqual(p, old.Prepayments[i]):
			steps = append(steps, engine.Built(tx.NewUpdate().Model(&row).WherePK().
				Column("state", "prepay_id", "code_url", "mweb_url", "opened", "expires", "leased_until")))
		}
	}
	var received []paymentRow
	for _, p := range next.Payments {
		row := paymentRowOf(id, p)
		i := slices.IndexFunc(old.Payments, func(o payment.Payment) bool { return o.TransactionID == p.TransactionID })
		switch {
		case i < 0:
			received = append(received, row)
		case p != old.Payments[i]:
			steps = append(steps, engine.Built(tx.NewUpdate().Model(&row).Column("state", "amount", "currency").
				Where("transaction_id = ?", p.TransactionID)))
		}
	}
	entries := entryRowsOf(id, next.Entries...)
	return slices.Concat(steps, insertSteps(tx, opened), insertSteps(tx, received), insertSteps(tx, entries))
}

// insertSteps returns the step that adds the rows, if there are any.
func insertSteps[R any](tx *engine.Tx, rows []R) []engine.Step {
	if len(rows) == 0 {
		return nil
	}
	return []engine.Step{engine.Built(tx.NewInsert().Model(&rows))}
}

type orderRow struct {
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

func orderRowOf(o payment.Order) orderRow {
	return orderRow{
		UserID: o.User, Subject: o.Subject, Amount: o.Amount, Currency: o.Currency, State: o.State,
		Created: engine.At(o.Created), Expires: engine.At(o.Expires), Paid: engine.At(o.PaidAt), TransactionID: o.Transaction,
	}
}

func (r orderRow) order() payment.Order {
	return payment.Order{
		ID: r.ID, User: r.UserID, Subject: r.Subject, Amount: r.Amount, Currency: r.Currency, State: r.State,
		Created: r.Created.Time, Expires: r.Expires.Time, PaidAt: r.Paid.Time, Transaction: r.TransactionID,
	}
}

type prepaymentRow struct {
	bun.BaseModel `bun:"table:prepayments,alias:p"`
	OrderID       payment.OrderID
	TradeNo       payment.TradeNo `bun:"out_trade_no,pk"`
	Protocol      payment.Protocol
	EndType       payment.EndType
	App           payment.WalletApp
	OpenID        string
	State         payment.PrepaymentState
	Request       []byte
	PrepayID      string
	CodeURL       string
	MWebURL       string `bun:"mweb_url"`
	Created       engine.Time
	Opened        engine.Time
	Expires       engine.Time
	LeasedUntil   engine.Time
}

func prepaymentRowOf(id payment.OrderID, p payment.Prepayment) prepaymentRow {
	return prepaymentRow{
		OrderID: id, TradeNo: p.TradeNo, Protocol: p.Protocol, EndType: p.Intent.EndType, App: p.Intent.App, OpenID: p.Intent.OpenID,
		State: p.State, Request: engine.Filled(p.Request),
		PrepayID: p.Ticket.PrepayID, CodeURL: p.Ticket.CodeURL, MWebURL: p.Ticket.MWebURL,
		Created: engine.At(p.Created), Opened: engine.At(p.Opened), Expires: engine.At(p.Expires), LeasedUntil: engine.At(p.LeasedUntil),
	}
}

func (r prepaymentRow) prepayment() payment.Prepayment {
	return payment.Prepayment{
		TradeNo: r.TradeNo, Protocol: r.Protocol, Intent: payment.Intent{EndType: r.EndType, App: r.App, OpenID: r.OpenID},
		State: r.State, Request: r.Request,
		Ticket:  payment.Ticket{PrepayID: r.PrepayID, CodeURL: r.CodeURL, MWebURL: r.MWebURL},
		Created: r.Created.Time, Opened: r.Opened.Time, Expires: r.Expires.Time, LeasedUntil: r.LeasedUntil.Time,
	}
}

type paymentRow struct {
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

func paymentRowOf(id payment.OrderID, p payment.Payment) paymentRow {
	return paymentRow{
		OrderID: id, TransactionID: p.TransactionID, TradeNo: p.TradeNo, Protocol: p.Protocol, App: p.App, State: p.State,
		Amount: p.Amount, Currency: p.Currency, Received: engine.At(p.Received), Refunded: p.Refunded,
		Paid: engine.At(p.Paid),
	}
}

func (r paymentRow) payment() payment.Payment {
	return payment.Payment{
		ID: r.ID, Order: r.OrderID, TransactionID: r.TransactionID, TradeNo: r.TradeNo, Protocol: r.Protocol, App: r.App, State: r.State,
		Amount: r.Amount, Currency: r.Currency, Received: r.Received.Time, Refunded: r.Refunded,
		Paid: r.Paid.Time,
	}
}

type entryRow struct {
	bun.BaseModel `bun:"table:journal,alias:j"`
	OrderID       payment.OrderID
	Happened      engine.Time
	Noted         payment.Noted
	TradeNo       payment.TradeNo `bun:"out_trade_no"`
	Detail        string
}

func entryRowsOf(id payment.OrderID, entries ...payment.Entry) (rows []entryRow) {
	for _, e := range entries {
		rows = append(rows, entryRow{OrderID: id, Happened: engine.At(e.At), Noted: e.Noted, TradeNo: e.TradeNo, Detail: e.Detail})
	}
	return rows
}

func (r entryRow) entry() payment.Entry {
	return payment.Entry{At: r.Happened.Time, Noted: r.Noted, TradeNo: r.TradeNo, Detail: r.Detail}
}
