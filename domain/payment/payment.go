// Package payment models trade orders and their payment through a wallet.
//
// The amount of an order never comes from the payer. A paid order stays paid.
package payment

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/user"
)

// OrderID numbers orders.
type OrderID int64

// State is the state of an order.
type State string

// The states of an order.
const (
	Open   State = "open"
	Paid   State = "paid"
	Closed State = "closed"
)

// States returns every state.
func States() []State { return []State{Open, Paid, Closed} }

// CNY is the only supported currency.
const CNY = "CNY"

// Order is an amount that a user is to pay.
type Order struct {
	ID          OrderID
	User        user.ID
	Subject     string
	Amount      int64 // fen, the currency's minor unit
	Currency    string
	State       State
	Created     time.Time
	Expires     time.Time
	PaidAt      time.Time // zero: not paid
	Transaction string    // the wallet's number; empty: not paid
}

// AtCursor returns the place of the order in its list (GEN-18).
func (o Order) AtCursor(s page.Span) page.Cursor { return s.Money(o.Created, o.Amount, int64(o.ID)) }

// NewOrder returns an open order that can be paid for the given life.
func NewOrder(of user.ID, subject string, amount int64, life time.Duration, now time.Time) Order {
	return Order{
		User: of, Subject: subject, Amount: amount, Currency: CNY, State: Open,
		Created: instant.Normalise(now), Expires: instant.Normalise(now.Add(life)),
	}
}

// AsMade returns the order as it was created: open and not paid. Its other fields never
// change.
func (o Order) AsMade() Order {
	o.State, o.PaidAt, o.Transaction = Open, time.Time{}, ""
	return o
}

// Faults of choosing an order to pay (PAY-07).
var (
	ErrNoOrder        = fault.New(fault.NotFound, "Order not found.")
	ErrNoOpenOrder    = fault.New(fault.NotFound, "No open order found.")
	ErrAmbiguousOrder = fault.New(fault.Conflict, "Several orders are open. Choose one with order_id.")
	ErrPaid           = fault.New(fault.Conflict, "This order is already paid.")
	ErrDisputed       = fault.New(fault.Conflict, "A payment of this order is disputed. Refund it first.")
	ErrClosed         = fault.New(fault.Conflict, "This order is closed.")
	ErrExpired        = fault.New(fault.Conflict, "This order has expired.")
	ErrNoWallet       = fault.New(fault.Unavailable, "No wallet is configured.")
)

// IsOpen reports whether the order can be paid at the instant.
func (o Order) IsOpen(now time.Time) bool { return o.CheckPayable(now) == nil }

// CheckPayable returns nil if the order can be paid at the instant, else ErrPaid,
// ErrClosed or ErrExpired.
func (o Order) CheckPayable(now time.Time) error {
	switch {
	case o.State == Paid:
		return ErrPaid
	case o.State == Closed:
		return ErrClosed
	case !now.Before(o.Expires):
		return ErrExpired
	}
	return nil
}

// Choose returns the only open order, for a request that names no order. It returns
// ErrNoOpenOrder or ErrAmbiguousOrder otherwise.
func Choose(orders []Order, now time.Time) (Order, error) {
	var chosen Order
	for _, o := range orders {
		switch {
		case !o.IsOpen(now):
		case chosen.ID != 0:
			return Order{}, ErrAmbiguousOrder
		default:
			chosen = o
		}
	}
	if chosen.ID == 0 {
		return Order{}, ErrNoOpenOrder
	}
	return chosen, nil
}
