// Package signin holds the use cases of authentication: logging in and out, authenticating
// keys, joining and leaving with one-time codes, and managing accounts.
//
// It decides the order of steps; domain/access has the rules for logins, keys and
// passwords. Passwords and hashes are never returned or logged. A key is returned exactly
// once, when it is made.
//
// Its tests are those of test/usecases/people whose files begin with its name.
package signin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"plaza/application/admission"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/ratelimit"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// Signin implements the use cases.
type Signin struct {
	accounts access.Accounts
	tokens   access.Tokens
	throttle access.Throttle
	hasher   access.Hasher
	hashing  *admission.Queue
	strength access.Estimator
	ttl      TokenTTL
	limits   ratelimit.Limits
	now      func() time.Time
	log      func(context.Context) *slog.Logger
	Logins   Logins
	joining  Joining
	factor   SecondFactor
	sending  sending

	sightings sightings
}

// Joining has what codes and signing up need.
type Joining struct {
	Codes    verification.Store
	Sender   verification.Sender // nil: no codes are sent
	Key      verification.Key
	Budget   verification.Budget
	Host     string // of the web client, for browsers that fill codes in; empty: none
	IsClosed bool   // the server takes no new accounts
	Notifies bool   // the sender sends notices, too
}

// TokenTTL is the lifetime of a login token, counted from its last use.
type TokenTTL time.Duration

// waitingLogins is how many requests may wait until their password is hashed: about three
// seconds of work for two processors.
const waitingLogins = 100

// HashesAtOnce returns how many passwords are hashed at once: one for every two processors. A hash takes one of them for
// 50 ms. All other requests have the rest.
func HashesAtOnce() int { return max(1, runtime.GOMAXPROCS(0)/2) }

// errLoginsBusy is the fault of a server on which as many logins wait as may.
var errLoginsBusy = fault.RetryAfter(fault.Unavailable, time.Second,
	"Too many logins at once. Try again in a moment.").AtLimit("password_hashes")

// New returns the use cases over the ports, with the limits on logins, and what codes need; now returns the time,
// and log the logger of a request. They hash HashesAtOnce passwords of requests at once (AUT-12).
func New(accounts access.Accounts, tokens access.Tokens, throttle access.Throttle,
	hasher access.Hasher, strength access.Estimator, ttl TokenTTL, limits ratelimit.Limits, joining Joining, factor SecondFactor,
	now func() time.Time, log func(context.Context) *slog.Logger) *Signin {
	s := &Signin{
		accounts: accounts, tokens: tokens, throttle: throttle, hasher: hasher, strength: strength, ttl: ttl, limits: limits, now: now,
		hashing: admission.New(admission.Limits{Capacity: int64(HashesAtOnce()), Waiting: waitingLogins}, errLoginsBusy), log: log,
		joining: joining, factor: factor,
	}
	s.sightings.waiting = make(chan access.Sighting, maxSightings)
	s.sending.places = make(chan struct{}, maxSending)
	s.sending.counts = map[Outcome]int64{}
	return s
}

// Login is a login request.
type Login struct {
	Username string
	Password secret.String
	Scopes   []string      // empty: all scopes of the account
	TTL      time.Duration // of the key, from its last use; zero: the TokenTTL
	OTP      string        // a code of the second factor, or a recovery code (OFF-04); empty: none
	From     netip.Addr
	// MayEnrol gives staff without a second factor a key that can enrol one.
	MayEnrol bool
	// Limited is the fault of an address that sends too many requests, or nil. It stops no username
	// at a usual source (AUT-11).
	Limited error
}

// Login returns a new key for the account (AUT-01). The caller can't learn why a login
// failed: an unknown user, a wrong password and a disabled account take the same time and
// return access.ErrBadLogin (AUT-02). A malformed phone number and a scope that the account
// lacks are faults on their fields. Too many failures are Throttled (AUT-11), and so are too
// many logins that succeed (GEN-14).
func (s *Signin) Login(ctx context.Context, l Login, readErr error) (secret.String, error) {
	key, err := s.login(ctx, l, readErr)
	s.Logins.count(err)
	return key, err
}

