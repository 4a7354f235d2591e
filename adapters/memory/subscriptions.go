package memory

import (
	"cmp"
	"context"

	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Subscriptions is the store as subscription.Repository.
type Subscriptions struct{ s *Store }

// Subscriptions returns the store's subscriptions.
func (s *Store) Subscriptions() Subscriptions { return Subscriptions{s} }

var _ subscription.Repository = Subscriptions{}

// follow identifies a subscription by its follower and the user or category followed.
type follow struct {
	follower user.ID
	followed user.ID
	category feed.CategoryID
}

func followOf(s subscription.Subscription) follow { return follow{s.User, s.Followed, s.Category} }

func (v Subscriptions) Follow(
	ctx context.Context, sub subscription.Subscription, charges ...ratelimit.Charge,
) (subscription.Subscription, bool, error) {
	isNew := false
	stored, err := charged(ctx, v.s, charges, func() (subscription.Subscription, error) {
		if err := v.s.checkUser(sub.User); err != nil {
			return subscription.Subscription{}, err
		}
		if !v.s.followable(sub) {
			return subscription.Subscription{}, subscription.ErrNotFound
		}
		k := sub.Completes
		if err := v.s.requests.checkHeld(k); err != nil {
			return subscription.Subscription{}, err
		}
		if id, exists := v.s.follows[followOf(sub)]; exists {
			v.s.requests.complete(k, idempotency.ExistingSubscription, int64(id))
			return v.s.subscriptions[id], nil
		}
		isNew = true
		sub.ID, sub.Completes = subscription.ID(v.s.numbers.subscription.next()), nil
		v.s.requests.complete(k, idempotency.Subscription, int64(sub.ID))
		v.s.subscriptions[sub.ID] = sub
		v.s.follows[followOf(sub)] = sub.ID
		return sub, nil
	})
	return stored, isNew, err
}

// followable reports whether the followed user or category exists.
func (s *Store) followable(sub subscription.Subscription) bool {
	if sub.EntityType() == subscription.User {
		return s.checkUser(sub.Followed) == nil && !s.accounts[sub.Followed].IsErased()
	}
	return sub.Category != 0 && s.checkCategory(sub.Category) == nil
}

func (v Subscriptions) Get(ctx context.Context, owner user.ID, id subscription.ID) (subscription.Subscription, error) {
	return read(ctx, v.s, func() (subscription.Subscription, error) {
		sub, exists := v.s.subscriptions[id]
		if !exists || sub.User != owner {
			return subscription.Subscription{}, subscription.ErrNotFound
		}
		return sub, nil
	})
}

func (v Subscriptions) Remove(ctx context.Context, owner user.ID, id subscription.ID) error {
	return exec(ctx, v.s, func() error {
		sub, exists := v.s.subscriptions[id]
		if !exists || sub.User != owner {
			return subscription.ErrNotFound
		}
		delete(v.s.subscriptions, id)
		delete(v.s.follows, followOf(sub))
		return nil
	})
}

func (v Subscriptions) List(ctx context.Context, q subscription.Query) (page.Page[subscription.Subscription], error) {
	return read(ctx, v.s, func() (page.Page[subscription.Subscription], error) {
		var admitted []subscription.Subscription
		for _, sub := range v.s.subscriptions {
			if q.Admits(sub) {
				admitted = append(admitted, sub)
			}
		}
		sortFunc(admitted, func(a, b subscription.Subscription) int {
			return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
		})
		return pageOf(q.Page, admitted)
	})
}

// pageOf returns the requested page of the list.
func pageOf[T any](r page.Request, all []T) (page.Page[T], error) {
	from := min(r.Offset(), len(all))
	to := min(from+r.Size(), len(all))
	return page.Of(r, all[from:to], len(all))
}

func (v Subscriptions) Relations(
	ctx context.Context, viewer user.ID, authors []user.ID,
) (map[user.ID]subscription.Relation, error) {
	return read(ctx, v.s, func() (map[user.ID]subscription.Relation, error) {
		relations := make(map[user.ID]subscription.Relation, len(authors))
		for _, author := range authors {
			relations[author] = v.s.relation(viewer, author)
		}
		return relations, nil
	})
}

func (s *Store) relation(viewer, author user.ID) subscription.Relation {
	_, viewerFollows := s.follows[follow{follower: viewer, followed: author}]
	_, authorFollows := s.follows[follow{follower: author, followed: viewer}]
	return subscription.Relate(viewer, author, viewerFollows, authorFollows)
}
