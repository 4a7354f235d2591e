package bunstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/audit"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Ledger implements payment.Ledger.
type Ledger struct{ Keys }

// Ledger returns the ledger of orders and payments.
func (s *Store) Ledger() Ledger { return Ledger{s.Keys()} }

// transact calls fn in a transaction. The steps that fn returns run with the commit,
// without a round trip of their own.
func (v Ledger) transact(ctx context.Context, fn func(ctx context.Context, tx *engine.Tx) ([]engine.Step, error)) error {
	return v.s.Transact(ctx, v.s.Limit, nil, fn)
}

func (v Ledger) AddOrder(ctx context.Context, o payment.Order, k *idempotency.Key) (payment.Order, error) {
	err := v.transact(ctx, func(ctx context.Context, tx *engine.Tx) ([]engine.Step, error) {
		row := orderRowOf(o)
		if o.State == payment.Open {
			row.NextCheck = row.Expires
		}
		if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
			return nil, err
		}
		o.ID = row.ID
		audit.Made(ctx, audit.Numbered(audit.Order, o.ID), o.User)
		if k != nil {
			if err := storeAnswer(ctx, tx, idempotency.Answer{Key: *k, Kind: idempotency.Order, ID: int64(o.ID), At: o.Created}); err != nil {
				return nil, err
			}
		}
		return insertSteps(tx, entryRowsOf(o.ID, payment.Entry{At: o.Created, Noted: payment.NotedOrdered})), nil
	})
	if err != nil {
		return payment.Order{}, err
	}
	return o, nil
}

func (v Ledger) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	row, err := engine.SelectOne[orderRow](ctx, v.s.DB, payment.ErrNoOrder, "id = ?", id)
	return row.order(), err
}

func (v Ledger) OpenOrders(ctx context.Context, id user.ID) ([]payment.Order, error) {
	rows, err := engine.SelectAll[orderRow](ctx, v.s.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("user_id = ? AND state = ?", id, payment.Open).Order("created DESC", "id DESC")
	})
	return engine.Mapped(rows, orderRow.order), err
}

func (v Ledger) Orders(ctx context.Context, f payment.OrderFilter, r page.Request) (page.Page[payment.Order], error) {
	p, err := engine.ListPage[orderRow](ctx, v.s.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		return engine.WhereSet(engine.WhereSet(query, "state", f.State), "user_id", f.User)
	}, "created DESC, id DESC")
	return page.Map(p, orderRow.order), err
}

func (v Ledger) OrdersOf(ctx context.Context, ids []payment.OrderID) ([]payment.Order, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	rows, err := engine.SelectAll[orderRow](ctx, v.s.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("id IN (?)", bun.List(ids))
	})
	return engine.Mapped(rows, orderRow.order), err
}

func (v Ledger) OrderOf(ctx context.Context, no payment.TradeNo) (payment.OrderID, error) {
	row, err := engine.SelectOne[prepaymentRow](ctx, v.s.DB, payment.ErrNoOrder, "out_trade_no = ?", no)
	return row.OrderID, err
}

func (v Ledger) AddUnmatched(ctx context.Context, p payment.Payment) (stored payment.Payment, err error) {
	row := paymentRowOf(0, p)
	err = v.s.writeAll(ctx, []engine.Step{
		engine.Built(v.s.Writer.NewInsert().Model(&row).On("CONFLICT (transaction_id) DO NOTHING")),
		engine.BuiltRead(v.s.Writer.NewSelect().Where("transaction_id = ?", p.TransactionID), func(r paymentRow) { stored = r.payment() }),
	})
	if err != nil {
		return payment.Payment{}, err
	}
	return stored, nil
}

// Due skips orders that another caller is changing: their Change sets the next check,
// and Due soon runs again.
func (v Ledger) Due(ctx context.Context, now, next time.Time, limit int) ([]payment.OrderID, error) {
	id := func(r orderRow) payment.OrderID { return r.ID }
	due, err := claim(ctx, v.s, "next_check", "id", id, now, next, limit)
	return engine.Mapped(due, id), err
}

func (v Ledger) Payments(ctx context.Context, f payment.PaymentFilter, r page.Request) (page.Page[payment.Payment], error) {
	p, err := engine.ListPage[paymentRow](ctx, v.s.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		if f.State == payment.RefundDue {
			query = query.Where("refunded < amount")
		}
		query = engine.WhereSet(engine.WhereSet(query, "state", f.State), "order_id", f.Order)
		return engine.WhereSet(engine.WhereSet(query, "id", f.ID), "transaction_id", f.Transaction)
	}, "received DESC, id DESC")
	return page.Map(p, paymentRow.payment), err
}

