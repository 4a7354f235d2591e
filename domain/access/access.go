// Package access decides who somebody is and what they may do: accounts with
// their passwords and scopes, the tokens that a login gives out, and how often a
// login may fail.
//
// A token is never stronger than its account: what the account loses, its tokens
// lose with it. Only hashes of passwords and keys are ever kept.
package access

import (
	"context"
	"slices"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// Scope is something that a token may be good for.
type Scope string

// The scopes of the interface (AUT-06). Staff accounts hold BackOffice, and no others do
// (AUT-14).
const (
	XfileEvent    Scope = "xfile_event"
	WritingBundle Scope = "writing_bundle"
	PayTradeOrder Scope = "pay_trade_order"
	BackOffice    Scope = "back_office"
)

// DefaultScopes returns the scopes of a new account, in the order in which they are listed.
func DefaultScopes() []Scope { return []Scope{XfileEvent, WritingBundle, PayTradeOrder} }

// AllScopes returns every scope, in the order in which they are listed.
func AllScopes() []Scope { return append(DefaultScopes(), BackOffice) }

// ParseScopes reads names of scopes. Repeated names count once; an unknown one is
// a fault on the field scope.
func ParseScopes(names []string) ([]Scope, error) {
	var scopes []Scope
	var wrong fault.Fields
	for _, name := range names {
		switch s := Scope(strings.TrimSpace(name)); {
		case !slices.Contains(AllScopes(), s):
			wrong.Add("scope", "There is no scope "+quoted(name)+".")
		case !slices.Contains(scopes, s):
			scopes = append(scopes, s)
		}
	}
	return scopes, wrong.Err()
}

// Actor is who a request acts for, as far as rules are concerned. The zero Actor
// is anonymous.
type Actor struct {
	ID     user.ID
	Scopes []Scope        // BackOffice among them: may use the back office
	Zone   *time.Location // nil: UTC
}

// Local returns the time as the actor's clock shows it.
func (a Actor) Local(t time.Time) time.Time {
	if a.Zone == nil {
		return t.UTC()
	}
	return t.In(a.Zone)
}

// IsAnonymous says whether nobody is logged in.
func (a Actor) IsAnonymous() bool { return a.ID == 0 }

// Has says whether the actor was granted the scope.
func (a Actor) Has(s Scope) bool { return slices.Contains(a.Scopes, s) }

// Faults of authentication and authority (AUT-02, AUT-05).
var (
	ErrNoToken    = fault.New(fault.Unauthenticated, "Authentication credentials were not provided.")
	ErrBadKey     = fault.New(fault.BadCredentials, "Invalid token.")
	ErrNotStaff   = fault.New(fault.Denied, "This needs back-office login permission and the scope back_office.")
	ErrBadLogin   = fault.New(fault.Invalid, "Unable to log in with provided credentials.")
	ErrPhoneTaken = fault.Field("username", "An account with this phone number exists.")
	ErrNoAccount  = fault.New(fault.NotFound, "There is no such account.")
	ErrNoSession  = fault.New(fault.NotFound, "There is no such token.")
)

// Hasher turns passwords into hashes that are safe to keep (AUT-12). Every
// implementation passes test/ports.Hasher.
type Hasher interface {
	// Hash returns a salted hash in a text form that carries its parameters; the
	// same password must never have the same hash twice. It must fail with
	// Unavailable rather than let callers queue for long.
	Hash(ctx context.Context, password secret.String) (string, error)
	// Verify says whether the hash is the password's, and whether it should be
	// made anew because it was made with other parameters than today's. An empty
	// hash is nobody's, but must cost the same time as any other.
	Verify(ctx context.Context, hash string, password secret.String) (matches, outdated bool, err error)
}

func quoted(s string) string { return "“" + s + "”" }
