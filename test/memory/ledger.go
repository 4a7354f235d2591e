package memory

import (
	"context"
	"iter"
	"slices"
	"time"

	"plaza/domain/audit"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Ledger is the store as payment.Ledger.
type Ledger struct{ Keys }

func (v Ledger) AddOrder(ctx context.Context, o payment.Order, k *idempotency.Key) (payment.Order, error) {
	return write(ctx, v.s, func() (payment.Order, error) {
		if err := v.s.checkUser(o.User); err != nil {
			return payment.Order{}, err
		}
		l := &v.s.ledger
		if err := v.s.requests.checkUnanswered(k); err != nil {
			return payment.Order{}, err
		}
		o.ID = payment.OrderID(v.s.numbers.order.next())
		l.orders[o.ID], l.changes[o.ID] = o, v.s.writes
		audit.Made(ctx, audit.Numbered(audit.Order, o.ID), o.User)
		if o.State == payment.Open {
			l.nextChecks[o.ID] = o.Expires
		}
		l.journal[o.ID] = []payment.Entry{{At: o.Created, Noted: payment.NotedOrdered}}
		if k != nil {
			v.s.requests.answer(idempotency.Answer{Key: *k, Kind: idempotency.Order, ID: int64(o.ID), At: o.Created})
		}
		return o, nil
	})
}

func (v Ledger) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	return read(ctx, v.s, func() (payment.Order, error) { return v.s.ledger.orders.get(id, payment.ErrNoOrder) })
}

func (v Ledger) OpenOrders(ctx context.Context, id user.ID) ([]payment.Order, error) {
	f := payment.OrderFilter{User: id, State: payment.Open}
	return read(ctx, v.s, func() ([]payment.Order, error) {
		return sorted(v.s.ledger.ordersOf(f), latest(keyIn(f.Span, payment.Order.AtCursor))), nil
	})
}

// ordersOf yields the orders that the filter selects.
func (l *ledger) ordersOf(f payment.OrderFilter) iter.Seq[payment.Order] {
	return l.orders.where(func(o payment.Order) bool {
		inDoubt := func(p payment.Prepayment) bool { return p.IsInDoubt() }
		return (o.User == f.User || f.User == 0) && (o.State == f.State || f.State == "") &&
			(!f.IsInDoubt || slices.ContainsFunc(l.prepayments[o.ID], inDoubt)) && f.Has(o.Created)
	})
}

func (v Ledger) Orders(ctx context.Context, f payment.OrderFilter, p page.Request) (page.Page[payment.Order], error) {
	return pageOf(ctx, v.s, p, v.s.ledger.ordersOf(f), keyIn(f.Span, payment.Order.AtCursor))
}

func (v Ledger) OrdersOf(ctx context.Context, ids []payment.OrderID) ([]payment.Order, error) {
	return read(ctx, v.s, func() ([]payment.Order, error) { return v.s.ledger.orders.among(ids), nil })
}

func (v Ledger) OrderOf(ctx context.Context, no payment.TradeNo) (payment.OrderID, error) {
	return read(ctx, v.s, func() (payment.OrderID, error) { return v.s.ledger.tradeNos.get(no, payment.ErrNoOrder) })
}

func (v Ledger) AddUnmatched(ctx context.Context, p payment.Payment) (payment.Payment, error) {
	return write(ctx, v.s, func() (payment.Payment, error) {
		if stored, exists := v.s.ledger.payments[p.TransactionID]; exists {
			return stored, nil
		}
		p.ID, p.Order = payment.PaymentID(v.s.numbers.payment.next()), 0
		v.s.ledger.payments[p.TransactionID] = p
		return p, nil
	})
}

func (v Ledger) Due(ctx context.Context, now, next time.Time, limit int) ([]payment.OrderID, error) {
	return write(ctx, v.s, func() ([]payment.OrderID, error) { return claimDue(v.s.ledger.nextChecks, now, next, limit), nil })
}

func (v Ledger) Payments(ctx context.Context, f payment.PaymentFilter, r page.Request) (page.Page[payment.Payment], error) {
	return pageOf(ctx, v.s, r, v.s.ledger.payments.where(func(p payment.Payment) bool {
		isOver := f.State == payment.RefundDue && p.Refunded >= p.Amount
		return (f.State == "" || p.State == f.State) && !isOver && (f.Order == 0 || p.Order == f.Order) &&
			(f.ID == 0 || p.ID == f.ID) && (f.Transaction == "" || p.TransactionID == f.Transaction) &&
			(f.User == 0 || v.s.ledger.orders[p.Order].User == f.User) && f.Has(p.Received)
	}), keyIn(f.Span, payment.Payment.AtCursor))
}

func (v Ledger) Journal(ctx context.Context, id payment.OrderID) ([]payment.Entry, error) {
	return read(ctx, v.s, func() ([]payment.Entry, error) { return slices.Clone(v.s.ledger.journal[id]), nil })
}