func (v Ledger) Journal(ctx context.Context, id payment.OrderID) ([]payment.Entry, error) {
	rows, err := engine.SelectAll[entryRow](ctx, v.s.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("order_id = ?", id).Order("id")
	})
	return engine.Mapped(rows, entryRow.entry), err
}

// ChangeRefunds locks the order of the payment, if it has one, and then the payment. So it never overlaps a
// Change of the order.
func (v Ledger) ChangeRefunds(
	ctx context.Context, id payment.PaymentID, fn func(*payment.RefundAccount) error,
) (stored payment.RefundAccount, err error) {
	err = v.transact(ctx, func(ctx context.Context, tx *engine.Tx) ([]engine.Step, error) {
		old, payer, err := v.loadRefunds(ctx, tx, id)
		if err != nil {
			return nil, err
		}
		next := old
		next.Refunds = slices.Clone(old.Refunds)
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return nil, err
		}
		steps, err := storeRefunds(ctx, tx, old, &next)
		if err != nil {
			return nil, err
		}
		for _, made := range next.Refunds[len(old.Refunds):] {
			audit.Made(ctx, audit.Numbered(audit.Refund, made.ID), payer)
		}
		next.Payment.Refunded = next.Refunded()
		if of := old.Payment.Order; of != 0 {
			steps = append(steps, insertSteps(tx, entryRowsOf(of, next.Entries...))...)
		}
		next.Entries, next.Completes = nil, nil
		stored = next
		return steps, nil
	})
	if err != nil {
		return payment.RefundAccount{}, err
	}
	return stored, nil
}

// loadRefunds locks and reads the account, and the payer of its order; zero: it has none.
func (v Ledger) loadRefunds(
	ctx context.Context, tx *engine.Tx, id payment.PaymentID,
) (a payment.RefundAccount, payer user.ID, err error) {
	var payers []user.ID
	err = v.s.Selecting(tx).Model((*orderRow)(nil)).Column("user_id").
		Where("id = (SELECT order_id FROM payments WHERE id = ?)", id).Scan(ctx, &payers)
	if err != nil {
		return a, 0, err
	}
	if len(payers) > 0 {
		payer = payers[0]
	}
	err = tx.Run(ctx,
		engine.BuiltRead(v.s.Selecting(tx).Where("id = ?", id), func(r paymentRow) { a.Payment = r.payment() }),
		engine.BuiltRead(tx.NewSelect().Where("out_trade_no = (SELECT out_trade_no FROM payments WHERE id = ? AND order_id IS NOT NULL)", id),
			func(r prepaymentRow) { a.App = r.App }),
		engine.BuiltRead(tx.NewSelect().Where("payment_id = ?", id).Order("id"), func(r refundRow) { a.Refunds = append(a.Refunds, r.refund()) }),
	)
	if err == nil && a.Payment.ID == 0 {
		err = payment.ErrNoPayment
	}
	a.App = cmp.Or(a.App, a.Payment.App)
	return a, payer, err
}

// storeRefunds stores new refunds and gives them their numbers. It returns the steps that store the other
// changes. The key of a new refund comes last: it waits for no lock.
func storeRefunds(
	ctx context.Context, tx *engine.Tx, old payment.RefundAccount, next *payment.RefundAccount,
) (steps []engine.Step, err error) {
	for n := range next.Refunds {
		r := &next.Refunds[n]
		row := refundRowOf(old.Payment.ID, *r)
		switch i := slices.IndexFunc(old.Refunds, func(o payment.Refund) bool { return o.No == r.No }); {
		case i < 0:
			if _, err := tx.NewInsert().Model(&row).Exec(ctx); err != nil {
				return nil, err
			}
			*r = row.refund()
			if next.Completes != nil {
				answer := idempotency.Answer{Key: *next.Completes, Kind: idempotency.Refund, ID: int64(row.ID), At: r.Created}
				if err := storeAnswer(ctx, tx, answer); err != nil {
					return nil, err
				}
			}
		case *r != old.Refunds[i]:
			steps = append(steps, engine.Built(tx.NewUpdate().Model(&row).
				Column("state", "wallet_refund_id", "updated", "sent", "next_check").Where("out_refund_no = ?", r.No)))
		}
	}
	if sum := next.Refunded(); sum != old.Payment.Refunded {
		steps = append(steps, engine.Built(tx.NewUpdate().Model((*paymentRow)(nil)).Set("refunded = ?", sum).Where("id = ?", old.Payment.ID)))
	}
	return steps, nil
}

