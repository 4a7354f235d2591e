// Package access authenticates and authorises users: accounts with their
// passwords and scopes, the tokens that a login issues, and the limits on failed
// logins.
//
// A token never grants more than its account: a scope that the account loses, its
// tokens lose too. Only hashes of passwords and keys are stored.
package access

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// Scope is a permission that a token may carry.
type Scope string

// The scopes of the interface (AUT-06). Only staff accounts hold BackOffice (AUT-14).
const (
	XfileEvent    Scope = "xfile_event"
	WritingBundle Scope = "writing_bundle"
	PayTradeOrder Scope = "pay_trade_order"
	BackOffice    Scope = "back_office"
)

// DefaultScopes returns the scopes of a new account, in listing order.
func DefaultScopes() []Scope { return []Scope{XfileEvent, WritingBundle, PayTradeOrder} }

// AllScopes returns every scope, in listing order.
func AllScopes() []Scope { return append(DefaultScopes(), BackOffice) }

// ParseScopes parses scope names. Repeated names count once. An unknown name is
// a fault on the field scope.
func ParseScopes(names []string) ([]Scope, error) {
	return parseNames(names, AllScopes(), "scope", "Unknown scope %s.")
}

// parseNames returns those of the known values that have the names, each once. An unknown name is a fault on the field.
func parseNames[T ~string](names []string, known []T, field, unknown string) ([]T, error) {
	var wrong fault.Fields
	found := []T{}
	for _, name := range names {
		switch one := T(strings.TrimSpace(name)); {
		case !slices.Contains(known, one):
			wrong.Add(field, fmt.Sprintf(unknown, quoted(name)))
		case !slices.Contains(found, one):
			found = append(found, one)
		}
	}
	return found, wrong.Err()
}

// Actor is the user that a request acts for. The zero Actor is anonymous.
type Actor struct {
	ID          user.ID
	Scopes      []Scope        // with BackOffice: may use the back office
	Roles       []Role         // what the back office is for; none without BackOffice counts
	Zone        *time.Location // nil: UTC
	LacksFactor bool           // a second factor alone would give the scope BackOffice (OFF-04)
	Token       TokenID        // that the request presented; zero: none
	Narrowed    bool           // the token was requested with explicit scopes (AUT-13, AUT-14)
}

// Local returns the time in the actor's time zone.
func (a Actor) Local(t time.Time) time.Time {
	if a.Zone == nil {
		return t.UTC()
	}
	return t.In(a.Zone)
}

// QueueKey returns the actor's key in fair queues.
func (a Actor) QueueKey() string { return fmt.Sprintf("user %d", a.ID) }

// QueueKeyAt returns the actor's key in fair queues, or that of the source of the address if the actor is anonymous.
func (a Actor) QueueKeyAt(from netip.Addr) string {
	if a.IsAnonymous() {
		return SourceOf(from).String()
	}
	return a.QueueKey()
}

// IsAnonymous reports whether the request has no logged-in user.
func (a Actor) IsAnonymous() bool { return a.ID == 0 }

// Has reports whether the actor was granted the scope.
func (a Actor) Has(s Scope) bool { return slices.Contains(a.Scopes, s) }

// Faults of authentication and authorisation (AUT-02, AUT-05).
var (
	ErrBadKey     = fault.New(fault.BadCredentials, "Invalid token. Log in again.")
	ErrNotStaff   = fault.New(fault.Denied, "Back-office login permission and the scope back_office are required.")
	ErrNarrowed   = fault.New(fault.Denied, "This needs a token whose login named no scopes.")
	ErrBadLogin   = fault.New(fault.Invalid, "Unable to log in with provided credentials.")
	ErrPhoneTaken = fault.Field("username", "An account with this phone number exists.")
	ErrNoAccount  = fault.New(fault.NotFound, "Account not found.")
	ErrErased     = fault.New(fault.Conflict, "The data of this account was erased.")
	ErrNoSession  = fault.New(fault.NotFound, "Token not found.")
)

// Hasher hashes passwords for storage (AUT-12). Every implementation passes
// test/ports.Hasher.
type Hasher interface {
	// Hash returns a salted hash as text that includes its parameters. Two hashes of
	// the same password must differ. Hash must fail with Unavailable rather than let
	// callers queue for long.
	Hash(ctx context.Context, password secret.String) (string, error)
	// Verify reports whether the password matches the hash, and whether the hash is
	// outdated because its parameters differ from the current ones. An empty hash
	// matches no password, but verifying it must take the same time as any other.
	Verify(ctx context.Context, hash string, password secret.String) (matches, outdated bool, err error)
}

func quoted(s string) string { return "“" + s + "”" }
