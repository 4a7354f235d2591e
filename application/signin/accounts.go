package signin

import (
	"context"
	"fmt"
	"time"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// Registration is what a new account is made of.
type Registration struct {
	Username string // the phone number to log in with
	Password secret.String
	Scopes   []string // nil: the default ones (AUT-08); back_office among them is Staff
	Staff    bool
	Member   user.Member
}

// Register opens an account and returns its uid. All that is wrong with the
// registration is told at once.
func (s *Signin) Register(ctx context.Context, r Registration) (user.ID, error) {
	var wrong fault.Fields
	note := func(err error) {
		if f, ok := fault.As(err); ok {
			wrong.Merge(f.Fields)
		}
	}
	phone, err := user.ParsePhone(r.Username)
	note(err)
	note(access.CheckPassword(r.Password, phone, s.strength))
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
	account := access.Account{Phone: phone, Hash: hash, Staff: r.Staff}
	account.SetScopes(scopes)
	return s.accounts.Open(ctx, account, member)
}

// Accounts lists at most limit accounts with higher uids than after, in the order
// of their uids.
func (s *Signin) Accounts(ctx context.Context, after user.ID, limit int) ([]access.Account, error) {
	return s.accounts.List(ctx, after, limit)
}

// SetPassword gives the account another password; every key it had is void.
func (s *Signin) SetPassword(ctx context.Context, id user.ID, password secret.String) error {
	account, err := s.accounts.ByID(ctx, id)
	if err != nil {
		return err
	}
	if err := access.CheckPassword(password, account.Phone, s.strength); err != nil {
		return err
	}
	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return s.accounts.Change(ctx, id, func(a *access.Account) error {
		a.SetPassword(hash)
		return nil
	})
}

// SetScopes replaces what the account's tokens may be good for; tokens that are
// out lose at once what the account loses. It makes staff of the account if back_office
// is named, and never takes that away.
func (s *Signin) SetScopes(ctx context.Context, id user.ID, names []string) error {
	scopes, err := access.ParseScopes(names)
	if err != nil {
		return err
	}
	return s.accounts.Change(ctx, id, func(a *access.Account) error {
		a.SetScopes(scopes)
		return nil
	})
}

// SetStaff lets the account into the back office, or out of it; at once, for its
// tokens, too.
func (s *Signin) SetStaff(ctx context.Context, id user.ID, staff bool) error {
	return s.accounts.Change(ctx, id, func(a *access.Account) error {
		a.Staff = staff
		return nil
	})
}

// Disable shuts the account, or opens it again. Its content stays.
func (s *Signin) Disable(ctx context.Context, id user.ID, disabled bool) error {
	return s.accounts.Change(ctx, id, func(a *access.Account) error {
		a.Disabled = disabled
		return nil
	})
}

// Issue makes a key for the account without a login, with the scopes named (none:
// all that it holds) and the lifetime (zero: that of a login).
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
	if err != nil {
		return secret.String{}, err
	}
	if ttl < 0 {
		return secret.String{}, fmt.Errorf("a token can't live %v", ttl)
	}
	if ttl == 0 {
		ttl = time.Duration(s.ttl)
	}
	return s.issue(ctx, account, granted, ttl)
}

// Tokens lists the keys that are out for the account, the latest first, without
// the keys.
func (s *Signin) Tokens(ctx context.Context, id user.ID) ([]access.Token, error) {
	return s.tokens.OfUser(ctx, id)
}

// Revoke makes the token void at once.
func (s *Signin) Revoke(ctx context.Context, id access.TokenID) error {
	return s.tokens.Revoke(ctx, id)
}
