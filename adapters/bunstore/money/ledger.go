// Package money stores orders, payments and refunds, and what differs from the wallet's bills.
package money

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/audit"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Ledger implements payment.Ledger.
type Ledger struct{ people.Keys }

// insertOrder adds an order: $1 user, $2 subject, $3 amount, $4 currency, $5 state, $6 created, $7 expires, $8 when it was paid, $9
// transaction, $10 next check.
const insertOrder = `
	INSERT INTO orders (user_id, subject, amount, currency, state, created, expires, paid, transaction_id, next_check)
	VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
	RETURNING id`

func (v Ledger) AddOrder(ctx context.Context, o payment.Order, k *idempotency.Key) (payment.Order, error) {
	var next time.Time
	if o.State == payment.Open {
		next = o.Expires
	}
	err := v.DB.Write(ctx, func(tx *engine.Tx) error {
		tx.Queue(insertOrder, o.User, o.Subject, o.Amount, o.Currency, o.State, o.Created, o.Expires, o.PaidAt,
			engine.NullIfZero(o.Transaction), next).Into((*int64)(&o.ID))
		if err := tx.Send(); err != nil {
			return err
		}
		audit.Made(ctx, audit.Numbered(audit.Order, o.ID), o.User)
		if k != nil {
			people.AnswerKey(tx, idempotency.Answer{Key: *k, Kind: idempotency.Order, ID: int64(o.ID), At: o.Created})
		}
		journal(tx, o.ID, payment.Entry{At: o.Created, Noted: payment.NotedOrdered})
		return nil
	})
	return o, err
}

func (v Ledger) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	row, err := engine.SelectOne[OrderRow](ctx, v.DB, payment.ErrNoOrder, "id = ?", id)
	return row.Order(), err
}

func (v Ledger) OpenOrders(ctx context.Context, id user.ID) ([]payment.Order, error) {
	rows, err := engine.SelectAll[OrderRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("user_id = ? AND state = ?", id, payment.Open).Order("created DESC", "id DESC")
	})
	return engine.Mapped(rows, OrderRow.Order), err
}

func (v Ledger) Orders(ctx context.Context, f payment.OrderFilter, r page.Request) (page.Page[payment.Order], error) {
	p, err := engine.ListPage[OrderRow](ctx, v.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		if f.IsInDoubt { // of those that are alive, which an index has
			query = query.Where(`id IN (SELECT order_id FROM prepayments
				WHERE state IN ('preparing', 'unknown', 'live', 'closing') AND state IN ('unknown', 'closing'))`)
		}
		return engine.WhereSet(engine.WhereSet(engine.Within(query, "created", f.Span), "state", f.State), "user_id", f.User)
	}, ordered(v.DB, f.Span, "created", func(r OrderRow) page.Cursor { return r.Order().AtCursor(f.Span) }))
	return page.Map(p, OrderRow.Order), err
}

func (v Ledger) OrdersOf(ctx context.Context, ids []payment.OrderID) ([]payment.Order, error) {
	rows, err := engine.SelectAll[OrderRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("id IN (?)", bun.List(ids))
	})
	return engine.Mapped(rows, OrderRow.Order), err
}

func (v Ledger) OrderOf(ctx context.Context, no payment.TradeNo) (payment.OrderID, error) {
	row, err := engine.One[PrepaymentRow](ctx, v.DB, payment.ErrNoOrder, "SELECT order_id FROM prepayments WHERE out_trade_no = $1", no)
	return row.OrderID, err
}

func (v Ledger) AddUnmatched(ctx context.Context, p payment.Payment) (stored payment.Payment, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		addPayment(tx, 0, p)
		engine.Found(tx, tx.Queue(v.DB.Pick(paymentsOf), []string{p.TransactionID}), func(row *PaymentRow) error {
			stored = row.Payment()
			return nil
		})
		return nil
	})
	return stored, err
}

// postponeOrders and postponeRefunds set the next check of those of $1 to $2.
var (
	postponeOrders  = engine.Both(`UPDATE orders SET next_check = $2 WHERE id = ANY($1)`)
	postponeRefunds = engine.Both(`UPDATE refunds SET next_check = $2 WHERE id = ANY($1)`)
)

