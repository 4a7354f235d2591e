package signin

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/locale"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// errPhoneInUse is the fault of a number that another account has. Only a caller who has a code for the number learns it.
var errPhoneInUse = fault.New(fault.Conflict, "An account with this phone number exists.")

// CodeProof is a code that proves that its number is the caller's.
type CodeProof struct {
	Username string
	Code     string // as it was typed
	From     netip.Addr
}

// SignUp is a request for an account.
type SignUp struct {
	CodeProof
	Password            secret.String
	Firstname, Lastname string
	Timezone            string // empty: UTC
}

// SignedUp is a new account.
type SignedUp struct {
	User user.ID
	Key  secret.String
}

// SignUp opens an account for the number that the code was sent to, and logs in (AUT-16). Fields are judged before the
// code is tried. If the number has an account, it returns a Conflict and the code stays good.
func (s *Signin) SignUp(ctx context.Context, r SignUp, readErr error) (SignedUp, error) {
	if s.joining.IsClosed {
		return SignedUp{}, ErrClosed
	}
	phone, err := user.ParsePhone(r.Username)
	code, codeErr := verification.ParseCode(r.Code)
	profile := user.ProfileChange{Firstname: &r.Firstname, Lastname: &r.Lastname}
	if r.Timezone != "" {
		profile.Timezone = &r.Timezone
	}
	profile, profileErr := profile.Check()
	err = fault.Merge(readErr, fault.OnField("username", err), codeErr,
		fault.OnField("password", access.CheckPassword(r.Password, phone, s.strength)), profileErr)
	if err != nil {
		return SignedUp{}, err
	}
	member, err := user.NewMember(profile.Apply(user.Member{Joined: instant.Normalise(s.now())}))
	if err != nil {
		return SignedUp{}, err
	}
	spending, err := s.checkCode(ctx, verification.SignUp, s.joining.Key, phone, code, r.From)
	if err != nil {
		return SignedUp{}, err
	}
	account := access.Account{Phone: phone}
	account.SetScopes(access.DefaultScopes())
	if account.Hash, err = s.hash(ctx, access.Attempt{Phone: phone, Source: access.SourceOf(r.From)}, r.Password); err != nil {
		return SignedUp{}, err
	}
	if account.User, err = s.accounts.Open(ctx, account, member, spending); err != nil {
		return SignedUp{}, orInUse(err)
	}
	granted, err := account.Grant(nil)
	if err != nil {
		return SignedUp{}, err
	}
	key, err := s.issue(ctx, account, granted, time.Duration(s.ttl))
	return SignedUp{account.User, key}, err
}

// orInUse tells a caller with a code that the number is taken.
func orInUse(err error) error {
	if errors.Is(err, access.ErrPhoneTaken) {
		return errPhoneInUse
	}
	return err
}

// PasswordReset replaces a forgotten password.
type PasswordReset struct {
	CodeProof
	Password secret.String
}

// ResetPassword replaces the password of the account with the number (AUT-17). In the same step all its keys end. Failed
// logins of the number are forgotten, so that the person can log in. Without such an account, or if it is disabled, it returns
// verification.ErrWrongCode. So it does for an account of staff, unless a colleague asked for the code: a telephone alone must
// not open the back office.
func (s *Signin) ResetPassword(ctx context.Context, r PasswordReset, readErr error) error {
	phone, err := s.loginName(ctx, r.Username)
	if _, isFault := fault.As(err); err != nil && !isFault {
		return err
	}
	code, codeErr := verification.ParseCode(r.Code)
	err = fault.Merge(readErr, fault.OnField("username", err), codeErr,
		fault.OnField("password", access.CheckPassword(r.Password, phone, s.strength)))
	if err != nil {
		return err
	}
	account, err := s.accounts.ByPhone(ctx, phone)
	if err != nil && !errors.Is(err, access.ErrNoAccount) {
		return err
	}
	key := s.joining.Key
	if account.IsStaff() {
		key = key.OfStaff()
	}
	spending, err := s.checkCode(ctx, verification.ResetPassword, key, phone, code, r.From)
	switch {
	case err != nil:
		return err
	case account.User == 0:
		return verification.ErrWrongCode
	}
	hash, err := s.hash(ctx, access.Attempt{Phone: phone, Source: access.SourceOf(r.From)}, r.Password)
	if err != nil {
		return err
	}
	err = s.accounts.Change(ctx, account.User, func(a *access.Account) error {
		if a.Disabled || a.IsStaff() != account.IsStaff() || a.Phone != phone {
			return verification.ErrWrongCode
		}
		a.SetPassword(hash)
		return nil
	}, spending)
	if err != nil {
		return err
	}
	return s.throttle.Forget(ctx, phone)
}

// PhoneChange gives the account another number.
type PhoneChange struct {
	CodeProof
	Password secret.String
	Language locale.Tag // of the notice
}

// ChangePhone makes the number that the code was sent to the login name of the actor's account (AUT-18). All keys end
// but that of the request. A wrong password counts as a failed login. The former number is told.
func (s *Signin) ChangePhone(ctx context.Context, actor access.Actor, c PhoneChange, readErr error) error {
	phone, err := user.ParsePhone(c.Username)
	code, codeErr := verification.ParseCode(c.Code)
	if err := fault.Merge(readErr, fault.OnField("username", err), codeErr); err != nil {
		return err
	}
	account, err := s.accounts.ByID(ctx, actor.ID)
	if err != nil {
		return err
	}
	if account, err = s.confirm(ctx, account.Phone, c.From, "password", c.Password); err != nil {
		return err
	}
	spending, err := s.checkCode(ctx, verification.ChangePhone, s.joining.Key, phone, code, c.From)
	if err != nil {
		return err
	}
	err = s.changeConfirmed(ctx, account, func(a *access.Account) {
		a.SetPhone(phone)
		a.Kept = actor.Token
	}, spending)
	if err == nil {
		s.notify(ctx, account.Phone, phone, c.Language)
	}
	return orInUse(err)
}

// Leave closes the actor's account, so that its data can be erased (USR-07).
func (s *Signin) Leave(ctx context.Context, actor access.Actor, l access.Leaving, readErr error) error {
	code, codeErr := verification.ParseCode(l.Code)
	if err := fault.Merge(readErr, codeErr); err != nil {
		return err
	}
	account, err := s.accounts.ByID(ctx, actor.ID)
	if err != nil {
		return err
	}
	if account, err = s.confirm(ctx, account.Phone, l.From, "password", l.Password); err != nil {
		return err
	}
	spending, err := s.checkCode(ctx, verification.Erase, s.joining.Key, account.Phone, code, l.From)
	if err != nil {
		return err
	}
	return s.changeConfirmed(ctx, account, (*access.Account).Close, spending)
}
