package following

import (
	"context"

	"plaza/domain/access"
	"plaza/domain/block"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

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
