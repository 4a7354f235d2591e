package memory

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// Accounts is the store as access.Accounts and user.Directory.
type Accounts view

func (v Accounts) Open(ctx context.Context, a access.Account, m user.Member, spendings ...verification.Spending) (id user.ID, err error) {
	err = exec(ctx, v.s, func() error {
		return v.s.codes.use(spendings, func() error {
			if _, taken := v.s.telephones[a.Phone.E164()]; taken {
				return access.ErrPhoneTaken
			}
			id = user.ID(v.s.numbers.account.next())
			a.User, m.ID = id, id
			audit.Made(ctx, audit.Numbered(audit.Account, id), id)
			v.s.putAccount(a)
			v.s.members[id] = m
			return nil
		})
	})
	return id, err
}

func (v Accounts) ByPhone(ctx context.Context, phone user.Phone) (access.Account, error) {
	return read(ctx, v.s, func() (access.Account, error) {
		a, err := v.s.account(v.s.telephones[phone.E164()])
		if err == nil && a.Phone != phone {
			return access.Account{}, access.ErrNoAccount
		}
		return a, err
	})
}

func (v Accounts) ByID(ctx context.Context, id user.ID) (access.Account, error) {
	return read(ctx, v.s, func() (access.Account, error) { return v.s.account(id) })
}

func (v Accounts) AccountsOf(ctx context.Context, ids []user.ID) ([]access.Account, error) {
	return read(ctx, v.s, func() ([]access.Account, error) { return copyOf(v.s.accounts.among(ids)), nil })
}

func (v Accounts) List(ctx context.Context, after user.ID, limit int) ([]access.Account, error) {
	return read(ctx, v.s, func() ([]access.Account, error) {
		later := v.s.accounts.where(func(a access.Account) bool { return a.User > after })
		found := first(sorted(later, by(func(a access.Account) user.ID { return a.User })), limit)
		return copyOf(found), nil
	})
}

func (Accounts) Newest(ctx context.Context, _ access.AccountFilter, _ page.CursorRequest) (page.CursorPage[user.Member], error) {
	return unasked[page.CursorPage[user.Member]](ctx)
}

func (v Accounts) Erasing(ctx context.Context, after user.ID, limit int) ([]user.ID, error) {
	return read(ctx, v.s, func() ([]user.ID, error) {
		var all []user.ID
		for a := range v.s.accounts.where(func(a access.Account) bool { return a.Erasing && a.User > after }) {
			all = append(all, a.User)
		}
		slices.Sort(all)
		return first(all, limit), nil
	})
}

func (v Accounts) Change(ctx context.Context, id user.ID, fn func(*access.Account) error, spendings ...verification.Spending) error {
	return exec(ctx, v.s, func() error {
		old, err := v.s.account(id)
		if err != nil {
			return err
		}
		next := copyOf(old)
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return err
		}
		return v.s.codes.use(spendings, func() error {
			err := v.s.replaceAccount(old, next)
			if err == nil && next.IsDisabledFrom(old) {
				of := moderation.Thing{Kind: moderation.Person, ID: int64(id)}
				v.s.decide(of, moderation.DecisionBy(ctx, moderation.OutcomeDisabled, time.Time{}))
			}
			return err
		})
	})
}

// replaceAccount stores the account in place of the old one, unless another has its telephone.
func (s *Store) replaceAccount(old, next access.Account) error {
	if owner, taken := s.telephones[next.Phone.E164()]; taken && owner != old.User {
		return access.ErrPhoneTaken
	}
	next.User = old.User
	delete(s.telephones, old.Phone.E164())
	if kept, exists := s.tokens[next.Kept]; exists && kept.User == old.User && kept.Generation == old.Generation {
		kept.Generation = next.Generation
		s.tokens[next.Kept] = kept
	}
	next.Kept = 0
	s.putAccount(next)
	return nil
}

func (v Accounts) Members(ctx context.Context, ids []user.ID) ([]user.Member, error) {
	return read(ctx, v.s, func() ([]user.Member, error) {
		var found []user.Member
		for _, id := range unique(ids) {
			if m := v.s.member(id); m != nil {
				found = append(found, *m)
			}
		}
		return found, nil
	})
}

// member returns a copy of the user, or nil if the user does not exist or was erased.
func (s *Store) member(id user.ID) *user.Member {
	m, exists := s.members[id]
	if !exists || s.accounts[id].IsErased() {
		return nil
	}
	m.Avatar = copyOf(m.Avatar)
	return &m
}

// membersOf returns copies of those of the users who exist and were not erased, by id.
func (s *Store) membersOf(ids ...user.ID) map[user.ID]*user.Member {
	found := make(map[user.ID]*user.Member, len(ids))
	for _, id := range ids {
		if m := s.member(id); m != nil {
			found[id] = m
		}
	}
	return found
}

