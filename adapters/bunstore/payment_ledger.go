package bunstore

import (
	"context"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/audit"
	"plaza/domain/idempotency"
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
func (v Ledger) transact(ctx context.Context, fn func(ctx context.Context, tx *engine.Transaction) ([]engine.Step, error)) error {
	return v.s.Transact(ctx, v.s.Limit, nil, fn)
}

func (v Ledger) AddOrder(ctx context.Context, o payment.Order, k *idempotency.Key) (payment.Order, error) {
	err := v.transact(ctx, func(ctx context.Context, tx *engine.Transaction) ([]engine.Step, error) {
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
	due, err := claim(ctx, v.s, "look", "id", id, now, next, limit)
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
