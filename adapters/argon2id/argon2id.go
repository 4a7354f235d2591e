// Package argon2id hashes passwords with Argon2id, in the PHC string format that other
// systems use too (AUT-12).
//
// A hash needs many megabytes and much processor time, on purpose. So only a few are
// computed at once, a few more callers wait, and further callers are refused immediately.
package argon2id

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/crypto/argon2"

	"plaza/domain/fault"
	"plaza/domain/secret"
)

// Params define the work of a hash.
type Params struct {
	Memory  uint32 // KiB
	Time    uint32 // passes over the memory
	Threads uint8
}

var (
	// OWASP has the parameters that OWASP recommends: 19 MiB and two passes.
	OWASP = Params{Memory: 19 * 1024, Time: 2, Threads: 1}
	// Cheap keeps tests and demos fast. It protects nothing: never use it for a real
	// account.
	Cheap = Params{Memory: 64, Time: 1, Threads: 1}
)

// Lengths of new hashes, in bytes.
const (
	saltBytes = 16
	keyBytes  = 32
)

// retryAfter is roughly how long a full queue takes to advance.
const retryAfter = time.Second

// Hasher implements access.Hasher.
type Hasher struct {
	params  Params
	working chan struct{} // one slot for each hash being computed
	callers chan struct{} // one slot for each caller, including those that wait
	dummy   hash          // compared with the password if the stored hash is empty
}

// New returns a hasher that makes hashes with the params. It computes at most slots of them
// at once; zero or less means the number of processors. At most queue callers wait. New
// panics if the params exceed what Verify accepts.
func New(p Params, slots, queue int) *Hasher {
	if err := p.check(); err != nil {
		panic(err)
	}
	if slots <= 0 {
		slots = runtime.GOMAXPROCS(0)
	}
	return &Hasher{
		params:  p,
		working: make(chan struct{}, slots),
		callers: make(chan struct{}, slots+max(queue, 0)),
		dummy:   hash{Params: p, salt: newSalt(), key: make([]byte, keyBytes)},
	}
}

func (h *Hasher) Hash(ctx context.Context, password secret.String) (string, error) {
	made := hash{Params: h.params, salt: newSalt()}
	key, err := h.derive(ctx, made, password, keyBytes)
	if err != nil {
		return "", err
	}
	made.key = key
	return made.String(), nil
}

// Verify implements access.Hasher. It returns an error for a hash that is unreadable or
// exceeds the bounds of work.
func (h *Hasher) Verify(ctx context.Context, stored string, password secret.String) (matches, outdated bool, err error) {
	against := h.dummy
	if stored != "" {
		if against, err = parse(stored); err != nil {
			return false, false, fmt.Errorf("stored password hash: %w", err)
		}
	}
	key, err := h.derive(ctx, against, password, len(against.key))
	if err != nil {
		return false, false, err
	}
	same := subtle.ConstantTimeCompare(key, against.key) == 1
	return same && stored != "", against.isOutdated(h.params), nil
}

// derive computes the key when a slot is free. It fails if the queue is full or the context
// ends first.
func (h *Hasher) derive(ctx context.Context, with hash, password secret.String, length int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case h.callers <- struct{}{}:
		defer func() { <-h.callers }()
	default:
		return nil, fault.RetryAfter(fault.Unavailable, retryAfter, "Too many logins at once. Try again in a moment.").AtLimit("password_hashes")
	}
	select {
	case h.working <- struct{}{}:
		defer func() { <-h.working }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return argon2.IDKey([]byte(password.Reveal()), with.salt, with.Time, with.Memory, with.Threads, uint32(length)), nil
}

func newSalt() []byte {
	salt := make([]byte, saltBytes)
	rand.Read(salt) // never fails: crypto/rand crashes the program instead
	return salt
}
