package bunstore

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"slices"

	"plaza/domain/payment"
)

// errUnpaid reports that fn has changed a paid order to another state.
var errUnpaid = errors.New("an order that is paid stays paid")

// Change locks the order: payments are never changed optimistically.
func (v Ledger) Change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	return v.transact(ctx, func(ctx context.Context, tx *transaction) ([]step, error) {
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
func (v Ledger) load(ctx context.Context, tx *transaction, id payment.OrderID) (t payment.Trade, err error) {
	err = tx.run(ctx,
		builtRead(v.s.selecting(tx).Where("id = ?", id), func(r orderRow) {
			t.Order, t.NextCheck = r.order(), r.NextCheck.Time
		}),
		builtRead(tx.NewSelect().Where("order_id = ?", id).Order("id"), func(r prepaymentRow) {
			t.Prepayments = append(t.Prepayments, r.prepayment())
		}),
		builtRead(tx.NewSelect().Where("order_id = ?", id).Order("id"), func(r paymentRow) {
			t.Payments = append(t.Payments, r.payment())
		}),
	)
	if err == nil && t.Order.ID == 0 {
		err = payment.ErrNoOrder
	}
	return t, err
}

// storeOrder is a compare-and-set on the state of the order, which is locked.
func storeOrder(ctx context.Context, tx *transaction, old, next payment.Trade) error {
	if next.Order == old.Order && next.NextCheck.Equal(old.NextCheck) {
		return nil
	}
	if old.Order.State == payment.Paid && next.Order.State != payment.Paid {
		return errUnpaid
	}
	row := orderRowOf(next.Order)
	row.NextCheck = dbTime{next.NextCheck}
	done, err := tx.NewUpdate().Model(&row).Column("state", "paid", "transaction_id", "look").
		Where("id = ? AND state = ?", old.Order.ID, old.Order.State).Exec(ctx)
	return orNotAffected(done, err, errors.New("a locked order has changed"))
}

// stepsOf returns the steps that store the other changes: updates, then inserts. A former
// prepayment must be closed before a new one is inserted. Its request never changes.
func stepsOf(tx *transaction, old, next payment.Trade) []step {
	id := old.Order.ID
	var steps []step
	var opened []prepaymentRow
	for _, p := range next.Prepayments {
		row := prepaymentRowOf(id, p)
		i := slices.IndexFunc(old.Prepayments, func(o payment.Prepayment) bool { return o.TradeNo == p.TradeNo })
		switch {
		case i < 0:
			opened = append(opened, row)
		case !reflect.DeepEqual(p, old.Prepayments[i]):
			steps = append(steps, built(tx.NewUpdate().Model(&row).WherePK().
				Column("state", "prepay_id", "code_url", "mweb_url", "opened", "ends", "leased")))
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
			steps = append(steps, built(tx.NewUpdate().Model(&row).Column("state", "amount", "currency").
				Where("transaction_id = ?", p.TransactionID)))
		}
	}
	entries := entryRowsOf(id, next.Entries...)
	return slices.Concat(steps, insertSteps(tx, opened), insertSteps(tx, received), insertSteps(tx, entries))
}

// insertSteps returns the step that adds the rows, if there are any.
func insertSteps[R any](tx *transaction, rows []R) []step {
	if len(rows) == 0 {
		return nil
	}
	return []step{built(tx.NewInsert().Model(&rows))}
}
