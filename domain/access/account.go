package access

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// Account is a user's login data.
type Account struct {
	User     user.ID
	Phone    user.Phone
	Hash     string  // of the password; empty: no password matches
	Scopes   []Scope // without BackOffice, which Roles imply
	Roles    []Role  // none: the account is not of staff
	Factor   SecondFactor
	Disabled bool
	Erasing  bool // the account is closed, and what belongs to the user is being erased
	// Generation counts changes that end every key: a token of another generation is invalid.
	Generation int
	// Kept is the token that stays valid when Accounts.Change stores a new Generation (AUT-13, AUT-18);
	// zero: none. It is not stored.
	Kept TokenID
}

// Leaving is what a person confirms the erasure of their account with.
type Leaving struct {
	Password secret.String
	Code     string // as it was typed
	From     netip.Addr
}

// IsDisabledFrom reports whether staff have disabled the account, which was the other before. One that is closed is not.
func (a Account) IsDisabledFrom(before Account) bool {
	return a.Disabled && !before.Disabled && !a.Erasing
}

// Close takes the password and all rights away from the account before its data is erased. It invalidates every key.
func (a *Account) Close() {
	a.SetPassword("")
	a.Disabled, a.Roles, a.Scopes, a.Factor, a.Erasing = true, nil, nil, SecondFactor{}, true
}

// IsErased reports whether the user's data was erased. Such an account stays closed.
func (a Account) IsErased() bool { return a.Phone.IsErased() }

// SetPassword replaces the password by its hash. It invalidates every key issued
// before (AUT-10).
func (a *Account) SetPassword(hash string) {
	a.Hash = hash
	a.Generation++
}

// SetPhone replaces the number to log in with. All keys end, and the password stays.
func (a *Account) SetPhone(phone user.Phone) {
	a.Phone = phone
	a.Generation++
}

// EndSessions invalidates every key. The password stays.
func (a *Account) EndSessions() { a.Generation++ }

// Rehash replaces the hash of an unchanged password. Keys stay valid (AUT-12).
func (a *Account) Rehash(hash string) { a.Hash = hash }

// IsStaff reports whether the account may use the back office: it has a role.
func (a Account) IsStaff() bool { return len(a.Roles) > 0 }

// SetScopes replaces the scopes of the account. BackOffice makes an account without roles an admin;
// its absence leaves a staff account staff.
func (a *Account) SetScopes(scopes []Scope) {
	if !a.IsStaff() && slices.Contains(scopes, BackOffice) {
		a.Roles = []Role{Admin}
	}
	a.Scopes = slices.DeleteFunc(slices.Clone(scopes), func(s Scope) bool { return s == BackOffice })
}

// EffectiveScopes returns every scope of the account, including BackOffice for staff (AUT-14).
func (a Account) EffectiveScopes() []Scope {
	held := slices.Clone(a.Scopes)
	if a.IsStaff() {
		held = append(held, BackOffice)
	}
	return held
}

// Grant holds the scopes that a token is issued for.
type Grant struct {
	Scopes     []Scope
	IsNarrowed bool // they were requested
	HasFactor  bool // the login proved a second factor (OFF-04), or the command line grants them
}

// Grant returns the grant of a new token. Without requested scopes it has all scopes of
// the account; otherwise it has the requested ones, each of which the account must hold
// (AUT-08). Requested scopes narrow the token, even if they are all that the account holds.
func (a Account) Grant(requested []Scope) (Grant, error) {
	held := a.EffectiveScopes()
	if len(requested) == 0 {
		return Grant{Scopes: held}, nil
	}
	var wrong fault.Fields
	for _, s := range requested {
		if !slices.Contains(held, s) {
			wrong.Add("scope", "This account does not have the scope "+quoted(string(s))+".")
		}
	}
	return Grant{Scopes: slices.Clone(requested), IsNarrowed: true}, wrong.Err()
}

// AccountFilter selects accounts.
type AccountFilter struct {
	IsDisabled bool // disabled ones alone
	IsStaff    bool // those with a role alone
	Role       Role // those with the role alone; empty: any
	page.Span       // of when their members joined
}

// Admits reports whether the filter selects the account of a member who joined then.
func (f AccountFilter) Admits(a Account, joined time.Time) bool {
	return (a.Disabled || !f.IsDisabled) && (len(a.Roles) > 0 || !f.IsStaff) && (f.Role == "" || slices.Contains(a.Roles, f.Role)) &&
		f.Has(joined)
}

// Accounts stores accounts together with their members. Every implementation passes
// test/ports.Accounts.
type Accounts interface {
	// Open stores a new account and its member atomically and returns their uid. The
	// uid must be new. Open must ignore the IDs of the arguments. If an account has the
	// telephone (user.Phone.E164), Open must store nothing and return ErrPhoneTaken.
	// Spendings are as in verification.Spending.
	Open(ctx context.Context, a Account, m user.Member, spendings ...verification.Spending) (user.ID, error)
	// ByPhone returns the account with the login name, or ErrNoAccount.
	ByPhone(ctx context.Context, phone user.Phone) (Account, error)
	// ByID returns the account of the user, or ErrNoAccount.
	ByID(ctx context.Context, id user.ID) (Account, error)
	// AccountsOf returns those of the accounts that exist, each once, in any order. An empty list of ids is not an error.
	AccountsOf(ctx context.Context, ids []user.ID) ([]Account, error)
	// Newest returns a part of the members whose accounts the filter selects, by when they joined in the order of its span, ties by
	// descending uid. It leaves out those whose data was erased.
	Newest(ctx context.Context, f AccountFilter, r page.CursorRequest) (page.CursorPage[user.Member], error)
	// List returns at most limit accounts with uids greater than after, by ascending
	// uid.
	List(ctx context.Context, after user.ID, limit int) ([]Account, error)
	// Erasing returns at most limit users whose account is Erasing, with uids greater than
	// after, by ascending uid.
	Erasing(ctx context.Context, after user.ID, limit int) ([]user.ID, error)
	// Change loads the account, calls fn and stores the result, atomically and
	// isolated from other Changes of it. If fn fails, nothing is stored and Change
	// returns fn's error unchanged. If fn panics or the context ends, nothing is
	// stored. No reader may see a partial Change. fn must do no I/O: it may run again.
	// fn must not call a port of the store: such a call may never return.
	//
	// If another account has the telephone of the phone that fn sets, Change stores nothing and returns ErrPhoneTaken. It forgets the
	// usual sources of the former phone.
	//
	// If fn sets Kept and a new Generation, Change also moves that token to it, if the
	// token is the account's and was of the old one. Spendings are as in verification.Spending.
	Change(ctx context.Context, id user.ID, fn func(*Account) error, spendings ...verification.Spending) error
}
