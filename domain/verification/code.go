package verification

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/netip"
	"slices"
	"time"

	"plaza/domain/instant"
	"plaza/domain/ratelimit"
	"plaza/domain/secret"
)

// ID identifies a code, and the message that it is sent with. It is random and tells nothing.
type ID string

// Status is whether a code may still be good. Its value is stored.
type Status string

// The statuses. An expired code, or one that was tried too often, stays live.
const (
	Live     Status = "live"
	Spent    Status = "spent"
	Replaced Status = "replaced" // by a newer one of the same number and purpose
)

// State is what is stored of a code.
type State struct {
	ID      ID
	Purpose Purpose
	Number  Number
	Hash    Hash
	Key     KeyID
	Made    time.Time
	Expires time.Time
	Tries   int // that were counted, MaxTries at most
	Status  Status
}

// Code is one code.
type Code struct{ state State }

// New returns a new code for the number, and what is sent to it.
func New(p Purpose, n Number, key Key, now time.Time) (*Code, secret.String) {
	drawn := draw()
	made := instant.Normalise(now)
	return &Code{State{
		ID: ID(rand.Text()), Purpose: p, Number: n, Hash: key.hash(p, n, drawn), Key: key.id, Made: made, Expires: made.Add(Life), Status: Live,
	}}, drawn
}

// codes is how many codes there are.
var codes = big.NewInt(1_000_000)

// draw returns six digits, each of the codes as likely as any other.
func draw() secret.String {
	drawn, _ := rand.Int(rand.Reader, codes) // never fails: crypto/rand crashes the program before
	return secret.New(fmt.Sprintf("%0*d", digits, drawn))
}

// Restore returns the stored code. It fails if the state breaks a rule.
func Restore(s State) (*Code, error) {
	switch {
	case s.ID == "" || s.Key == "" || s.Number.IsZero() || !slices.Contains(Purposes(), s.Purpose):
		return nil, errors.New("a stored code is incomplete")
	case !s.Expires.After(s.Made):
		return nil, errors.New("a stored code expires before it is made")
	case s.Tries < 0 || s.Tries > MaxTries:
		return nil, fmt.Errorf("a stored code has %d tries", s.Tries)
	case !slices.Contains([]Status{Live, Spent, Replaced}, s.Status):
		return nil, fmt.Errorf("a stored code has the status %q", s.Status)
	}
	return &Code{s}, nil
}

// State returns what is to be stored.
func (c *Code) State() State { return c.state }

// Format prints the ID: fmt would print the number.
func (c *Code) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "code "+string(c.state.ID)) }

// Try counts a try, which is then to be stored before the code is compared. The last try may
// succeed. Try returns ErrWrongCode if no try can.
func (c *Code) Try(now time.Time) error {
	now = instant.Normalise(now)
	isAhead := c.state.Made.After(now.Add(ratelimit.Skew)) // by a clock that ran ahead: it would be good for too long
	if c.state.Status != Live || c.state.Tries >= MaxTries || isAhead || !now.Before(c.state.Expires) {
		return ErrWrongCode
	}
	c.state.Tries++
	return nil
}

// Verify compares the code with what was typed, in a try that was counted. It returns the spending
// of the change that the code allows, or ErrWrongCode. From is that of the Attempt.
func (c *Code) Verify(key Key, typed secret.String, from netip.Addr) (Spending, error) {
	if !key.matches(c.state.Hash, c.state.Key, c.state.Purpose, c.state.Number, typed) {
		return Spending{}, ErrWrongCode
	}
	return Spending{Code: c.state.ID, Number: c.state.Number, Purpose: c.state.Purpose, From: from}, nil
}

// Spend uses the code up. It returns ErrWrongCode if that has happened before, or if a newer code
// has replaced it since the try. A code that expires between its try and its spending is good.
func (c *Code) Spend() error {
	if c.state.Status != Live {
		return ErrWrongCode
	}
	c.state.Status = Spent
	return nil
}

// Replace ends a code when a newer one of its number and purpose is reserved.
func (c *Code) Replace() {
	if c.state.Status == Live {
		c.state.Status = Replaced
	}
}

// Hash is the keyed hash of a code. The code itself is never stored. Without the key, the hash of
// one of a million codes would be found at once.
type Hash [sha256.Size]byte

// KeyID names the key of a hash. It tells nothing about the key.
type KeyID string

// Key is the key of hashes.
type Key struct {
	id     KeyID
	secret secret.String
	of     string // before the purpose; empty: codes of no staff
}

// minKey is the length of the shortest key, in bytes.
const minKey = 32

// NewKey returns the key of the secret. It fails for one of less than 32 bytes.
func NewKey(s secret.String) (Key, error) {
	if len(s.Reveal()) < minKey {
		return Key{}, fmt.Errorf("a key must have at least %d bytes", minKey)
	}
	name := sum(s, "plaza verification key")
	return Key{id: KeyID(hex.EncodeToString(name[:8])), secret: s}, nil
}

// OfStaff returns the key of codes for accounts of staff, which a colleague asks for. It matches no other code (AUT-17).
func (k Key) OfStaff() Key {
	k.of = "staff "
	return k
}

func (k Key) hash(p Purpose, n Number, code secret.String) Hash {
	return sum(k.secret, k.of+string(p), n.digits, code.Reveal())
}

// matches reports whether the key has the ID and makes the hash of the code. The time that it takes does not
// depend on the hash.
func (k Key) matches(h Hash, id KeyID, p Purpose, n Number, code secret.String) bool {
	got := k.hash(p, n, code)
	return k.id == id && hmac.Equal(got[:], h[:])
}

// sum returns the HMAC-SHA256 of the texts, none of which has a NUL.
func sum(key secret.String, texts ...string) (h Hash) {
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	for _, t := range texts {
		mac.Write([]byte(t + "\x00"))
	}
	return Hash(mac.Sum(h[:0]))
}
