package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/verification"
)

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
	maps.DeleteFunc(s.failures.usual, func(a access.Attempt, _ time.Time) bool { return a.Phone == old.Phone && next.Phone != old.Phone })
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

type Throttle view

func (v Throttle) Begin(ctx context.Context, a access.Attempt, now time.Time) error {
	return exec(ctx, v.s, func() error { return v.s.failures.begin(a, now) })
}

func (v Throttle) IsUsual(ctx context.Context, a access.Attempt, now time.Time) (bool, error) {
	return read(ctx, v.s, func() (bool, error) { return v.s.failures.isUsual(a, now), nil })
}

func (v Throttle) Succeed(ctx context.Context, a access.Attempt, now time.Time) error {
	return exec(ctx, v.s, func() error {
		v.s.failures.uncount(a)
		if _, has := v.s.telephones[a.Phone.E164()]; has {
			v.s.failures.recordLogin(a, now)
		}
		return nil
	})
}

func (v Throttle) Abandon(ctx context.Context, a access.Attempt, now time.Time) error {
	return exec(ctx, v.s, func() error {
		v.s.failures.uncount(a)
		return nil
	})
}

func (v Throttle) Forget(ctx context.Context, phone user.Phone) error {
	return exec(ctx, v.s, func() error {
		v.s.failures.all = slices.DeleteFunc(v.s.failures.all, func(c failure) bool { return c.Phone == phone })
		return nil
	})
}

// counts reports whether the failure counts against the attempt in the grouping.
func (f *failure) counts(g access.Grouping, a access.Attempt) bool {
	switch g {
	case access.ByPair:
		return f.inPair && f.Attempt == a
	case access.ByUnusual:
		return f.inUnusual && f.Phone == a.Phone
	default:
		return f.Source == a.Source
	}
}

func (f *failures) begin(a access.Attempt, now time.Time) error {
	var wait time.Duration
	usual := f.isUsual(a, now)
	for _, l := range access.Limits() {
		if usual && l.Grouping.SparesUsual() {
			continue
		}
		var within []time.Time
		after, last := ratelimit.Window(l.Window, now)
		for i := range f.all {
			if at := f.all[i].at; at.After(after) && !at.After(last) && f.all[i].counts(l.Grouping, a) {
				within = append(within, at)
			}
		}
		if len(within) >= l.Max {
			slices.SortFunc(within, func(a, b time.Time) int { return b.Compare(a) })
			wait = max(wait, within[l.Max-1].Add(l.Window).Sub(now))
		}
	}
	if wait > 0 {
		return access.ErrThrottled(wait)
	}
	f.all = append(f.all, failure{a, now, true, !usual})
	return nil
}

// uncount removes the attempt's latest failure.
func (f *failures) uncount(a access.Attempt) {
	latest := -1
	for i, counted := range f.all {
		if counted.Attempt == a && (latest < 0 || !counted.at.Before(f.all[latest].at)) {
			latest = i
		}
	}
	if latest >= 0 {
		f.all = slices.Delete(f.all, latest, latest+1)
	}
}

// recordLogin records a successful login: it clears the failures of the pair, and its source becomes a usual one.
func (f *failures) recordLogin(a access.Attempt, now time.Time) {
	for i := range f.all {
		f.all[i].inPair = f.all[i].inPair && f.all[i].Attempt != a
	}
	if now.After(f.usual[a]) {
		f.usual[a] = now
	}
}

// forget removes what is counted of the phone.
func (f *failures) forget(phone user.Phone) {
	f.all = slices.DeleteFunc(f.all, func(c failure) bool { return c.Phone == phone })
	maps.DeleteFunc(f.usual, func(a access.Attempt, _ time.Time) bool { return a.Phone == phone })
}

func (f *failures) isUsual(a access.Attempt, now time.Time) bool {
	return now.Sub(f.usual[a]) < access.UsualFor
}
