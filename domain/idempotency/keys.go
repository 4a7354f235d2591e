package idempotency

import (
	"context"
	"errors"
	"time"

	"plaza/domain/audit"
	"plaza/domain/fault"
)

// Kind is what a request made. Its value is stored.
type Kind string

const (
	Order        Kind = "order"
	Event        Kind = "event"
	Comment      Kind = "comment"
	Plate        Kind = "plate"
	Image        Kind = "image"
	Subscription Kind = "subscription"
	// ExistingSubscription is a subscription that existed before the request.
	ExistingSubscription Kind = "existing_subscription"
	Refund               Kind = "refund"
)

// Answer is the result of the request with the key.
type Answer struct {
	Key   Key
	Kind  Kind
	ID    int64  // of what was made
	Reply []byte // the use case's data for repeating the response
	At    time.Time
}

// Keys stores idempotency keys. Their answers are stored by the methods of other ports that
// take effect: a value that is stored with a key in its field Completes completes that key, in
// the same transaction. If the Holder does not hold the reservation any more, such a method
// must store nothing and return ErrKeyInUse. Every implementation passes test/ports.Keys.
type Keys interface {
	// Reserve reserves the key for the caller, until its request is answered, or until the
	// given instant. If an answer younger than KeyLife is stored, Reserve returns it. It
	// returns ErrKeyReused if the key is stored with another Fingerprint, and ErrKeyInUse if
	// the key is reserved until later than now.
	Reserve(ctx context.Context, k Key, now, until time.Time) (*Answer, error)
	// Release removes the key if its Holder reserved it and it has no answer.
	Release(ctx context.Context, k Key) error
}

// Lease is how long a request that creates something holds its key at most. It is longer than
// such a request takes. One that takes longer does no harm: it stores nothing.
const Lease = time.Minute

// Once returns the result of do, or of repeat with the stored answer if the key has one. It
// reserves the key for the lease. do must complete the key in the transaction of its
// changes. If do fails, Once releases the key, so that the client may retry with it. What
// repeat can't find, or the caller may no longer see, is ErrKeyGone. Without a key, Once calls
// do.
func Once[T any](
	ctx context.Context, keys Keys, k *Key, now time.Time, lease time.Duration, repeat func(Answer) (T, error), do func() (T, error),
) (T, error) {
	if k == nil {
		return do()
	}
	aside := audit.Without(ctx) // only do changes what an audit record tells of
	answer, err := keys.Reserve(aside, *k, now, now.Add(lease))
	if err != nil {
		var none T
		return none, err
	}
	if answer != nil {
		result, err := repeat(*answer)
		if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Denied) {
			err = ErrKeyGone
		}
		return result, err
	}
	result, err := do()
	if err != nil {
		err = errors.Join(err, keys.Release(context.WithoutCancel(aside), *k))
	}
	return result, err
}