func (s *Signin) login(ctx context.Context, l Login, readErr error) (secret.String, error) {
	phone, err := s.loginName(ctx, l.Username)
	if l.Limited != nil {
		if err != nil {
			return secret.String{}, l.Limited
		}
		isUsual, err := s.throttle.IsUsual(ctx, access.Attempt{Phone: phone, Source: access.SourceOf(l.From)}, s.now())
		if err != nil || !isUsual {
			return secret.String{}, cmp.Or(err, l.Limited)
		}
	}
	asked, scopeErr := access.ParseScopes(l.Scopes)
	if err := fault.Merge(readErr, fault.OnField("username", err), scopeErr); err != nil {
		return secret.String{}, err
	}
	account, hasFactor, err := s.verify(ctx, phone, l.From, l.Password, l.OTP)
	if err != nil {
		return secret.String{}, err
	}
	granted, err := account.Grant(asked)
	if err != nil {
		return secret.String{}, err
	}
	if granted.HasFactor = hasFactor; s.factor.asksOf(account) && !hasFactor {
		isAsked := slices.Contains(asked, access.BackOffice)
		switch {
		case isAsked && account.Factor.IsEnrolled():
			return secret.String{}, access.ErrNoOTP
		case isAsked && !l.MayEnrol:
			return secret.String{}, access.ErrNotEnrolled
		case !isAsked:
			granted.Scopes = slices.DeleteFunc(granted.Scopes, func(sc access.Scope) bool { return sc == access.BackOffice })
		}
	}
	return s.issue(ctx, account, granted, cmp.Or(l.TTL, time.Duration(s.ttl)), s.limits.Charge(int64(account.User), ratelimit.Login, s.now()))
}

// loginName parses the name. One that no new account may have is refused in the words of AUT-03, unless an account from
// before has it.
func (s *Signin) loginName(ctx context.Context, name string) (user.Phone, error) {
	phone, err := user.ParseLoginName(name)
	if err != nil {
		return user.Phone{}, err
	}
	problem := phone.Problem()
	if problem == nil {
		return phone, nil
	}
	if _, err := s.accounts.ByPhone(ctx, phone); !errors.Is(err, access.ErrNoAccount) {
		return phone, err
	}
	return user.Phone{}, problem
}

// verify returns the account if the password matches and the account is enabled. It counts
// and logs a failure (AUT-11). One account or address that logs in very often delays itself,
// not others. It reports whether the code proves the second factor; a wrong one fails like a wrong password. If the account has
// one, a login without a code forgets no failures: codes could be guessed between such logins.
func (s *Signin) verify(
	ctx context.Context, phone user.Phone, from netip.Addr, password secret.String, otp string,
) (a access.Account, hasFactor bool, err error) {
	attempt := access.Attempt{Phone: phone, Source: access.SourceOf(from)}
	if err := s.throttle.Begin(ctx, attempt, s.now()); err != nil {
		if fault.Is(err, fault.Throttled) {
			s.logFailure(ctx, from, "limit")
		}
		return access.Account{}, false, err
	}
	account, err := s.compare(ctx, attempt, password)
	if err == nil {
		hasFactor, err = s.prove(ctx, account, otp)
	}
	switch {
	case errors.Is(err, access.ErrBadLogin), errors.Is(err, access.ErrWrongOTP):
		s.logFailure(ctx, from, "credentials")
		return access.Account{}, false, err
	case err != nil || s.factor.asksOf(account) && account.Factor.IsEnrolled() && !hasFactor:
		abandoned := s.throttle.Abandon(context.WithoutCancel(ctx), attempt, s.now())
		if err == nil || abandoned != nil {
			err = errors.Join(err, abandoned)
		}
		return account, false, err
	}
	if err := s.throttle.Succeed(ctx, attempt, s.now()); err != nil {
		return access.Account{}, false, fmt.Errorf("count login: %w", err)
	}
	return account, hasFactor, nil
}

// logFailure logs a failed login in a line that programs read which block addresses. It names
// no account, because any client can name one.
func (s *Signin) logFailure(ctx context.Context, from netip.Addr, reason string) {
	s.log(ctx).WarnContext(ctx, "login failed", "client", from.String(), "reason", reason)
}

// enter waits for the turn of the attempt's phone and address to compute a hash.
func (s *Signin) enter(ctx context.Context, attempt access.Attempt) (leave func(), err error) {
	phone, source := "phone "+attempt.Phone.String(), "source "+attempt.Source.String()
	return s.hashing.Enter(ctx, 1, phone, source)
}

