package paying

import (
	"cmp"
	"context"
	"slices"

	"plaza/domain/payment"
	"plaza/domain/user"
)

// Create stores a new open order and returns it. All that is wrong is told at
// once, a user that there isn't among it (PAY-12).
func (p *Paying) Create(ctx context.Context, d payment.Draft) (payment.Order, error) {
	known, err := p.directory.Members(ctx, []user.ID{d.User})
	if err != nil {
		return payment.Order{}, err
	}
	if len(known) == 0 {
		d.User = 0
	}
	order, err := d.Order(p.now())
	if err != nil {
		return payment.Order{}, err
	}
	return p.ledger.AddOrder(ctx, order)
}

// Orders lists the user's orders that are in the state, or with none in any, the
// newest first.
func (p *Paying) Orders(ctx context.Context, id user.ID, s payment.State) ([]payment.Order, error) {
	if s != "" {
		return p.ledger.OrdersOf(ctx, id, s)
	}
	var all []payment.Order
	for _, s := range payment.States() {
		some, err := p.ledger.OrdersOf(ctx, id, s)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b payment.Order) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	// An order that moved on between the looks may have been seen in both states.
	return slices.CompactFunc(all, func(a, b payment.Order) bool { return a.ID == b.ID }), nil
}

// Order returns the order, whosever it is.
func (p *Paying) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	return p.ledger.Order(ctx, id)
}
