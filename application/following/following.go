// Package following holds the use cases of following people and categories, and of blocking people.
//
// Its tests are those of test/contract whose files begin with following.
package following

import (
	"context"
	"errors"
	"time"

	"plaza/domain/access"
	"plaza/domain/block"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Following implements the use cases.
type Following struct {
	subscriptions subscription.Repository
	blocks        block.Repository
	categories    feed.Categories
	keys          idempotency.Keys
	limits        ratelimit.Limits
	now           func() time.Time
}

// New returns the use cases over the ports, with the limits on writes; now returns the time.
func New(
	subscriptions subscription.Repository, blocks block.Repository, categories feed.Categories, keys idempotency.Keys, limits ratelimit.Limits,
	now func() time.Time,
) *Following {
	return &Following{subscriptions: subscriptions, blocks: blocks, categories: categories, keys: keys, limits: limits, now: now}
}

// Followed is a subscription with its category, if it follows one.
type Followed struct {
	subscription.Subscription
	Of feed.Category // zero if it follows a user
}

// Target is what to follow: either a user or a category.
type Target struct {
	User     *user.ID
	Category *feed.CategoryID
}

// errNoCategory is the fault of a category that does not exist.
var errNoCategory = fault.Field("followed_category", "Category not found.")

// subscription returns the subscription to the target. A target that is not exactly one is a
// fault (SUB-04).
func (t Target) subscription(follower user.ID, now time.Time) (subscription.Subscription, error) {
	switch {
	case t.User != nil && t.Category != nil:
		return subscription.Subscription{}, fault.Field("followed_category", "Follow either a user or a category, not both.")
	case t.User != nil:
		return subscription.ToUser(follower, *t.User, now)
	case t.Category == nil:
		return subscription.Subscription{}, fault.Field("followed_user", "One of followed_user and followed_category is required.")
	case *t.Category <= 0:
		return subscription.Subscription{}, errNoCategory
	}
	return subscription.ToCategory(follower, *t.Category, now), nil
}

// notFound returns the fault of a target that does not exist.
func (t Target) notFound() error {
	if t.User != nil {
		return fault.Field("followed_user", "User not found.")
	}
	return errNoCategory
}

// Follow makes the actor follow the target. It reports whether the subscription is new
// (SUB-04). The actor themselves, an unknown user and an unknown category are faults on
// their field. If the request is repeated with its key, Follow returns the subscription, and
// whether it was new to the first request (GEN-13).
func (f *Following) Follow(ctx context.Context, actor access.Actor, t Target, k *idempotency.Key, readErr error) (Followed, bool, error) {
	s, err := t.subscription(actor.ID, f.now())
	if err := fault.Merge(readErr, err); err != nil {
		return Followed{}, false, err
	}
	s.Completes = k
	isNew := false
	followed, err := idempotency.Once(ctx, f.keys, k, f.now(), idempotency.Lease, func(a idempotency.Answer) (Followed, error) {
		isNew = a.Kind == idempotency.Subscription
		stored, err := f.subscriptions.Get(ctx, actor.ID, subscription.ID(a.ID))
		return f.nameOne(ctx, stored, err)
	}, func() (Followed, error) {
		stored, added, err := f.subscriptions.Follow(ctx, s, f.limits.Charge(int64(actor.ID), ratelimit.Follow, f.now()))
		if errors.Is(err, subscription.ErrNotFound) {
			err = t.notFound()
		}
		isNew = added
		return f.nameOne(ctx, stored, err)
	})
	return followed, isNew, err
}

// nameOne loads the category of the subscription. It returns err if that says that the
// subscription could not be stored or read.
func (f *Following) nameOne(ctx context.Context, s subscription.Subscription, err error) (Followed, error) {
	if err != nil {
		return Followed{}, err
	}
	named, err := f.name(ctx, []subscription.Subscription{s})
	if err != nil {
		return Followed{}, err
	}
	return named[0], nil
}

// Unfollow ends the actor's subscription. Another user's is NotFound.
func (f *Following) Unfollow(ctx context.Context, actor access.Actor, id subscription.ID) error {
	return f.subscriptions.Remove(ctx, actor.ID, id)
}

// List returns a page of the actor's subscriptions (SUB-01).
func (f *Following) List(ctx context.Context, actor access.Actor, q subscription.Query) (page.Page[Followed], error) {
	q.User = actor.ID
	p, err := f.subscriptions.List(ctx, q)
	if err != nil {
		return page.Page[Followed]{}, err
	}
	named, err := f.name(ctx, p.Items)
	return page.With(p, named), err
}

// Follower is a subscription to the actor.
type Follower struct {
	subscription.Subscription
	IsContact bool // the actor follows back
}

// Followers returns a page of those who follow the actor (SUB-05).
func (f *Following) Followers(ctx context.Context, actor access.Actor, r page.Request) (page.Page[Follower], error) {
	p, err := f.subscriptions.List(ctx, subscription.Query{Followed: actor.ID, Page: r})
	if err != nil {
		return page.Page[Follower]{}, err
	}
	ids := make([]user.ID, len(p.Items))
	for i, s := range p.Items {
		ids[i] = s.User
	}
	relations, err := f.subscriptions.Relations(ctx, actor.ID, ids)
	return page.Map(p, func(s subscription.Subscription) Follower {
		return Follower{s, relations[s.User] == subscription.Contact}
	}), err
}

// name loads the categories of all subscriptions in one call.
func (f *Following) name(ctx context.Context, all []subscription.Subscription) ([]Followed, error) {
	var ids []feed.CategoryID
	for _, s := range all {
		if s.Category != 0 {
			ids = append(ids, s.Category)
		}
	}
	var categories map[feed.CategoryID]feed.Category
	if len(ids) > 0 {
		var err error
		if categories, err = f.categories.ByIDs(ctx, ids); err != nil {
			return nil, err
		}
	}
	named := make([]Followed, len(all))
	for i, s := range all {
		named[i] = Followed{Subscription: s, Of: categories[s.Category]}
	}
	return named, nil
}

// Block makes the actor block the user, if they don't already (MOD-02). It is charged as Follow is. An unknown user is
// NotFound.
func (f *Following) Block(ctx context.Context, actor access.Actor, whom user.ID) error {
	b, err := block.New(actor.ID, whom, f.now())
	if err != nil {
		return err
	}
	return f.blocks.Add(ctx, b, f.limits.Charge(int64(actor.ID), ratelimit.Follow, f.now()))
}

// Unblock ends that the actor blocks the user. It is no error if the actor does not.
func (f *Following) Unblock(ctx context.Context, actor access.Actor, whom user.ID) error {
	return f.blocks.Remove(ctx, actor.ID, whom)
}

// Blocks returns a page of those whom the actor blocks, the newest first.
func (f *Following) Blocks(ctx context.Context, actor access.Actor, r page.Request) (page.Page[block.Block], error) {
	return f.blocks.List(ctx, actor.ID, r)
}