// Due skips orders that another caller is changing: their Change sets the next check, and Due soon runs again.
func (v Ledger) Due(ctx context.Context, now, next time.Time, limit int) ([]payment.OrderID, error) {
	id := func(r OrderRow) payment.OrderID { return r.ID }
	due, err := engine.Claim(ctx, v.DB, "next_check", "id", id, postponeOrders, now, next, limit)
	return engine.Mapped(due, id), err
}

func (v Ledger) Payments(ctx context.Context, f payment.PaymentFilter, r page.Request) (page.Page[payment.Payment], error) {
	var named PaymentRow
	if f.Transaction != "" { // staff may type anything, which bun would write into a text
		var err error
		named, err = engine.One[PaymentRow](ctx, v.DB, nil, v.DB.Pick(paymentsOf), []string{f.Transaction})
		if err != nil {
			return page.Page[payment.Payment]{}, err
		}
	}
	p, err := engine.ListPage[PaymentRow](ctx, v.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		if f.State == payment.RefundDue {
			query = query.Where("refunded < amount")
		}
		if f.Transaction != "" {
			query = query.Where("id = ?", named.ID)
		}
		query = engine.WhereSet(engine.WhereSet(query, "state", f.State), "order_id", f.Order)
		return engine.WhereSet(engine.WhereSet(engine.Within(query, "received", f.Span), "user_id", f.User), "id", f.ID)
	}, ordered(v.DB, f.Span, "received", func(r PaymentRow) page.Cursor { return r.Payment().AtCursor(f.Span) }))
	return page.Map(p, PaymentRow.Payment), err
}

func (v Ledger) Journal(ctx context.Context, id payment.OrderID) ([]payment.Entry, error) {
	rows, err := engine.SelectAll[entryRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("order_id = ?", id).Order("id")
	})
	return engine.Mapped(rows, entryRow.entry), err
}

const (
	// lockPayer locks the order of the payment $1, if it has one, and finds its user, and the app of the prepayment.
	lockPayer = `
		SELECT user_id, COALESCE(
			(SELECT app FROM prepayments WHERE out_trade_no = (SELECT out_trade_no FROM payments WHERE id = $1)), '')
		FROM orders WHERE id = (SELECT order_id FROM payments WHERE id = $1)
		FOR UPDATE`

	// insertRefund adds a refund of the payment $1: $2 its number, $3 amount, $4 currency, $5 reason, $6 origin, $7 the member of
	// staff, $8 state, $9 the wallet's number, $10 created, $11 updated, $12 sent, $13 next check.
	insertRefund = `
		INSERT INTO refunds (payment_id, out_refund_no, amount, currency, reason, origin, requested_by, state, wallet_refund_id,
			created, updated, sent, next_check, user_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, (SELECT user_id FROM payments WHERE id = $1))
		RETURNING id`

	// updateRefund changes the refund $1: $2 state, $3 the wallet's number, $4 updated, $5 sent, $6 next check.
	updateRefund = `
		UPDATE refunds SET state = $2, wallet_refund_id = $3, updated = $4, sent = $5, next_check = $6 WHERE out_refund_no = $1`
)

// ChangeRefunds locks the order of the payment, if it has one, and then the payment. So it never overlaps a Change of the order.
func (v Ledger) ChangeRefunds(
	ctx context.Context, id payment.PaymentID, fn func(*payment.RefundAccount) error,
) (stored payment.RefundAccount, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		old, payer, err := v.loadRefunds(tx, id)
		if err != nil {
			return err
		}
		next := old
		next.Refunds = slices.Clone(old.Refunds)
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return err
		}
		if err := storeRefunds(tx, old, &next); err != nil {
			return err
		}
		for i, made := range next.Refunds[len(old.Refunds):] {
			next.Refunds[len(old.Refunds)+i].Payer = payer
			audit.Made(ctx, audit.Numbered(audit.Refund, made.ID), payer)
		}
		next.Payment.Refunded = next.Refunded()
		if of := old.Payment.Order; of != 0 {
			journal(tx, of, next.Entries...)
		}
		next.Entries, next.Completes = nil, nil
		stored = next
		return nil
	})
	return stored, err
}

