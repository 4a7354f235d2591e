package money

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/notification"
	"plaza/domain/payment"
)

const (
	// updateOrder changes the order $1, whose state was $2: $3 state, $4 when it was paid, $5 transaction, $6 next check.
	updateOrder = `
		UPDATE orders SET state = $3, paid = $4, transaction_id = $5, next_check = $6
		WHERE id = $1 AND state = $2`

	// insertPrepayment adds a prepayment to the order $1: $2 its number, $3 protocol, $4 end type, $5 app, $6 the payer's number at
	// the wallet, $7 state, $8 request, $9 to $11 ticket, $12 created, $13 opened, $14 expires, $15 end of the lease.
	insertPrepayment = `
		INSERT INTO prepayments (order_id, out_trade_no, protocol, end_type, app, open_id, state, request,
			prepay_id, code_url, mweb_url, created, opened, expires, leased_until)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`

	// updatePrepayment changes the prepayment $1: $2 state, $3 to $5 ticket, $6 opened, $7 expires, $8 end of the lease.
	updatePrepayment = `
		UPDATE prepayments
		SET state = $2, prepay_id = $3, code_url = $4, mweb_url = $5, opened = $6, expires = $7, leased_until = $8
		WHERE out_trade_no = $1`
)

// Change locks the order: payments are never changed optimistically.
func (v Ledger) Change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		old, err := v.loadTrade(tx, id)
		if err != nil {
			return err
		}
		next := old
		next.Prepayments, next.Payments = slices.Clone(old.Prepayments), slices.Clone(old.Payments)
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return err
		}
		err = storeTrade(tx, old, next)
		if next.Answer != nil {
			people.AnswerKey(tx, *next.Answer) // behind the payer's notifications, as with a new order
		}
		return err
	})
}

// loadTrade locks the order and reads the trade.
func (v Ledger) loadTrade(tx *engine.Tx, id payment.OrderID) (payment.Trade, error) {
	var order OrderRow
	if err := v.DB.Selecting(tx).Model(&order).Where("id = ?", id).Scan(tx.Context()); err != nil {
		return payment.Trade{}, engine.OrNotFound(err, payment.ErrNoOrder)
	}
	var prepayments []PrepaymentRow
	var payments []PaymentRow
	err := cmp.Or(tx.NewSelect().Model(&prepayments).Where("order_id = ?", id).Order("id").Scan(tx.Context()),
		tx.NewSelect().Model(&payments).Where("order_id = ?", id).Order("id").Scan(tx.Context()))
	return payment.Trade{
		Order: order.Order(), NextCheck: order.NextCheck.Time, Prepayments: engine.Mapped(prepayments, PrepaymentRow.Prepayment),
		Payments: engine.Mapped(payments, PaymentRow.Payment),
	}, err
}

// storeTrade queues the statements that store the changes. A new prepayment is behind the former ones, which are closed before it is
// inserted. Its request never changes.
func storeTrade(tx *engine.Tx, old, next payment.Trade) error {
	if o := next.Order; o != old.Order || !next.NextCheck.Equal(old.NextCheck) {
		if old.Order.State == payment.Paid && o.State != payment.Paid {
			return errors.New("an order that is paid stays paid")
		}
		tx.Queue(updateOrder, old.Order.ID, old.Order.State, o.State, o.PaidAt, engine.NullIfZero(o.Transaction), next.NextCheck).
			Must(errors.New("a locked order has changed"))
		people.Notify(tx, notification.OfPaid(old.Order, o))
	}
	for _, p := range next.Prepayments {
		i := slices.IndexFunc(old.Prepayments, func(o payment.Prepayment) bool { return o.TradeNo == p.TradeNo })
		switch {
		case i < 0:
			tx.Queue(insertPrepayment, old.Order.ID, p.TradeNo, p.Protocol, p.Intent.EndType, p.Intent.App, p.Intent.OpenID, p.State,
				engine.Filled(p.Request), p.Ticket.PrepayID, p.Ticket.CodeURL, p.Ticket.MWebURL, p.Created, p.Opened, p.Expires, p.LeasedUntil)
		case !reflect.DeepEqual(p, old.Prepayments[i]):
			tx.Queue(updatePrepayment, p.TradeNo, p.State, p.Ticket.PrepayID, p.Ticket.CodeURL, p.Ticket.MWebURL, p.Opened, p.Expires, p.LeasedUntil)
		}
	}
	for _, p := range next.Payments {
		i := slices.IndexFunc(old.Payments, func(o payment.Payment) bool { return o.TransactionID == p.TransactionID })
		switch {
		case i < 0:
			addPayment(tx, old.Order.ID, p).Must(fmt.Errorf("the transaction %s is stored", p.TransactionID))
		case p != old.Payments[i]:
			tx.Queue("UPDATE payments SET state = $2, amount = $3, currency = $4 WHERE transaction_id = $1",
				p.TransactionID, p.State, p.Amount, p.Currency)
		}
	}
	journal(tx, old.Order.ID, next.Entries...)
	return nil
}
