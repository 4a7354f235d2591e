package payment

import (
	"context"
	"time"

	"plaza/domain/page"
	"plaza/domain/user"
)

// Ledger stores orders and all that belongs to them: prepayments, payments, the journal
// and the answers to keys, which agree with each other at any time. Every implementation
// passes test/ports.Ledger.
type Ledger interface {
	// AddOrder stores a new order and returns it with its number; with an entry in the
	// journal, with its end as the time to look at it, and, if there is a key, with the
	// answer that it was made, whose Reply is empty.
	AddOrder(ctx context.Context, o Order, k *Key) (Order, error)
	// Order returns the order, or ErrNoOrder.
	Order(ctx context.Context, id OrderID) (Order, error)
	// OpenOrders returns the user's orders that are open, whether or not they have expired,
	// the newest first, ties by descending id.
	OpenOrders(ctx context.Context, id user.ID) ([]Order, error)
	// Orders returns a page of the user's orders that are in the state, or of all if none is
	// given, the newest first, ties by descending id.
	Orders(ctx context.Context, id user.ID, s State, p page.Request) (page.Page[Order], error)

	// Change stores what fn makes of the order's trade, all of it or, when fn fails,
	// nothing. It is ErrNoOrder if there is none. No two Changes of one order overlap; fn
	// may be called again, with what is stored then, and calls no store.
	Change(ctx context.Context, id OrderID, fn func(*Trade) error) error
	// OrderOf returns the order of the prepayment, or ErrNoOrder.
	OrderOf(ctx context.Context, no TradeNo) (OrderID, error)
	// AddUnmatched stores a payment that belongs to no order, unless there is one of the same
	// transaction, and returns what is stored.
	AddUnmatched(ctx context.Context, p Payment) (Payment, error)
	// Due returns orders whose Look has come by now, the earliest first, at most limit of
	// them, and puts it off until next in the same step: nobody else is given them before.
	Due(ctx context.Context, now, next time.Time, limit int) ([]OrderID, error)

	// Payments returns a page of the payments, the newest first, ties by descending id; of
	// all verdicts if none is given.
	Payments(ctx context.Context, v PaymentState, p page.Request) (page.Page[Payment], error)
	// Journal returns what has happened to the order, in the order in which it did.
	Journal(ctx context.Context, id OrderID) ([]Entry, error)

	// Reserve keeps the key for one who is about to answer, until they have: by a Change or
	// an AddOrder that brings the answer. It returns the answer if there is one that is
	// younger than KeyLife. A key that came with another Fingerprint is ErrKeyReused; one
	// that is reserved, and until has not come, ErrKeyInUse.
	Reserve(ctx context.Context, k Key, now, until time.Time) (*Answer, error)
	// Release forgets the key if its Holder is the one that reserved it, and it was not
	// answered.
	Release(ctx context.Context, k Key) error
}
