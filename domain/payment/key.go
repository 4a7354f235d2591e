package payment

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/user"
)

// Faults of an idempotency key (PAY-09).
var (
	ErrKeyReused = fault.New(fault.Conflict, "This Idempotency-Key came with another request before.")
	ErrKeyInUse  = fault.Later(fault.Conflict, time.Second, "A request with this Idempotency-Key is under way.")
)

// KeyLife is how long an answer is kept.
const KeyLife = 24 * time.Hour

// Key names a request of somebody's, so that it has its effect once however often it is
// sent (PAY-09).
type Key struct {
	User        user.ID
	Name        string   // as they chose it
	Fingerprint [32]byte // of what they ask for
}

// Answer is what the request of the key was answered with.
type Answer struct {
	Key   Key
	Order OrderID
	Reply []byte // whatever the use case needs to say the same again
	At    time.Time
}
