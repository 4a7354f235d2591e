package signin

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/locale"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// Registration has the properties of a new account.
type Registration struct {
	Username string // phone number for logging in
	Password secret.String
	Scopes   []string // nil: the default scopes (AUT-08); back_office makes an account without roles an admin
	Roles    []access.Role
	Member   user.Member
}

// Register creates an account and returns its uid. It returns the faults of all fields
// together.
func (s *Signin) Register(ctx context.Context, r Registration) (user.ID, error) {
	var wrong fault.Fields
	note := func(err error) { wrong.Merge(fault.FieldsOf(err)) }
	phone, err := user.ParsePhone(r.Username)
	note(fault.OnField("username", err))
	note(fault.OnField("password", access.CheckPassword(r.Password, phone, s.strength)))
	scopes := access.DefaultScopes()
	if r.Scopes != nil {
		scopes, err = access.ParseScopes(r.Scopes)
		note(err)
	}
	r.Member.Joined = instant.Normalise(s.now())
	member, err := user.NewMember(r.Member)
	note(err)
	if err := wrong.Err(); err != nil {
		return 0, err
	}
	hash, err := s.hasher.Hash(ctx, r.Password)
	if err != nil {
		return 0, err
	}
	account := access.Account{Phone: phone, Hash: hash, Roles: r.Roles}
	account.SetScopes(scopes)
	return s.accounts.Open(ctx, account, member)
}

// change changes the account, or returns access.ErrErased: an erased account must stay closed.
func (s *Signin) change(ctx context.Context, id user.ID, fn func(*access.Account)) error {
	return s.accounts.Change(ctx, id, func(a *access.Account) error {
		if a.IsErased() {
			return access.ErrErased
		}
		fn(a)
		return nil
	})
}

// SetPassword sets the password of the account. All its tokens become invalid.
func (s *Signin) SetPassword(ctx context.Context, id user.ID, password secret.String) error {
	account, err := s.accounts.ByID(ctx, id)
	if err != nil {
		return err
	}
	if err := access.CheckPassword(password, account.Phone, s.strength); err != nil {
		return fault.OnField("password", err)
	}
	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return s.change(ctx, id, func(a *access.Account) { a.SetPassword(hash) })
}

// SetPhone sets the number that the account logs in with. All its tokens become invalid. The former number is told, in the
// language.
func (s *Signin) SetPhone(ctx context.Context, id user.ID, username string, in locale.Tag) error {
	phone, err := user.ParsePhone(username)
	if err != nil {
		return fault.OnField("username", err)
	}
	var former user.Phone
	err = s.change(ctx, id, func(a *access.Account) {
		former = a.Phone
		a.SetPhone(phone)
	})
	if err == nil {
		s.notify(ctx, former, phone, in)
	}
	return err
}

// SetScopes replaces the scopes of the account. Its tokens lose removed scopes immediately.
// back_office among the scopes makes an account without roles an admin; without it, staff stay staff.
func (s *Signin) SetScopes(ctx context.Context, id user.ID, names []string) error {
	scopes, err := access.ParseScopes(names)
	if err != nil {
		return err
	}
	return s.change(ctx, id, func(a *access.Account) { a.SetScopes(scopes) })
}

// SetRoles replaces the roles of the account, with immediate effect on its tokens. Without roles it is not of staff.
func (s *Signin) SetRoles(ctx context.Context, id user.ID, roles ...access.Role) error {
	return s.change(ctx, id, func(a *access.Account) { a.Roles = roles })
}

// SetRights replaces the scopes and the roles of the account in one step.
func (s *Signin) SetRights(ctx context.Context, id user.ID, scopes []access.Scope, roles []access.Role) error {
	return s.change(ctx, id, func(a *access.Account) {
		a.Roles = roles
		a.SetScopes(scopes)
	})
}

// EndSessions ends all keys of the account. Its password stays.
func (s *Signin) EndSessions(ctx context.Context, id user.ID) error {
	return s.change(ctx, id, (*access.Account).EndSessions)
}

// SetDisabled disables or enables the account. Its content stays.
func (s *Signin) SetDisabled(ctx context.Context, id user.ID, disabled bool) error {
	return s.change(ctx, id, func(a *access.Account) { a.Disabled = disabled })
}

// Issue returns a key for the account without a login, with the scopes (none: all of the
// account) and the lifetime (zero: that of a login).
func (s *Signin) Issue(ctx context.Context, id user.ID, names []string, ttl time.Duration) (secret.String, error) {
	asked, err := access.ParseScopes(names)
	if err != nil {
		return secret.String{}, err
	}
	account, err := s.accounts.ByID(ctx, id)
	if err != nil {
		return secret.String{}, err
	}
	granted, err := account.Grant(asked)
	switch {
	case account.IsErased():
		return secret.String{}, access.ErrErased
	case err != nil:
		return secret.String{}, err
	}
	if ttl < 0 {
		return secret.String{}, fmt.Errorf("token lifetime %v is negative", ttl)
	}
	granted.HasFactor = true
	return s.issue(ctx, account, granted, cmp.Or(ttl, time.Duration(s.ttl)))
}
