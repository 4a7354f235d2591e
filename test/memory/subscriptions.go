package memory

import (
	"context"

	"plaza/domain/block"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

type Subscriptions view

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
		if existing, exists := v.s.follow(sub.User, sub.Followed, sub.Category); exists {
			v.s.requests.complete(k, idempotency.ExistingSubscription, int64(existing.ID))
			return existing, nil
		}
		own := v.s.subscriptions.count(func(other subscription.Subscription) bool { return other.User == sub.User })
		if err := v.limits.CheckFollows(own); err != nil {
			return subscription.Subscription{}, err
		}
		isNew = true
		sub.ID, sub.Completes = subscription.ID(v.s.numbers.subscription.next()), nil
		v.s.requests.complete(k, idempotency.Subscription, int64(sub.ID))
		v.s.subscriptions[sub.ID] = sub
		v.s.notify(notification.OfFollow(sub))
		return sub, nil
	})
	return stored, isNew, err
}

// followable reports whether the followed user or category exists, and no block stands between the users.
func (s *Store) followable(sub subscription.Subscription) bool {
	if sub.EntityType() == subscription.User {
		return s.checkUser(sub.Followed) == nil && !s.accounts[sub.Followed].IsErased() && !s.isBlocked(sub.User, sub.Followed)
	}
	return sub.Category != 0 && s.checkCategory(sub.Category) == nil
}

func (v Subscriptions) Get(ctx context.Context, owner user.ID, id subscription.ID) (subscription.Subscription, error) {
	return read(ctx, v.s, func() (subscription.Subscription, error) { return v.s.subscription(owner, id) })
}

func (v Subscriptions) Remove(ctx context.Context, owner user.ID, id subscription.ID) error {
	return exec(ctx, v.s, func() error {
		sub, err := v.s.subscription(owner, id)
		if err == nil {
			v.s.removeSubscription(sub)
		}
		return err
	})
}

func (s *Store) removeSubscription(sub subscription.Subscription) {
	delete(s.subscriptions, sub.ID)
	s.unnotify(notification.OfFollow(sub).Source)
}

func (s *Store) subscription(owner user.ID, id subscription.ID) (subscription.Subscription, error) {
	sub, exists := s.subscriptions[id]
	if !exists || sub.User != owner {
		return subscription.Subscription{}, subscription.ErrNotFound
	}
	return sub, nil
}

func (v Subscriptions) List(ctx context.Context, q subscription.Query) (page.Page[subscription.Subscription], error) {
	return pageOf(ctx, v.s, q.Page, v.s.subscriptions.where(q.Admits), func(sub subscription.Subscription) page.Cursor {
		return page.At(sub.Created, sub.ID)
	})
}

func (v Subscriptions) Relations(ctx context.Context, viewer user.ID, authors []user.ID) (map[user.ID]subscription.Relation, error) {
	return read(ctx, v.s, func() (map[user.ID]subscription.Relation, error) {
		relations := make(map[user.ID]subscription.Relation, len(authors))
		for _, author := range authors {
			relations[author] = v.s.relation(viewer, author)
		}
		return relations, nil
	})
}

func (s *Store) follow(follower, followed user.ID, category feed.CategoryID) (subscription.Subscription, bool) {
	return s.subscriptions.find(func(sub subscription.Subscription) bool {
		return sub.User == follower && sub.Followed == followed && sub.Category == category
	})
}

func (s *Store) relation(viewer, author user.ID) subscription.Relation {
	_, viewerFollows := s.follow(viewer, author, 0)
	_, authorFollows := s.follow(author, viewer, 0)
	return subscription.Relate(viewer, author, viewerFollows, authorFollows, s.isBlocked(viewer, author))
}

// isBlocked reports whether one of the users blocks the other.
func (s *Store) isBlocked(a, b user.ID) bool {
	_, blocks := s.blocks[blockKey{a, b}]
	_, isBack := s.blocks[blockKey{b, a}]
	return blocks || isBack
}

type Blocks view

func (v Blocks) Add(ctx context.Context, b block.Block, charges ...ratelimit.Charge) error {
	return execCharged(ctx, v.s, charges, func() error {
		if err := v.s.checkUser(b.By); err != nil {
			return err
		}
		if v.s.member(b.Whom) == nil {
			return user.ErrNotFound
		}
		key := blockKey{b.By, b.Whom}
		if _, stands := v.s.blocks[key]; stands {
			return nil
		}
		if err := v.limits.CheckBlocks(v.s.blocks.count(func(other block.Block) bool { return other.By == b.By })); err != nil {
			return err
		}
		v.s.blocks[key] = b
		v.s.part(b.By, b.Whom)
		v.s.part(b.Whom, b.By)
		return nil
	})
}

// part ends that the user follows the other, and removes what the user was told of the other.
func (s *Store) part(who, other user.ID) {
	if sub, follows := s.follow(who, other, 0); follows {
		s.removeSubscription(sub)
	}
	for n := range s.notifications.where(func(n notified) bool { return n.To == who && n.By == other }) {
		delete(s.notifications, n.id)
	}
}

func (v Blocks) Remove(ctx context.Context, by, whom user.ID) error {
	return exec(ctx, v.s, func() error {
		delete(v.s.blocks, blockKey{by, whom})
		return nil
	})
}

func (v Blocks) List(ctx context.Context, by user.ID, r page.Request) (page.Page[block.Block], error) {
	own := v.s.blocks.where(func(b block.Block) bool { return b.By == by })
	return pageOf(ctx, v.s, r, own, func(b block.Block) page.Cursor { return page.At(b.Created, b.Whom) })
}
