package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"plaza/domain/instant"
	"plaza/domain/ratelimit"
	"plaza/domain/secret"
	"plaza/domain/user"
)

// SeenEvery is the minimum time between two stored sightings of a user or a token
// (USR-03).
const SeenEvery = time.Minute

// MaxTokens is how many tokens a user may have.
const MaxTokens = 100

// keyPrefix lets secret scanners recognise a leaked key.
const keyPrefix = "plz_"

const keyBytes = 32

// KeyHash is the SHA-256 of a key. The key itself is never stored.
type KeyHash [sha256.Size]byte

// NewKey returns a new key of 32 random bytes in URL-safe base64.
func NewKey() secret.String {
	var raw [keyBytes]byte
	rand.Read(raw[:]) // never fails: crypto/rand crashes the program instead
	return secret.New(keyPrefix + base64.RawURLEncoding.EncodeToString(raw[:]))
}

// HashKey returns the hash of a presented key. It reports false if the text cannot be
// a key.
func HashKey(key secret.String) (KeyHash, bool) {
	body, found := strings.CutPrefix(key.Reveal(), keyPrefix)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(body)
	if !found || err != nil || len(raw) != keyBytes || len(body) != base64.RawURLEncoding.EncodedLen(keyBytes) {
		return KeyHash{}, false
	}
	return sha256.Sum256([]byte(key.Reveal())), true
}

// TokenID numbers tokens, for listing and revoking them.
type TokenID int64

// Token describes an issued key, without the key itself.
type Token struct {
	ID         TokenID
	Hash       KeyHash
	User       user.ID
	Scopes     []Scope
	IsNarrowed bool          // it was requested with explicit scopes (AUT-14)
	HasFactor  bool          // it was issued with a second factor, or at the command line (OFF-04)
	Generation int           // of the account when the token was issued
	TTL        time.Duration // after the last use
	Created    time.Time
	Used       time.Time
}

// NewToken returns the token of the key, issued to the account.
func NewToken(key secret.String, a Account, g Grant, ttl time.Duration, now time.Time) Token {
	hash, _ := HashKey(key)
	return Token{
		Hash: hash, User: a.User, Scopes: g.Scopes, IsNarrowed: g.IsNarrowed, HasFactor: g.HasFactor, Generation: a.Generation,
		TTL: ttl, Created: instant.Normalise(now), Used: instant.Normalise(now),
	}
}

// Expires returns when the token expires unless it is used before.
func (t Token) Expires() time.Time { return t.Used.Add(t.TTL) }

// IsValid reports whether the token authenticates its user: it has not expired, is of the
// generation of the account, and the account is not disabled.
func (t Token) IsValid(of Account, now time.Time) bool {
	return now.Before(t.Expires()) && t.Generation == of.Generation && !of.Disabled
}

// Session is a token with its account and the last sighting of its user: everything
// that a request needs to know about its caller.
type Session struct {
	Token
	Account Account
	Zone    string    // the user's time zone
	Seen    time.Time // when the user was last seen with any token; zero: never
}

// Actor returns the actor of the token. It returns ErrBadKey if the token has expired
// or is of another generation than the account, or if the account is disabled. The
// actor has the scopes that both the token and the account hold. A token that was not
// narrowed holds BackOffice whenever its account does (AUT-14). If a second factor is required, a token without one never
// holds it (OFF-04).
func (s Session) Actor(now time.Time, isFactorRequired bool) (Actor, error) {
	if !s.IsValid(s.Account, now) {
		return Actor{}, ErrBadKey
	}
	held := s.Account.EffectiveScopes()
	scopes := slices.DeleteFunc(slices.Clone(s.Scopes), func(sc Scope) bool { return !slices.Contains(held, sc) })
	if s.Account.IsStaff() && !s.IsNarrowed && !slices.Contains(scopes, BackOffice) {
		scopes = append(scopes, BackOffice)
	}
	lacksFactor := isFactorRequired && !s.HasFactor && slices.Contains(scopes, BackOffice)
	if lacksFactor {
		scopes = slices.DeleteFunc(scopes, func(sc Scope) bool { return sc == BackOffice })
	}
	return Actor{
		ID: s.User, Scopes: scopes, Roles: s.Account.Roles, LacksFactor: lacksFactor,
		Zone: user.Member{Timezone: s.Zone}.Zone(), Token: s.ID, Narrowed: s.IsNarrowed,
	}, nil
}

// IsStale reports whether the last use of the token or the last sighting of its user
// must be stored again.
func (s Session) IsStale(now time.Time) bool {
	return now.Sub(s.Used) >= SeenEvery || now.Sub(s.Seen) >= SeenEvery
}

// Sighting is a use of the session's token, with which its user was seen.
type Sighting struct {
	Session
	At time.Time
}

// Tokens stores tokens and the last sightings of their users. Every implementation
// passes test/ports.Tokens.
type Tokens interface {
	// Issue stores the token, with IsNarrowed and HasFactor, and returns its number. If the
	// user has more than MaxTokens then, Issue also removes the least recently used of
	// the other ones, ties by ascending id.
	Issue(ctx context.Context, t Token, charges ...ratelimit.Charge) (TokenID, error)
	// Session returns the token with the hash, in any state, or ErrNoSession.
	Session(ctx context.Context, hash KeyHash) (Session, error)
	// Touch records all sightings, of tokens and of users. Each of the two must be written
	// only if it is at least SeenEvery older, so that concurrent calls write once. Neither
	// may move backwards. A session that no longer exists is not an error.
	Touch(ctx context.Context, all ...Sighting) error
	// Revoke removes the token, or returns ErrNoSession.
	Revoke(ctx context.Context, id TokenID) error
	// OfUsers returns the users' tokens, most recently issued first, ties by descending
	// id.
	OfUsers(ctx context.Context, ids ...user.ID) ([]Token, error)
}
