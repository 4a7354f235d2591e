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
		removes bool
	}{
		{fault.New(fault.NotFound, "Event not found."), true},
		{errors.New("a constraint"), true},
		{away, false},
		{fmt.Errorf("commit: %w", away), false},
		{context.DeadlineExceeded, false},
		{context.Canceled, false},
	} {
		r := &removals{}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // a caller that leaves makes no difference
		err := media.Abandon(ctx, r, c.cause, "a.png", "b.png")
		assert.ErrorIs(t, err, c.cause)
		assert.Equal(t, fault.KindOf(c.cause), fault.KindOf(err))
		if !c.removes {
			assert.Empty(t, r.removed, "%v", c.cause)
			continue
		}
		assert.Equal(t, []media.Key{
			"a.png", "a.png.sm.png", "a.png.sm.jpg", "a.png.md.png", "a.png.md.jpg",
			"b.png", "b.png.sm.png", "b.png.sm.jpg", "b.png.md.png", "b.png.md.jpg",
		}, r.removed, "each picture before its sizes: %v", c.cause)
	}
}
