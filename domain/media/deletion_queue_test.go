package media_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// removals is a store that remembers which files were removed.
type removals struct {
	media.Store
	removed []media.Key
}

func (r *removals) Remove(ctx context.Context, key media.Key) error {
	r.removed = append(r.removed, key)
	return ctx.Err()
}

func TestAbandon(t *testing.T) {
	away := fault.New(fault.Unavailable, "The data can't be reached right now.")
	for _, c := range []struct {
		cause   error
		removes int
	}{
		{fault.New(fault.NotFound, "Event not found."), 2},
		{errors.New("a constraint"), 2},
		{away, 0},
		{fmt.Errorf("commit: %w", away), 0},
		{context.DeadlineExceeded, 0},
		{context.Canceled, 0},
	} {
		r := &removals{}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // a caller that leaves makes no difference
		err := media.Abandon(ctx, r, c.cause, "a.png", "b.png")
		assert.ErrorIs(t, err, c.cause)
		assert.Equal(t, fault.KindOf(c.cause), fault.KindOf(err))
		assert.Len(t, r.removed, c.removes, "%v", c.cause)
	}
}
