package paying

import (
	"context"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Create stores a new open order and returns it. It returns the faults of all fields
// together, an unknown user included (PAY-12). Repeating the request with the same key
// returns the order as it was created. k may be nil.
func (p *Paying) Create(ctx context.Context, d payment.Draft, k *idempotency.Key, readErr error) (payment.Order, error) {
	if readErr != nil {
		_, err := p.newOrder(ctx, d)
		return payment.Order{}, fault.Merge(readErr, err)
	}
	return idempotency.Once(ctx, p.ledger, k, p.now(), p.limits.lease(), func(a idempotency.Answer) (payment.Order, error) {
		order, err := p.ledger.Order(ctx, payment.OrderID(a.ID))
		return order.AsMade(), err
	}, func() (payment.Order, error) {
		order, err := p.newOrder(ctx, d)
		if err != nil {
			return payment.Order{}, err
		}
		return p.ledger.AddOrder(ctx, order, k)
	})
}

func (p *Paying) newOrder(ctx context.Context, d payment.Draft) (payment.Order, error) {
	known, err := p.directory.Members(ctx, []user.ID{d.User})
	if err != nil {
		return payment.Order{}, err
	}
	if len(known) == 0 {
		d.User = 0
	}
	return d.Order(p.now())
}

// Close closes an open order, after its prepayments at the wallet (OFF-05). It returns payment.ErrPaid or payment.ErrClosed for an
// order that is not open, and the wallet's fault if a prepayment can't be closed now. Only the last step is the act of staff.
func (p *Paying) Close(ctx context.Context, id payment.OrderID) error {
	_, err := p.closeAll(audit.Without(ctx), id, func(t *payment.Trade) []payment.Step { return t.CloseAll(p.limits.lease(), p.now()) })
	if err != nil {
		return err
	}
	return p.change(ctx, id, func(t *payment.Trade) error { return t.Close(p.now()) })
}

// Orders returns a page of the orders that the filter selects, the newest first.
func (p *Paying) Orders(ctx context.Context, f payment.OrderFilter, r page.Request) (page.Page[payment.Order], error) {
	return p.ledger.Orders(ctx, f, r)
}

// Order returns the order of any user.
func (p *Paying) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	return p.ledger.Order(ctx, id)
}

// OwnOrder returns the actor's order, or payment.ErrNoOrder if another user owns it.
func (p *Paying) OwnOrder(ctx context.Context, actor access.Actor, id payment.OrderID) (payment.Order, error) {
	order, err := p.ledger.Order(ctx, id)
	if err != nil {
		return payment.Order{}, err
	}
	if order.User != actor.ID {
		return payment.Order{}, payment.ErrNoOrder
	}
	return order, nil
}

// Journal returns the order's journal in chronological order.
func (p *Paying) Journal(ctx context.Context, id payment.OrderID) ([]payment.Entry, error) {
	return p.ledger.Journal(ctx, id)
}

// Payments returns a page of the payments that the filter selects, the newest first, with their orders
// (PAY-11).
func (p *Paying) Payments(ctx context.Context, f payment.PaymentFilter, r page.Request) (page.Page[payment.Received], error) {
	payments, err := p.ledger.Payments(ctx, f, r)
	if err != nil {
		return page.Page[payment.Received]{}, err
	}
	return payment.WithOrders(ctx, p.ledger.OrdersOf, payments)
}