// compare verifies the password for unknown users, too, so that both cases take the same
// time.
func (s *Signin) compare(ctx context.Context, attempt access.Attempt, password secret.String) (access.Account, error) {
	leave, err := s.enter(ctx, attempt)
	if err != nil {
		return access.Account{}, err
	}
	defer leave()
	account, err := s.accounts.ByPhone(ctx, attempt.Phone)
	if err != nil && !errors.Is(err, access.ErrNoAccount) {
		return access.Account{}, err
	}
	matches, outdated, err := s.hasher.Verify(ctx, account.Hash, password)
	if err != nil {
		return access.Account{}, err
	}
	if !matches || account.Disabled {
		return access.Account{}, access.ErrBadLogin
	}
	if outdated {
		if err := s.rehash(ctx, account, password); err != nil {
			return access.Account{}, err
		}
	}
	return account, nil
}

// rehash upgrades the account's hash (AUT-12), unless the password has changed meanwhile.
func (s *Signin) rehash(ctx context.Context, old access.Account, password secret.String) error {
	hash, err := s.hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return s.accounts.Change(ctx, old.User, func(a *access.Account) error {
		if a.Hash == old.Hash {
			a.Rehash(hash)
		}
		return nil
	})
}

func (s *Signin) issue(
	ctx context.Context, a access.Account, granted access.Grant, ttl time.Duration, charges ...ratelimit.Charge,
) (secret.String, error) {
	key := access.NewKey()
	if _, err := s.tokens.Issue(ctx, access.NewToken(key, a, granted, ttl, s.now()), charges...); err != nil {
		return secret.String{}, fmt.Errorf("issue token: %w", err)
	}
	return key, nil
}

// Authenticate returns the actor who owns the key, and records their presence beside the call, which no other writer
// delays (USR-03). It returns access.ErrBadKey if the key is malformed, unknown, expired or revoked, or if its account
// is disabled (AUT-05). If presence can't be written, the log says so: with a full disk the server still serves reads.
func (s *Signin) Authenticate(ctx context.Context, key secret.String) (access.Actor, error) {
	session, err := s.session(ctx, key)
	if err != nil {
		return access.Actor{}, err
	}
	actor, err := s.ActorOf(session)
	if err != nil {
		return access.Actor{}, err
	}
	if now := s.now(); session.IsStale(now) {
		s.see(ctx, access.Sighting{Session: session, At: now})
	}
	return actor, nil
}

// ActorOf returns the actor of the session now.
func (s *Signin) ActorOf(session access.Session) (access.Actor, error) {
	return session.Actor(s.now(), s.factor.IsRequired)
}

func (s *Signin) session(ctx context.Context, key secret.String) (access.Session, error) {
	hash, ok := access.HashKey(key)
	if !ok {
		return access.Session{}, access.ErrBadKey
	}
	session, err := s.tokens.Session(ctx, hash)
	if errors.Is(err, access.ErrNoSession) {
		return access.Session{}, access.ErrBadKey
	}
	return session, err
}

// Logout revokes the key (AUT-10).
func (s *Signin) Logout(ctx context.Context, key secret.String) error {
	session, err := s.session(ctx, key)
	if err != nil {
		return err
	}
	if err := s.tokens.Revoke(ctx, session.ID); !errors.Is(err, access.ErrNoSession) {
		return err
	}
	return access.ErrBadKey
}

// Logins counts logins since this server started by their outcome.
type Logins struct {
	Succeeded     atomic.Int64
	WrongPassword atomic.Int64 // access.ErrBadLogin: also of an unknown user or a disabled account (AUT-02); or a wrong code (OFF-04)
	Throttled     atomic.Int64 // too many that failed, or that succeeded (AUT-11, GEN-14)
	Invalid       atomic.Int64 // a malformed request, or a scope that the account lacks
	Failed        atomic.Int64 // the server did not decide: it was busy, the database was away, or the client left
}

func (l *Logins) count(err error) {
	switch {
	case err == nil:
		l.Succeeded.Add(1)
	case errors.Is(err, access.ErrBadLogin), errors.Is(err, access.ErrWrongOTP):
		l.WrongPassword.Add(1)
	case fault.Is(err, fault.Throttled):
		l.Throttled.Add(1)
	case fault.Is(err, fault.Invalid), fault.Is(err, fault.TooLarge), fault.Is(err, fault.Unsupported):
		l.Invalid.Add(1)
	default:
		l.Failed.Add(1)
	}
}
