// Package block models that a user wants to be left alone by another one (MOD-02).
//
// A block counts in both directions: neither sees events and comments of the other, and neither follows the other.
// subscription.Blocked is what it makes of their relation.
package block

import (
	"context"
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Block is that a user blocks another one.
type Block struct {
	By      user.ID
	Whom    user.ID
	Created time.Time
}

// New returns the block of one user by the other. Blocking oneself is a fault.
func New(by, whom user.ID, now time.Time) (Block, error) {
	if by == whom {
		return Block{}, fault.New(fault.Invalid, "You cannot block yourself.")
	}
	return Block{By: by, Whom: whom, Created: instant.Normalise(now)}, nil
}

// Repository stores blocks. It keeps the quota with which the store was opened (GEN-14). While a block stands, the other
// ports of the store leave out what it hides, as they say. Every implementation passes test/ports.Blocks.
type Repository interface {
	// Add stores the block. In the same step it ends that one of the two follows the other, and removes the
	// notifications of what one of them did that the other has. If the block stands already, it changes nothing, and is
	// charged, too. If the blocked user does not exist, or their data was erased, it returns user.ErrNotFound. If the
	// user blocks as many as the quota and not this one, it returns quota.Limits.ErrBlocks. Concurrent calls must not
	// exceed the quota. Of a follow or a notification that is stored at the same time nothing remains.
	Add(ctx context.Context, b Block, charges ...ratelimit.Charge) error
	// Remove ends the block of the other by the user, if it stands. What it has ended does not come back. A block of the
	// user by the other stays.
	Remove(ctx context.Context, by, whom user.ID) error
	// List returns a page of the user's blocks, the newest first, ties by descending uid of the blocked. Blocks by
	// others are not among them.
	List(ctx context.Context, by user.ID, r page.Request) (page.Page[Block], error)
}
