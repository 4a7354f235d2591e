package memory

import (
	"context"

	"plaza/domain/block"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Blocks is the store as block.Repository.
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
