package memory

import (
	"cmp"
	"context"

	"plaza/domain/notification"
	"plaza/domain/payment"
)

func (v Ledger) Change(ctx context.Context, id payment.OrderID, fn func(*payment.Trade) error) error {
	return exec(ctx, v.s, func() error {
		l := &v.s.ledger
		order, err := l.orders.get(id, payment.ErrNoOrder)
		if err != nil {
			return err
		}
		next := payment.Trade{
			Order: order, Prepayments: copyOf(l.prepayments[id]), Payments: l.paymentsOf(id), NextCheck: l.nextChecks[id],
		}
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return err
		}
		if next.Answer != nil {
			if err := v.s.requests.checkUnanswered(&next.Answer.Key); err != nil {
				return err
			}
		}
		v.s.putTrade(id, next)
		return nil
	})
}

// paymentsOf returns the payments of the order, in the order of their arrival.
func (l *ledger) paymentsOf(id payment.OrderID) []payment.Payment {
	theirs := l.payments.where(func(p payment.Payment) bool { return p.Order == id })
	return sorted(theirs, by(func(p payment.Payment) payment.PaymentID { return p.ID }))
}

// putTrade stores the trade. It can't fail, so it never stores a part.
func (s *Store) putTrade(id payment.OrderID, t payment.Trade) {
	l := &s.ledger
	order := l.orders[id]
	s.notify(notification.OfPaid(order, t.Order))
	if order.State != t.Order.State {
		l.changes[id] = s.writes
	}
	order.State, order.PaidAt, order.Transaction = t.Order.State, t.Order.PaidAt, t.Order.Transaction
	l.orders[id] = order
	if l.nextChecks[id] = t.NextCheck; t.NextCheck.IsZero() {
		delete(l.nextChecks, id)
	}
	l.prepayments[id] = copyOf(t.Prepayments)
	for _, p := range t.Prepayments {
		l.tradeNos[p.TradeNo] = id
	}
	for _, p := range t.Payments {
		if known, is := l.payments[p.TransactionID]; is {
			p.ID = known.ID
		} else {
			p.ID = payment.PaymentID(s.numbers.payment.next())
		}
		p.Order = id
		l.payments[p.TransactionID] = p
	}
	l.journal[id] = append(l.journal[id], t.Entries...)
	if t.Answer != nil {
		s.requests.answer(*t.Answer)
	}
}
