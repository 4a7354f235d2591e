package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Tokens is the store as access.Tokens.
type Tokens view

func (v Tokens) Issue(ctx context.Context, t access.Token, charges ...ratelimit.Charge) (access.TokenID, error) {
	return charged(ctx, v.s, charges, func() (access.TokenID, error) {
		if err := v.s.checkUser(t.User); err != nil {
			return 0, err
		}
		if _, taken := v.s.tokenOf(t.Hash); taken {
			return 0, fmt.Errorf("duplicate token key of user %d", t.User)
		}
		t.ID = access.TokenID(v.s.numbers.token.next())
		v.s.tokens[t.ID] = copyOf(t)
		v.s.removeExcess(t)
		audit.Made(ctx, audit.Numbered(audit.Token, t.ID), t.User)
		return t.ID, nil
	})
}

// removeExcess removes the user's least recently used tokens beyond MaxTokens, never the new one.
func (s *Store) removeExcess(issued access.Token) {
	others := sorted(s.tokens.where(func(t access.Token) bool { return t.User == issued.User && t.ID != issued.ID }),
		latest(func(t access.Token) page.Cursor { return page.At(t.Used, t.ID) }))
	for _, t := range others[min(len(others), access.MaxTokens-1):] {
		delete(s.tokens, t.ID)
	}
}

func (v Tokens) Session(ctx context.Context, hash access.KeyHash) (access.Session, error) {
	return read(ctx, v.s, func() (access.Session, error) {
		t, exists := v.s.tokenOf(hash)
		if !exists {
			return access.Session{}, access.ErrNoSession
		}
		account, err := v.s.account(t.User)
		m := v.s.members[t.User]
		return access.Session{Token: copyOf(t), Account: account, Zone: m.Timezone, Seen: m.Seen}, err
	})
}

func (v Tokens) Touch(ctx context.Context, all ...access.Sighting) error {
	return exec(ctx, v.s, func() error {
		for _, one := range all {
			t, exists := v.s.tokens[one.ID]
			if !exists {
				continue
			}
			m := v.s.members[one.User]
			touch(&t.Used, instant.Normalise(one.At))
			touch(&m.Seen, instant.Normalise(one.At))
			v.s.tokens[one.ID], v.s.members[one.User] = t, m
		}
		return nil
	})
}

// touch notes the time, unless the noted time is about as late or later.
func touch(noted *time.Time, now time.Time) {
	if now.Sub(*noted) >= access.SeenEvery {
		*noted = now
	}
}

func (v Tokens) Revoke(ctx context.Context, id access.TokenID) error {
	return exec(ctx, v.s, func() error {
		_, err := v.s.tokens.get(id, access.ErrNoSession)
		delete(v.s.tokens, id)
		return err
	})
}

func (v Tokens) OfUsers(ctx context.Context, ids ...user.ID) ([]access.Token, error) {
	return read(ctx, v.s, func() ([]access.Token, error) {
		theirs := sorted(v.s.tokens.where(func(t access.Token) bool { return slices.Contains(ids, t.User) }),
			latest(func(t access.Token) page.Cursor { return page.At(t.Created, t.ID) }))
		return copyOf(theirs), nil
	})
}

func (s *Store) tokenOf(hash access.KeyHash) (access.Token, bool) {
	return s.tokens.find(func(t access.Token) bool { return t.Hash == hash })
}
