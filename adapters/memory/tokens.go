package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/instant"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Tokens is the store as access.Tokens.
type Tokens struct{ s *Store }

// Tokens returns the store's tokens.
func (s *Store) Tokens() Tokens { return Tokens{s} }

var _ access.Tokens = Tokens{}

func (v Tokens) Issue(ctx context.Context, t access.Token, charges ...ratelimit.Charge) (access.TokenID, error) {
	return charged(ctx, v.s, charges, func() (access.TokenID, error) {
		if err := v.s.checkUser(t.User); err != nil {
			return 0, err
		}
		if _, taken := v.s.keys[t.Hash]; taken {
			return 0, fmt.Errorf("duplicate token key of user %d", t.User)
		}
		t.ID = access.TokenID(v.s.numbers.token.next())
		v.s.tokens[t.ID] = copyToken(t)
		v.s.used[t.ID] = t.Used
		v.s.keys[t.Hash] = t.ID
		v.s.removeExcess(t)
		return t.ID, nil
	})
}

// removeExcess removes the user's least recently used tokens beyond MaxTokens, never the
// new one.
func (s *Store) removeExcess(issued access.Token) {
	var others []access.Token
	for _, t := range s.tokens {
		if t.User == issued.User && t.ID != issued.ID {
			others = append(others, s.token(t.ID))
		}
	}
	sortFunc(others, func(a, b access.Token) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(b.ID, a.ID))
	})
	for _, t := range others[min(len(others), access.MaxTokens-1):] {
		s.removeToken(t)
	}
}

func (v Tokens) Session(ctx context.Context, hash access.KeyHash) (access.Session, error) {
	return read(ctx, v.s, func() (access.Session, error) {
		id, exists := v.s.keys[hash]
		if !exists {
			return access.Session{}, access.ErrNoSession
		}
		t := v.s.token(id)
		account, err := v.s.account(t.User)
		return access.Session{
			Token: t, Account: account, Zone: v.s.members[t.User].Timezone, Seen: v.s.seen[t.User],
		}, err
	})
}

func (v Tokens) Touch(ctx context.Context, session access.Session, now time.Time) error {
	return exec(ctx, v.s, func() error {
		if _, exists := v.s.tokens[session.ID]; !exists {
			return nil
		}
		now = instant.Normalise(now)
		touch(v.s.used, session.ID, now)
		touch(v.s.seen, session.User, now)
		return nil
	})
}

// touch stores the time, unless the stored time is about as late or later.
func touch[K comparable](noted map[K]time.Time, key K, now time.Time) {
	if now.Sub(noted[key]) >= access.SeenEvery {
		noted[key] = now
	}
}

func (v Tokens) Revoke(ctx context.Context, id access.TokenID) error {
	return exec(ctx, v.s, func() error {
		t, exists := v.s.tokens[id]
		if !exists {
			return access.ErrNoSession
		}
		v.s.removeToken(t)
		return nil
	})
}

func (s *Store) removeToken(t access.Token) {
	delete(s.tokens, t.ID)
	delete(s.used, t.ID)
	delete(s.keys, t.Hash)
}

func (v Tokens) OfUser(ctx context.Context, id user.ID) ([]access.Token, error) {
	return read(ctx, v.s, func() ([]access.Token, error) {
		var theirs []access.Token
		for _, t := range v.s.tokens {
			if t.User == id {
				theirs = append(theirs, v.s.token(t.ID))
			}
		}
		sortFunc(theirs, func(a, b access.Token) int {
			return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
		})
		return theirs, nil
	})
}

// token returns a copy of the token with its last use.
func (s *Store) token(id access.TokenID) access.Token {
	t := copyToken(s.tokens[id])
	t.Used = s.used[id]
	return t
}

func copyToken(t access.Token) access.Token {
	t.Scopes = slices.Clone(t.Scopes)
	return t
}
