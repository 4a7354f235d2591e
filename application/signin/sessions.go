package signin

import (
	"context"
	"errors"
	"net/netip"
	"slices"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// PasswordChange is a user's request to replace their password.
type PasswordChange struct {
	Old, New secret.String
	From     netip.Addr
}

// ChangePassword replaces the actor's password. All tokens of the account end but the one
// of the request (AUT-13). A wrong old password is a fault on old_password and counts as a
// failed login (AUT-11); a new one that may not be used is a fault on new_password.
func (s *Signin) ChangePassword(ctx context.Context, actor access.Actor, c PasswordChange, readErr error) error {
	account, err := s.accounts.ByID(ctx, actor.ID)
	if err != nil {
		return err
	}
	unusable := fault.OnField("new_password", access.CheckPassword(c.New, account.Phone, s.strength))
	if err := fault.Merge(readErr, unusable); err != nil {
		return err
	}
	account, err = s.confirm(ctx, account.Phone, c.From, "old_password", c.Old)
	if err != nil {
		return err
	}
	hash, err := s.hash(ctx, access.Attempt{Phone: account.Phone, Source: access.SourceOf(c.From)}, c.New)
	if err != nil {
		return err
	}
	return s.changeConfirmed(ctx, account, func(a *access.Account) {
		a.SetPassword(hash)
		a.Kept = actor.Token
	})
}

// confirm returns the account if the password of the field is its own. A wrong one is a fault on the field, and counts as
// a failed login (AUT-11).
func (s *Signin) confirm(
	ctx context.Context, phone user.Phone, from netip.Addr, field string, password secret.String,
) (access.Account, error) {
	account, _, err := s.verify(ctx, phone, from, password, "")
	if errors.Is(err, access.ErrBadLogin) {
		return access.Account{}, fault.Field(field, "The password is wrong.")
	}
	return account, err
}

// changeConfirmed changes the account that confirm has returned, unless its password or its number has changed since.
func (s *Signin) changeConfirmed(
	ctx context.Context, confirmed access.Account, fn func(*access.Account), spendings ...verification.Spending,
) error {
	return s.accounts.Change(ctx, confirmed.User, func(a *access.Account) error {
		if a.Generation != confirmed.Generation {
			return fault.New(fault.Conflict, "The password has just been changed by another request.")
		}
		fn(a)
		return nil
	}, spendings...)
}

// hash hashes the password when it is the attempt's turn.
func (s *Signin) hash(ctx context.Context, attempt access.Attempt, password secret.String) (string, error) {
	leave, err := s.enter(ctx, attempt)
	if err != nil {
		return "", err
	}
	defer leave()
	return s.hasher.Hash(ctx, password)
}

// Sessions returns a page of the actor's valid tokens, without their keys, the latest issued
// first (AUT-13).
func (s *Signin) Sessions(ctx context.Context, actor access.Actor, p page.Request) (page.Page[access.Token], error) {
	account, err := s.accounts.ByID(ctx, actor.ID)
	if err != nil {
		return page.Page[access.Token]{}, err
	}
	all, err := s.tokens.OfUsers(ctx, actor.ID) // at most MaxTokens
	if err != nil {
		return page.Page[access.Token]{}, err
	}
	now := s.now()
	valid := slices.DeleteFunc(all, func(t access.Token) bool { return !t.IsValid(account, now) })
	return page.Slice(p, valid, func(t access.Token) page.Cursor { return page.At(t.Created, t.ID) })
}

// EndSession ends one of the actor's tokens, which may be the one of the request (AUT-13).
// It returns access.ErrNoSession for any other token.
func (s *Signin) EndSession(ctx context.Context, actor access.Actor, id access.TokenID) error {
	all, err := s.tokens.OfUsers(ctx, actor.ID)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(all, func(t access.Token) bool { return t.ID == id }) {
		return access.ErrNoSession
	}
	return s.tokens.Revoke(ctx, id)
}