// loadRefunds locks and reads the account, and the payer of its order; zero: it has none.
func (v Ledger) loadRefunds(tx *engine.Tx, id payment.PaymentID) (a payment.RefundAccount, payer user.ID, err error) {
	tx.Queue(lockPayer, id).Into((*int64)(&payer), (*string)(&a.App))
	var of PaymentRow
	if err := v.DB.Selecting(tx).Model(&of).Where("id = ?", id).Scan(tx.Context()); err != nil {
		return a, 0, engine.OrNotFound(err, payment.ErrNoPayment)
	}
	var refunds []RefundRow
	err = tx.NewSelect().Model(&refunds).Where("payment_id = ?", id).Order("id").Scan(tx.Context())
	a.Payment, a.Refunds = of.Payment(), engine.Mapped(refunds, RefundRow.Refund)
	a.App = cmp.Or(a.App, a.Payment.App)
	return a, payer, err
}

// storeRefunds stores new refunds and gives them their numbers, and queues the statements that store the other changes. The
// key of a new refund waits for no lock.
func storeRefunds(tx *engine.Tx, old payment.RefundAccount, next *payment.RefundAccount) error {
	for n := range next.Refunds {
		r := &next.Refunds[n]
		switch i := slices.IndexFunc(old.Refunds, func(o payment.Refund) bool { return o.No == r.No }); {
		case i < 0:
			r.Payment = old.Payment.ID
			tx.Queue(insertRefund, r.Payment, r.No, r.Amount, r.Currency, r.Reason, r.Origin, engine.NullIfZero(r.Staff), r.State, r.WalletID,
				r.Created, r.Updated, r.Sent, r.NextCheck).Into((*int64)(&r.ID))
			if err := tx.Send(); err != nil {
				return err
			}
			if next.Completes != nil {
				people.AnswerKey(tx, idempotency.Answer{Key: *next.Completes, Kind: idempotency.Refund, ID: int64(r.ID), At: r.Created})
			}
		case *r != old.Refunds[i]:
			tx.Queue(updateRefund, r.No, r.State, r.WalletID, r.Updated, r.Sent, r.NextCheck)
		}
	}
	if sum := next.Refunded(); sum != old.Payment.Refunded {
		tx.Queue("UPDATE payments SET refunded = $2 WHERE id = $1", old.Payment.ID, sum)
	}
	return nil
}

func (v Ledger) Refund(ctx context.Context, id payment.RefundID) (payment.Refund, error) {
	row, err := engine.SelectOne[RefundRow](ctx, v.DB, payment.ErrNoRefund, "id = ?", id)
	return row.Refund(), err
}

func (v Ledger) Refunds(ctx context.Context, f payment.RefundFilter, r page.Request) (page.Page[payment.Refund], error) {
	p, err := engine.ListPage[RefundRow](ctx, v.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		query = engine.WhereSet(engine.Within(query, "created", f.Span), "user_id", f.User)
		return engine.WhereSet(engine.WhereSet(query, "state", f.State), "payment_id", f.Payment)
	}, ordered(v.DB, f.Span, "created", func(r RefundRow) page.Cursor { return r.Refund().AtCursor(f.Span) }))
	return page.Map(p, RefundRow.Refund), err
}

// DueRefunds skips refunds that another caller is changing: their ChangeRefunds sets the next check.
func (v Ledger) DueRefunds(ctx context.Context, now, next time.Time, limit int) ([]payment.Refund, error) {
	id := func(r RefundRow) payment.RefundID { return r.ID }
	due, err := engine.Claim(ctx, v.DB, "next_check", "id", id, postponeRefunds, now, next, limit)
	for i := range due {
		due[i].NextCheck = engine.At(instant.Normalise(next))
	}
	return engine.Mapped(due, RefundRow.Refund), err
}

func (v Ledger) HastenRefund(ctx context.Context, no payment.RefundNo, now time.Time) error {
	return v.DB.Exec(ctx, "UPDATE refunds SET next_check = $2 WHERE out_refund_no = $1 AND next_check > $2", no, instant.Normalise(now))
}

// Unrefunded reads the index payments_still_due, which has the few payments of which something is not refunded.
func (v Ledger) Unrefunded(ctx context.Context, over []payment.Protocol, limit int) ([]payment.PaymentID, error) {
	rows, err := engine.SelectAll[PaymentRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		query = query.Where("state = 'refund_due' AND refunded < amount AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.payment_id = p.id)").
			Where("protocol IN (?)", bun.List(over))
		return engine.Limited(query.Column("id").Order("received", "id"), limit)
	})
	return engine.Mapped(rows, func(r PaymentRow) payment.PaymentID { return r.ID }), err
}
