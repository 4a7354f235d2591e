package access

import (
	"context"
	"slices"

	"plaza/domain/fault"
	"plaza/domain/user"
)

// Account is what login knows of a user.
type Account struct {
	User     user.ID
	Phone    user.Phone
	Hash     string // of the password; empty: no password opens it
	Scopes   []Scope
	Staff    bool
	Disabled bool
	// Generation numbers the passwords: a token of another generation is void.
	Generation int
}

// SetPassword gives the account another password, by its hash. Every key that
// was given out before is void from then on (AUT-10).
func (a *Account) SetPassword(hash string) {
	a.Hash = hash
	a.Generation++
}

// Rehash keeps the password and takes its newer hash; keys stay good (AUT-12).
func (a *Account) Rehash(hash string) { a.Hash = hash }

// Grant returns the scopes for a token: all that the account holds when none is
// asked for, else just those asked for, each of which it must hold (AUT-08).
func (a Account) Grant(asked []Scope) ([]Scope, error) {
	if len(asked) == 0 {
		return slices.Clone(a.Scopes), nil
	}
	var wrong fault.Fields
	for _, s := range asked {
		if !slices.Contains(a.Scopes, s) {
			wrong.Add("scope", "This account does not have the scope "+quoted(string(s))+".")
		}
	}
	return slices.Clone(asked), wrong.Err()
}

// Accounts stores accounts together with the people who have them. Every
// implementation passes test/ports.Accounts.
type Accounts interface {
	// Open stores a new account and its member at once and returns their uid, which
	// is new whatever they say. The phone must be free, else ErrPhoneTaken; then
	// nothing is stored.
	Open(ctx context.Context, a Account, m user.Member) (user.ID, error)
	// ByPhone returns the account with the login name, or ErrNoAccount.
	ByPhone(ctx context.Context, phone user.Phone) (Account, error)
	// ByID returns the account of the user, or ErrNoAccount.
	ByID(ctx context.Context, id user.ID) (Account, error)
	// List returns the accounts with higher uids than after, ascending, at most
	// limit of them.
	List(ctx context.Context, after user.ID, limit int) ([]Account, error)
	// Change loads the account, calls fn and stores the result, atomically and
	// isolated from other Changes of it. If fn fails, nothing is stored and its
	// error comes back as it is; nothing is stored either when fn panics or the
	// context ends, and nobody ever sees half of a Change. fn must do no I/O: it may
	// run again. Calling the store from inside fn must fail at once.
	Change(ctx context.Context, id user.ID, fn func(*Account) error) error
}
