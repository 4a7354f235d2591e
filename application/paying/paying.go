// Package paying holds the use cases of orders: making and listing them, and
// paying them with the mobile wallet.
//
// Without a wallet it says of every request what it would be refused for, and
// refuses what is left.
package paying

import (
	"context"
	"time"

	"plaza/domain/access"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// Paying holds what the use cases work with.
type Paying struct {
	ledger    payment.Ledger
	directory user.Directory
	now       func() time.Time
}

// New returns the use cases over the ports; now tells the time.
func New(ledger payment.Ledger, directory user.Directory, now func() time.Time) *Paying {
	return &Paying{ledger: ledger, directory: directory, now: now}
}

// Pay begins the payment of the actor's order: the one named, or with zero the
// only open one (PAY-07). It returns the order chosen, also when the wallet then
// refuses.
func (p *Paying) Pay(ctx context.Context, actor access.Actor, _ payment.Intent, id payment.OrderID) (payment.Order, error) {
	order, err := p.choose(ctx, actor, id)
	if err != nil {
		return payment.Order{}, err
	}
	return order, payment.ErrNoWallet
}

// choose finds the order to pay. Another's is not there.
func (p *Paying) choose(ctx context.Context, actor access.Actor, id payment.OrderID) (payment.Order, error) {
	if id == 0 {
		open, err := p.ledger.OrdersOf(ctx, actor.ID, payment.Open)
		if err != nil {
			return payment.Order{}, err
		}
		return payment.Choose(open, p.now())
	}
	order, err := p.ledger.Order(ctx, id)
	if err != nil {
		return payment.Order{}, err
	}
	if order.User != actor.ID {
		return payment.Order{}, payment.ErrNoOrder
	}
	return order, order.CheckPayable(p.now())
}
