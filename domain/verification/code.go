package verification

import (
	"crypto/rand"
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
