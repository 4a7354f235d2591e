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
	Hash     string  // of the password; empty: no password opens it
	Scopes   []Scope // without BackOffice, which Staff stands for
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

// SetScopes replaces the scopes of the account. BackOffice among them makes the account
// staff; without it, staff accounts stay staff.
func (a *Account) SetScopes(scopes []Scope) {
	a.Staff = a.Staff || slices.Contains(scopes, BackOffice)
	a.Scopes = slices.DeleteFunc(slices.Clone(scopes), func(s Scope) bool { return s == BackOffice })
}

// Held returns every scope of the account: BackOffice, too, when the account is staff
// (AUT-14).
func (a Account) Held() []Scope {
	held := slices.Clone(a.Scopes)
	if a.Staff {
		held = append(held, BackOffice)
	}
	return held
}

// Grant is what a token is issued for.
type Grant struct {
	Scopes    []Scope
	Narrowing Narrowing
}

// Grant returns what a token is issued for: all that the account holds when no scope is
// asked for, else just those asked for, each of which it must hold (AUT-08). Asking for
// scopes narrows the token, even if they are all that the account holds.
func (a Account) Grant(asked []Scope) (Grant, error) {
	held := a.Held()
	if len(asked) == 0 {
		return Grant{held, NotNarrowed}, nil
	}
	var wrong fault.Fields
	for _, s := range asked {
		if !slices.Contains(held, s) {
			wrong.Add("scope", "This account does not have the scope "+quoted(string(s))+".")
		}
	}
	return Grant{slices.Clone(asked), Narrowed}, wrong.Err()
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
