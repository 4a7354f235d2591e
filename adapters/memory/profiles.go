package memory

import (
	"context"

	"plaza/domain/event"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

func (v Accounts) Profile(ctx context.Context, id, viewer user.ID) (user.Profile, error) {
	return read(ctx, v.s, func() (user.Profile, error) {
		m := v.s.member(id)
		if m == nil || v.s.accounts[id].Disabled || v.s.isBlocked(viewer, id) {
			return user.Profile{}, user.ErrNotFound
		}
		return user.Profile{
			Member: *m, Bio: v.s.bios[id], Relation: v.s.relationship(viewer, id),
			Events: v.s.events.count(func(e event.State) bool {
				return e.Author == id && e.Exposure().VisibleTo(subscription.Stranger)
			}),
			Followers: v.s.subscriptions.count(func(sub subscription.Subscription) bool { return sub.Followed == id }),
			Followed: v.s.subscriptions.count(func(sub subscription.Subscription) bool {
				return sub.User == id && sub.EntityType() == subscription.User
			}),
		}, nil
	})
}

func (v Accounts) Relationships(ctx context.Context, viewer user.ID, ids []user.ID) ([]user.Relationship, error) {
	return read(ctx, v.s, func() ([]user.Relationship, error) {
		var found []user.Relationship
		for _, id := range unique(ids) {
			if v.s.member(id) != nil && !v.s.accounts[id].Disabled {
				found = append(found, v.s.relationship(viewer, id))
			}
		}
		return found, nil
	})
}

func (s *Store) relationship(viewer, id user.ID) user.Relationship {
	own, _ := s.follow(viewer, id, 0)
	_, isBack := s.follow(id, viewer, 0)
	_, blocks := s.blocks[blockKey{viewer, id}]
	return user.Relationship{User: id, Subscription: int64(own.ID), FollowsViewer: isBack, IsBlocked: blocks}
}
