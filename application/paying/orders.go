package paying

import (
	"context"

	"plaza/domain/access"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Create stores a new open order and returns it. All that is wrong is told at once, a
// user that there isn't among it (PAY-12). With a key, the same again returns the order
// as it was made; nil is none.
func (p *Paying) Create(ctx context.Context, d payment.Draft, k *payment.Key) (payment.Order, error) {
	var made payment.Order
	err := p.once(ctx, k, func(a payment.Answer) (err error) {
		made, err = p.ledger.Order(ctx, a.Order)
		made = made.AsMade()
		return err
	}, func() (err error) {
		made, err = p.create(ctx, d, k)
		return err
	})
	return made, err
}

func (p *Paying) create(ctx context.Context, d payment.Draft, k *payment.Key) (payment.Order, error) {
	order, err := p.draw(ctx, d)
	if err != nil {
		return payment.Order{}, err
	}
	return p.ledger.AddOrder(ctx, order, k)
}

// CheckDraft is nil when an order could be made of the draft; else it tells all that is
// wrong, a user that there isn't among it.
func (p *Paying) CheckDraft(ctx context.Context, d payment.Draft) error {
	_, err := p.draw(ctx, d)
	return err
}

func (p *Paying) draw(ctx context.Context, d payment.Draft) (payment.Order, error) {
	known, err := p.directory.Members(ctx, []user.ID{d.User})
	if err != nil {
		return payment.Order{}, err
	}
	if len(known) == 0 {
		d.User = 0
	}
	return d.Order(p.now())
}

// Orders lists the user's orders that are in the state, or with none in any, the
// newest first.
func (p *Paying) Orders(ctx context.Context, id user.ID, s payment.State, r page.Request) (page.Page[payment.Order], error) {
	return p.ledger.Orders(ctx, id, s, r)
}

// Order returns the order, whosever it is.
func (p *Paying) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	return p.ledger.Order(ctx, id)
}

// OwnOrder returns the actor's order; another's is not there.
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

// Journal returns what has happened to the order, in the order in which it did.
func (p *Paying) Journal(ctx context.Context, id payment.OrderID) ([]payment.Entry, error) {
	return p.ledger.Journal(ctx, id)
}

// Payments lists the payments of the verdict, or with none all, the newest first
// (PAY-11).
func (p *Paying) Payments(ctx context.Context, v payment.PaymentState, r page.Request) (page.Page[payment.Payment], error) {
	return p.ledger.Payments(ctx, v, r)
}