func (v Ledger) Refund(ctx context.Context, id payment.RefundID) (payment.Refund, error) {
	row, err := engine.SelectOne[refundRow](ctx, v.s.DB, payment.ErrNoRefund, "id = ?", id)
	return row.refund(), err
}

func (v Ledger) Refunds(ctx context.Context, f payment.RefundFilter, r page.Request) (page.Page[payment.Refund], error) {
	p, err := engine.ListPage[refundRow](ctx, v.s.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		return engine.WhereSet(engine.WhereSet(query, "state", f.State), "payment_id", f.Payment)
	}, "created DESC, id DESC")
	return page.Map(p, refundRow.refund), err
}

// DueRefunds skips refunds that another caller is changing: their ChangeRefunds sets the next check.
func (v Ledger) DueRefunds(ctx context.Context, now, next time.Time, limit int) ([]payment.Refund, error) {
	id := func(r refundRow) payment.RefundID { return r.ID }
	due, err := claim(ctx, v.s, "next_check", "id", id, now, next, limit)
	for i := range due {
		due[i].NextCheck = engine.At(instant.Normalise(next))
	}
	return engine.Mapped(due, refundRow.refund), err
}

func (v Ledger) HastenRefund(ctx context.Context, no payment.RefundNo, now time.Time) error {
	due := engine.At(instant.Normalise(now))
	return v.s.exec(ctx, v.s.Writer.NewUpdate().Model((*refundRow)(nil)).Set("next_check = ?", due).
		Where("out_refund_no = ? AND next_check > ?", no, due))
}

// Unrefunded implements payment.Refunds. The index payments_still_due has the few payments of which something
// is not refunded.
func (v Ledger) Unrefunded(ctx context.Context, limit int) (ids []payment.PaymentID, err error) {
	if limit <= 0 { // bun takes zero for no limit
		return nil, nil
	}
	err = v.s.Read(ctx, func(ctx context.Context) error {
		ids = nil
		return v.s.Reader.NewSelect().Model((*paymentRow)(nil)).Column("id").
			Where("state = 'refund_due' AND refunded < amount AND NOT EXISTS (SELECT 1 FROM refunds r WHERE r.payment_id = p.id)").
			Order("received", "id").Limit(int64(limit)).Scan(ctx, &ids)
	})
	return ids, err
}

type refundRow struct {
	bun.BaseModel  `bun:"table:refunds,alias:r"`
	ID             payment.RefundID `bun:",pk,autoincrement"`
	PaymentID      payment.PaymentID
	No             payment.RefundNo `bun:"out_refund_no"`
	Amount         int64
	Currency       string
	Reason         string
	Origin         payment.RefundOrigin
	RequestedBy    user.ID `bun:",nullzero"`
	State          payment.RefundState
	WalletRefundID string
	Created        engine.Time
	Updated        engine.Time
	Sent           engine.Time
	NextCheck      engine.Time
	engine.PageRow
}

func refundRowOf(id payment.PaymentID, r payment.Refund) refundRow {
	return refundRow{
		PaymentID: id, No: r.No, Amount: r.Amount, Currency: r.Currency, Reason: r.Reason, Origin: r.Origin, RequestedBy: r.Staff,
		State: r.State, WalletRefundID: r.WalletID,
		Created: engine.At(r.Created), Updated: engine.At(r.Updated), Sent: engine.At(r.Sent), NextCheck: engine.At(r.NextCheck),
	}
}

func (r refundRow) refund() payment.Refund {
	return payment.Refund{
		ID: r.ID, Payment: r.PaymentID, No: r.No, Amount: r.Amount, Currency: r.Currency, Reason: r.Reason, Origin: r.Origin,
		Staff: r.RequestedBy, State: r.State, WalletID: r.WalletRefundID,
		Created: r.Created.Time, Updated: r.Updated.Time, Sent: r.Sent.Time, NextCheck: r.NextCheck.Time,
	}
}