func (v Accounts) SetAvatar(ctx context.Context, id user.ID, avatar media.Picture, bytes int64, charges ...ratelimit.Charge) error {
	return execCharged(ctx, v.s, charges, func() error {
		m, exists := v.s.members[id]
		if !exists || v.s.accounts[id].IsErased() {
			return user.ErrNotFound
		}
		if _, isHidden := v.s.hiddenProfiles[id]; isHidden {
			return user.ErrProfileHidden
		}
		given := v.s.pictures[m.Avatar.Key].bytes
		if err := v.s.countPictures(v.limits, id, map[media.Key]int64{avatar.Key: bytes}, given); err != nil {
			return err
		}
		v.s.queueDeletion(m.Avatar.Keys()...)
		m.Avatar = copyOf(avatar)
		v.s.members[id] = m
		return nil
	})
}

func (v Accounts) ChangeProfile(ctx context.Context, id user.ID, c user.ProfileChange, charges ...ratelimit.Charge) error {
	return execCharged(ctx, v.s, charges, func() error {
		m, exists := v.s.members[id]
		if !exists || v.s.accounts[id].IsErased() {
			return user.ErrNotFound
		}
		if _, isHidden := v.s.hiddenProfiles[id]; isHidden && c.IsHideable() {
			return user.ErrProfileHidden
		}
		v.s.members[id] = c.Apply(m)
		if c.Bio != nil {
			v.s.bios[id] = *c.Bio
		}
		return nil
	})
}

func (v Accounts) Search(ctx context.Context, q user.Search, charges ...ratelimit.Charge) (page.CursorPage[user.Member], error) {
	find := func() (page.CursorPage[user.Member], error) { return v.s.find(q), nil }
	if len(charges) == 0 { // as by staff: nothing is stored
		return read(ctx, v.s, find)
	}
	return charged(ctx, v.s, charges, find)
}

func (s *Store) find(q user.Search) page.CursorPage[user.Member] {
	followed := map[user.ID]bool{}
	for sub := range s.subscriptions.where(func(sub subscription.Subscription) bool { return sub.User == q.By }) {
		followed[sub.Followed] = true
	}
	behind, others, cameFirst := q.Continues()
	var found []user.Found
	for m := range s.members.where(func(m user.Member) bool {
		return (q.WithDisabled || !s.accounts[m.ID].Disabled) && !s.accounts[m.ID].IsErased() && !s.isBlocked(q.By, m.ID)
	}) {
		if followed[m.ID] && m.ID > behind {
			found = append(found, user.Found{Rank: user.RankFollowed, Member: m})
		} else if m.ID > others && !slices.Contains(cameFirst, m.ID) {
			found = append(found, user.Found{Rank: user.RankOther, Member: m})
		}
	}
	slices.SortFunc(found, func(a, b user.Found) int { return a.Place().Compare(b.Place()) })
	return copyOf(q.PageOf(found, page.Cursor{}))
}

func (s *Store) putAccount(a access.Account) {
	s.accounts[a.User] = copyOf(a)
	s.telephones[a.Phone.E164()] = a.User
}

func (s *Store) account(id user.ID) (access.Account, error) {
	a, err := s.accounts.get(id, access.ErrNoAccount)
	return copyOf(a), err
}

// checkUser returns an error if the user does not exist. It is not a fault: such a reference is a bug of the caller.
func (s *Store) checkUser(id user.ID) error {
	if _, exists := s.accounts[id]; !exists {
		return fmt.Errorf("reference to unknown user %d", id)
	}
	return nil
}

func (v Accounts) Profile(ctx context.Context, id, viewer user.ID) (user.Profile, error) {
	return read(ctx, v.s, func() (user.Profile, error) {
		m := v.s.member(id)
		if m == nil || v.s.accounts[id].Disabled || v.s.isBlocked(viewer, id) {
			return user.Profile{}, user.ErrNotFound
		}
		return user.Profile{
			Member: *m, Bio: v.s.bios[id], Relation: v.s.relationship(viewer, id),
			Events:    v.s.events.count(func(e event.State) bool { return e.Author == id && e.Exposure().VisibleTo(subscription.Stranger) }),
			Followers: v.s.subscriptions.count(func(sub subscription.Subscription) bool { return sub.Followed == id }),
			Followed: v.s.subscriptions.count(func(sub subscription.Subscription) bool {
				return sub.User == id && sub.EntityType() == subscription.User
			}),
		}, nil
	})
}

func (Accounts) Relationships(ctx context.Context, _ user.ID, _ []user.ID) ([]user.Relationship, error) {
	return unasked[[]user.Relationship](ctx)
}

func (s *Store) relationship(viewer, id user.ID) user.Relationship {
	own, _ := s.follow(viewer, id, 0)
	_, isBack := s.follow(id, viewer, 0)
	_, blocks := s.blocks[blockKey{viewer, id}]
	return user.Relationship{User: id, Subscription: int64(own.ID), FollowsViewer: isBack, IsBlocked: blocks}
}
