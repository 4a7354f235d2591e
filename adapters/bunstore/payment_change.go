package bunstore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"plaza/domain/payment"
)

// errUnpaid reports that fn has changed a paid order to another state.
var errUnpaid = errors.New("an order that is paid stays paid")

// Change locks the order: payments are never changed optimistically.
func (v Ledger) Change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	err := v.transact(ctx, func(ctx context.Context, tx *transaction) ([]step, error) {
		old, err := v.load(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		next := old
		next.Prepayments, next.Payments = slices.Clone(old.Prepayments), slices.Clone(old.Payments)
		for i, p := range next.Prepayments {
			next.Prepayments[i].Request = slices.Clone(p.Request)
		}
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return nil, err
		}
		if old.Order.State == payment.Paid && next.Order.State != payment.Paid {
			return nil, errUnpaid
		}
		return v.stepsOf(old, next), nil
	})
	if errors.Is(err, errMissed) {
		return payment.ErrKeyInUse
	}
	return err
}

// load locks the order and reads the trade in one round trip.
func (v Ledger) load(ctx context.Context, tx *transaction, id payment.OrderID) (t payment.Trade, err error) {
	found := false
	var prepayments []payment.Prepayment
	var payments []payment.Payment
	of := []any{int64(id)}
	err = tx.run(ctx,
		step{statement: v.s.sql.order, args: of, row: func(scan func(...any) error) (err error) {
			found = true
			var nextCheck dbTime
			t.Order, err = v.codec().scanOrder(scan, &id, nil, []any{&nextCheck})
			t.NextCheck = nextCheck.Time
			return err
		}},
		step{statement: v.s.sql.prepayments, args: of, row: func(scan func(...any) error) error {
			p, err := v.codec().scanPrepayment(scan)
			prepayments = append(prepayments, p)
			return err
		}},
		step{statement: v.s.sql.payments, args: of, row: func(scan func(...any) error) error {
			p, err := v.codec().scanPayment(scan)
			payments = append(payments, p)
			return err
		}},
	)
	if err == nil && !found {
		err = payment.ErrNoOrder
	}
	t.Prepayments, t.Payments = prepayments, payments
	return t, err
}

// stepsOf returns the steps that store the changes: the answer first, because it must
// match, then updates, then inserts. A former prepayment must be closed before a new
// one is inserted.
func (v Ledger) stepsOf(old, next payment.Trade) []step {
	id := old.Order.ID
	var steps, inserts []step
	if next.Answer != nil {
		steps = append(steps, v.answerStep(*next.Answer))
	}
	if n, o := next.Order, old.Order; n.State != o.State || !n.PaidAt.Equal(o.PaidAt) || n.Transaction != o.Transaction || !next.NextCheck.Equal(old.NextCheck) {
		steps = append(steps, v.settleStep(old.Order, next))
	}
	for _, p := range next.Prepayments {
		i := slices.IndexFunc(old.Prepayments, func(o payment.Prepayment) bool { return o.TradeNo == p.TradeNo })
		switch {
		case i < 0:
			inserts = append(inserts, step{statement: v.s.sql.insertPrepayment, args: append([]any{int64(id)}, v.codec().prepayment(p)...)})
		case standingOf(p) != standingOf(old.Prepayments[i]):
			steps = append(steps, v.prepaymentStep(p))
		}
	}
	for _, p := range next.Payments {
		i := slices.IndexFunc(old.Payments, func(o payment.Payment) bool { return o.TransactionID == p.TransactionID })
		switch {
		case i < 0:
			p.Order = id
			inserts = append(inserts, step{statement: v.s.sql.insertPayment, args: v.codec().payment(p)})
		case p != old.Payments[i]:
			steps = append(steps, step{
				statement: v.s.sql.updatePayment, args: []any{p.TransactionID, string(p.State), p.Amount, p.Currency},
			})
		}
	}
	steps = append(steps, inserts...)
	for _, e := range next.Entries {
		steps = append(steps, v.entryStep(id, e))
	}
	return steps
}

// settleStep is a compare-and-set on the state of the order, which is locked.
func (v Ledger) settleStep(old payment.Order, next payment.Trade) step {
	d, o := v.s.dialect, next.Order
	var transaction any
	if o.Transaction != "" {
		transaction = o.Transaction
	}
	return step{statement: v.s.sql.settle, alwaysMatches: true, args: []any{
		int64(old.ID), string(old.State), string(o.State), d.instant(dbTime{o.PaidAt}), transaction, d.instant(dbTime{next.NextCheck}),
	}}
}

func (v Ledger) prepaymentStep(p payment.Prepayment) step {
	d := v.s.dialect
	return step{statement: v.s.sql.updatePrepayment, args: []any{
		string(p.TradeNo), string(p.State), p.Ticket.PrepayID, p.Ticket.CodeURL, p.Ticket.MWebURL,
		d.instant(dbTime{p.Opened}), d.instant(dbTime{p.Expires}), d.instant(dbTime{p.LeasedUntil}),
	}}
}

// standing is the mutable part of a prepayment.
type standing struct {
	state                payment.PrepaymentState
	ticket               payment.Ticket
	opened, ends, leased time.Time
}

func standingOf(p payment.Prepayment) standing {
	return standing{p.State, p.Ticket, p.Opened, p.Expires, p.LeasedUntil}
}
