// Package payment is about trade orders and how they are paid.
//
// What an order costs never comes from the one who pays it. A paid order stays
// paid.
package payment

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/user"
)

// OrderID numbers orders.
type OrderID int64

// State is how an order stands.
type State string

// The states of an order.
const (
	Open   State = "open"
	Paid   State = "paid"
	Closed State = "closed"
)

// States returns every state.
func States() []State { return []State{Open, Paid, Closed} }

// CNY is the only currency there is, so far.
const CNY = "CNY"

// Order is something that somebody is to pay.
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

// NewOrder returns an open order that can be paid for a while.
func NewOrder(of user.ID, subject string, amount int64, life time.Duration, now time.Time) Order {
	return Order{
		User: of, Subject: subject, Amount: amount, Currency: CNY, State: Open,
		Created: instant.Normalise(now), Expires: instant.Normalise(now.Add(life)),
	}
}

// AsMade is the order as it was when it was made, open: what else is in it never changes.
func (o Order) AsMade() Order {
	o.State, o.PaidAt, o.Transaction = Open, time.Time{}, ""
	return o
}

// Faults of choosing an order to pay (PAY-07).
var (
	ErrNoOrder        = fault.New(fault.NotFound, "There is no such order.")
	ErrNoOpenOrder    = fault.New(fault.NotFound, "There is no open order to pay.")
	ErrAmbiguousOrder = fault.New(fault.Conflict, "There are several open orders. Name one as order_id.")
	ErrPaid           = fault.New(fault.Conflict, "This order is paid.")
	ErrClosed         = fault.New(fault.Conflict, "This order is closed.")
	ErrExpired        = fault.New(fault.Conflict, "This order has expired.")
	ErrNoWallet       = fault.New(fault.Unavailable, "No wallet is configured.")
)

// IsOpen says whether the order can still be paid at the instant.
func (o Order) IsOpen(now time.Time) bool { return o.CheckPayable(now) == nil }

// CheckPayable is nil when the order can be paid at the instant.
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

// Choose returns the one of the payer's orders that is meant when none was named:
// the only open one.
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
