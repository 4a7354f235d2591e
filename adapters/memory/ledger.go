package memory

import (
	"cmp"
	"context"
	"slices"

	"plaza/domain/payment"
	"plaza/domain/user"
)

// Ledger is the store as payment.Ledger.
type Ledger struct{ s *Store }

// Ledger returns the store's orders.
func (s *Store) Ledger() Ledger { return Ledger{s} }

var _ payment.Ledger = Ledger{}

func (v Ledger) AddOrder(ctx context.Context, o payment.Order) (payment.Order, error) {
	done, err := v.s.write(ctx)
	if err != nil {
		return payment.Order{}, err
	}
	defer done()
	if err := v.s.checkUser(o.User); err != nil {
		return payment.Order{}, err
	}
	o.ID = payment.OrderID(v.s.numbers.order.next())
	v.s.orders[o.ID] = o
	return o, nil
}

func (v Ledger) Order(ctx context.Context, id payment.OrderID) (payment.Order, error) {
	done, err := v.s.read(ctx)
	if err != nil {
		return payment.Order{}, err
	}
	defer done()
	o, exists := v.s.orders[id]
	if !exists {
		return payment.Order{}, payment.ErrNoOrder
	}
	return o, nil
}

func (v Ledger) OrdersOf(ctx context.Context, id user.ID, state payment.State) ([]payment.Order, error) {
	done, err := v.s.read(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var theirs []payment.Order
	for _, o := range v.s.orders {
		if o.User == id && o.State == state {
			theirs = append(theirs, o)
		}
	}
	slices.SortFunc(theirs, func(a, b payment.Order) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	return theirs, nil
}
