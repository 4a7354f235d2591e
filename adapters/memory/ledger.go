package memory

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Ledger is the store as payment.Ledger.
type Ledger struct{ Keys }

// Ledger returns the store's orders.
func (s *Store) Ledger() Ledger { return Ledger{s.Keys()} }

var _ payment.Ledger = Ledger{}

// ledger is the state of orders and payments.
type ledger struct {
	orders      map[payment.OrderID]payment.Order
	nextChecks  map[payment.OrderID]time.Time
	prepayments map[payment.OrderID][]payment.Prepayment
	tradeNos    map[payment.TradeNo]payment.OrderID
	payments    map[string]payment.Payment // by transaction id
	journal     map[payment.OrderID][]payment.Entry
	refunds     map[payment.RefundID]payment.Refund

	findings        map[findingKey]seenFinding
	reconciliations map[payment.Day]reconciliation
}

func newLedger() ledger {
	return ledger{
		orders: map[payment.OrderID]payment.Order{}, nextChecks: map[payment.OrderID]time.Time{},
		prepayments: map[payment.OrderID][]payment.Prepayment{}, tradeNos: map[payment.TradeNo]payment.OrderID{},
		payments: map[string]payment.Payment{}, journal: map[payment.OrderID][]payment.Entry{},
		refunds:  map[payment.RefundID]payment.Refund{},
		findings: map[findingKey]seenFinding{}, reconciliations: map[payment.Day]reconciliation{},
	}
}

func (v Ledger) AddOrder(ctx context.Context, o payment.Order, k *idempotency.Key) (payment.Order, error) {
	return write(ctx, v.s, func() (payment.Order, error) {
		if err := v.s.checkUser(o.User); err != nil {
			return payment.Order{}, err
		}
		l := &v.s.ledger
		if k != nil {
			if err := v.s.requests.checkUnanswered(*k); err != nil {
				return payment.Order{}, err
			}
		}
		o.ID = payment.OrderID(v.s.numbers.order.next())
		l.orders[o.ID] = o
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
	return read(ctx, v.s, func() (payment.Order, error) {
		o, exists := v.s.ledger.orders[id]
		if !exists {
			return payment.Order{}, payment.ErrNoOrder
		}
		return o, nil
	})
}

func (v Ledger) OpenOrders(ctx context.Context, id user.ID) ([]payment.Order, error) {
	return read(ctx, v.s, func() ([]payment.Order, error) {
		return v.s.ledger.ordersOf(payment.OrderFilter{User: id, State: payment.Open}), nil
	})
}

// ordersOf returns the orders that the filter selects, the newest first.
func (l *ledger) ordersOf(f payment.OrderFilter) []payment.Order {
	var theirs []payment.Order
	for _, o := range l.orders {
		if (o.User == f.User || f.User == 0) && (o.State == f.State || f.State == "") {
			theirs = append(theirs, o)
		}
	}
	sortFunc(theirs, func(a, b payment.Order) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	return theirs
}

func (v Ledger) Orders(ctx context.Context, f payment.OrderFilter, p page.Request) (page.Page[payment.Order], error) {
	return read(ctx, v.s, func() (page.Page[payment.Order], error) {
		return pageOf(p, v.s.ledger.ordersOf(f))
	})
}

func (v Ledger) OrdersOf(ctx context.Context, ids []payment.OrderID) ([]payment.Order, error) {
	return read(ctx, v.s, func() (found []payment.Order, err error) {
		for _, id := range unique(ids) {
			if o, exists := v.s.ledger.orders[id]; exists {
				found = append(found, o)
			}
		}
		return found, nil
	})
}

func (v Ledger) OrderOf(ctx context.Context, no payment.TradeNo) (payment.OrderID, error) {
	return read(ctx, v.s, func() (payment.OrderID, error) {
		id, exists := v.s.ledger.tradeNos[no]
		if !exists {
			return 0, payment.ErrNoOrder
		}
		return id, nil
	})
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
	return write(ctx, v.s, func() ([]payment.OrderID, error) {
		looks := v.s.ledger.nextChecks
		var due []payment.OrderID
		for id, at := range looks {
			if !at.After(now) {
				due = append(due, id)
			}
		}
		sortFunc(due, func(a, b payment.OrderID) int { return cmp.Or(looks[a].Compare(looks[b]), cmp.Compare(a, b)) })
		due = first(due, max(limit, 0))
		for _, id := range due {
			looks[id] = instant.Normalise(next)
		}
		return due, nil
	})
}

func (v Ledger) Payments(ctx context.Context, verdict payment.PaymentState, p page.Request) (page.Page[payment.Payment], error) {
	return read(ctx, v.s, func() (page.Page[payment.Payment], error) {
		var payments []payment.Payment
		for _, p := range v.s.ledger.payments {
			isOver := verdict == payment.RefundDue && p.Refunded >= p.Amount
			if (verdict == "" || p.State == verdict) && !isOver {
				payments = append(payments, p)
			}
		}
		sortFunc(payments, func(a, b payment.Payment) int {
			return cmp.Or(b.Received.Compare(a.Received), cmp.Compare(b.ID, a.ID))
		})
		return pageOf(p, payments)
	})
}

func (v Ledger) Journal(ctx context.Context, id payment.OrderID) ([]payment.Entry, error) {
	return read(ctx, v.s, func() ([]payment.Entry, error) {
		return slices.Clone(v.s.ledger.journal[id]), nil
	})
}

// copyPrepayments returns deep copies.
func copyPrepayments(prepayments []payment.Prepayment) []payment.Prepayment {
	copies := slices.Clone(prepayments)
	for i, p := range copies {
		copies[i].Request = bytes.Clone(p.Request)
	}
	return copies
}
