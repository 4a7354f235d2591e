package signin

import (
	"context"
	"time"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// SecondFactor says whether staff need a second factor for the back office (OFF-04), and has the key of its secrets.
type SecondFactor struct {
	IsRequired bool
	Key        access.FactorKey
}

// RequiresFactor reports whether staff need a second factor.
func (s *Signin) RequiresFactor() bool { return s.factor.IsRequired }

// asksOf reports whether the account must prove a second factor before it may do what staff do.
func (f SecondFactor) asksOf(a access.Account) bool { return f.IsRequired && a.IsStaff() }

// prove spends the code, and reports whether it is right. Without a code, and for an account that needs none, it reports false.
func (s *Signin) prove(ctx context.Context, a access.Account, otp string) (bool, error) {
	if otp == "" || !s.factor.asksOf(a) {
		return false, nil
	}
	if !a.Factor.IsEnrolled() {
		return false, access.ErrNotEnrolled
	}
	if access.IsRecovery(otp) {
		ctx = s.acting(ctx, audit.RecoveryCodeUsed, a.User)
	}
	err := s.accounts.Change(ctx, a.User, func(a *access.Account) error { return a.Factor.Spend(s.factor.Key, a.User, otp, s.now()) })
	return err == nil, err
}

// acting returns a context that carries the audit record of what the user does to their own account.
func (s *Signin) acting(ctx context.Context, act audit.Act, by user.ID) context.Context {
	r := audit.OnAccount(act, by)
	r.At, r.By = s.now(), audit.Actor{Staff: by}
	return audit.With(ctx, r)
}

// BeginEnrolment returns a new secret for the actor, or the one that it has returned as sealed before, and its address for a QR code. It
// returns access.ErrIsEnrolled if the account has a second factor.
func (s *Signin) BeginEnrolment(ctx context.Context, actor access.Actor, sealed []byte) (e access.Enrolment, qr secret.String, err error) {
	account, err := s.accounts.ByID(ctx, actor.ID)
	if err == nil && account.Factor.IsEnrolled() {
		err = access.ErrIsEnrolled
	}
	if err != nil {
		return e, qr, err
	}
	if e, err = s.factor.Key.Enrolling(sealed, actor.ID); err != nil {
		e = s.factor.Key.Enrol(actor.ID)
	}
	return e, e.Address(account.Phone.String()), nil
}

// Enrol stores the second factor of the actor, whom only its lack keeps from the back office, if the code is one that the app
// makes of the secret. It returns a key for the back office, in place of that of the request, and the recovery codes, which are shown once.
func (s *Signin) Enrol(
	ctx context.Context, actor access.Actor, e access.Enrolment, code string, ttl time.Duration,
) (key secret.String, recovery []secret.String, err error) {
	if !actor.LacksFactor {
		return key, nil, access.ErrNotStaff
	}
	var account access.Account
	err = s.accounts.Change(s.acting(ctx, audit.SecondFactorEnrolled, actor.ID), actor.ID, func(a *access.Account) (err error) {
		if a.Factor.IsEnrolled() {
			return access.ErrIsEnrolled
		}
		a.Factor, recovery, err = s.factor.Key.Confirm(e, actor.ID, code, s.now())
		account = *a
		return err
	})
	if err != nil {
		return key, nil, err
	}
	granted := access.Grant{Scopes: []access.Scope{access.BackOffice}, IsNarrowed: true, HasFactor: true}
	if key, err = s.issue(ctx, account, granted, ttl); err != nil {
		return key, nil, err
	}
	return key, recovery, s.tokens.Revoke(ctx, actor.Token)
}

// ResetSecondFactor removes the second factor of the account, and ends all its keys. The next login at the page enrols another.
func (s *Signin) ResetSecondFactor(ctx context.Context, id user.ID) error {
	return s.change(ctx, id, func(a *access.Account) {
		a.Factor = access.SecondFactor{}
		a.EndSessions()
	})
}
