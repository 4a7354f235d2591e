package payment

import (
	"crypto/sha256"
	"fmt"
	"time"

	"plaza/domain/fault"
	"plaza/domain/text"
	"plaza/domain/user"
)

// Faults of an idempotency key (PAY-09).
var (
	ErrKeyReused = fault.New(fault.Conflict, "This Idempotency-Key came with another request before.")
	ErrKeyInUse  = fault.Later(fault.Conflict, time.Second, "A request with this Idempotency-Key is under way.")
	ErrKeyOver   = fault.New(fault.Conflict, "What this Idempotency-Key was answered with can't be used any more. Take another key.")
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

// KeyLimit bounds the name of a key.
var KeyLimit = text.Limit{Chars: 255}

// NewKey returns the user's key for a request that asks for this: its operation, and
// whatever makes it another one. It is a fault of Idempotency-Key if the name is none.
func NewKey(of user.ID, name string, asked ...any) (*Key, error) {
	if problem := KeyLimit.RequiredProblem(name); problem != "" {
		return nil, fault.Field("Idempotency-Key", problem)
	}
	return &Key{User: of, Name: name, Fingerprint: sha256.Sum256(fmt.Appendf(nil, "%#v", asked))}, nil
}

// Answer is what the request of the key was answered with.
type Answer struct {
	Key   Key
	Order OrderID
	Reply []byte // whatever the use case needs to say the same again
	At    time.Time
}
