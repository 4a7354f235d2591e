// Package argon2id hashes passwords with Argon2id, in the PHC string format that
// other systems read and write too (AUT-12).
//
// A hash takes many megabytes and a processor for a while, on purpose. So only a
// few are computed at once, a few more callers wait, and the rest are turned
// away at once.
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

// Params say how much work a hash is.
type Params struct {
	Memory  uint32 // KiB
	Time    uint32 // passes over the memory
	Threads uint8
}

var (
	// OWASP is what OWASP recommends: 19 MiB and two passes.
	OWASP = Params{Memory: 19 * 1024, Time: 2, Threads: 1}
	// Cheap keeps tests and demos fast. It protects nothing: never use it for the
	// password of a real account.
	Cheap = Params{Memory: 64, Time: 1, Threads: 1}
)

// Lengths of what is newly made, in bytes.
const (
	saltBytes = 16
	keyBytes  = 32
)

// retryAfter is about how long a full queue takes to move on.
const retryAfter = time.Second

// Hasher implements access.Hasher.
type Hasher struct {
	params  Params
	working chan struct{} // one for each hash being computed
	present chan struct{} // one for each caller, those that wait included
	nobody  hash          // what an empty hash is compared with
}

// New returns a hasher that makes hashes with the params. At most slots of them
// are computed at once, as many as there are processors when slots is not
// positive, while queue callers wait. Params beyond what Verify takes are a
// mistake in the program: New panics.
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
		present: make(chan struct{}, slots+max(queue, 0)),
		nobody:  hash{Params: p, salt: newSalt(), key: make([]byte, keyBytes)},
	}
}

// Hash implements access.Hasher.
func (h *Hasher) Hash(ctx context.Context, password secret.String) (string, error) {
	made := hash{Params: h.params, salt: newSalt()}
	key, err := h.derive(ctx, made, password, keyBytes)
	if err != nil {
		return "", err
	}
	made.key = key
	return made.String(), nil
}

// Verify implements access.Hasher. A hash that can't be read, or would take far
// more work than any that is made here, is an error.
func (h *Hasher) Verify(ctx context.Context, stored string, password secret.String) (matches, outdated bool, err error) {
	against := h.nobody
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

// derive computes the key once a slot is free. It gives up when the queue is
// full, or the context is done first.
func (h *Hasher) derive(ctx context.Context, with hash, password secret.String, length int) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case h.present <- struct{}{}:
		defer func() { <-h.present }()
	default:
		return nil, fault.RetryAfter(fault.Unavailable, retryAfter, "Too many logins at once. Try again in a moment.")
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
	rand.Read(salt) // never fails: crypto/rand ends the program instead
	return salt
}
