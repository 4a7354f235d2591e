package transport

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/feed"
)

type encoder struct {
	kept    *KeptReplies
	version atomic.Int64
	made    atomic.Int64
}

func newEncoder() *encoder { return &encoder{kept: NewKeptReplies()} }

// once returns the kept reply of the name, or what fn returns.
func (e *encoder) once(ctx context.Context, name string, fn func() (Reply, bool, error)) (Reply, error) {
	return e.kept.Once(ctx, name, feed.Version(e.version.Load()), fn)
}

// get returns the reply of the name, which is its number.
func (e *encoder) get(t *testing.T, name string) Reply {
	t.Helper()
	r, err := e.once(t.Context(), name, func() (Reply, bool, error) { return Data(e.made.Add(1)), true, nil })
	require.NoError(t, err)
	return r
}

func TestGEN12_a_reply_is_made_once_for_a_version(t *testing.T) {
	e := newEncoder()
	for range 3 {
		assert.Equal(t, "{\"data\":1}\n", string(e.get(t, "a").Content.(*keptJSON).raw))
	}
	e.get(t, "b")
	assert.EqualValues(t, 2, e.made.Load(), "another name")
	e.version.Add(1)
	for range 3 {
		assert.Equal(t, "{\"data\":3}\n", string(e.get(t, "a").Content.(*keptJSON).raw), "another version")
	}
}

func TestGEN12_a_fault_is_not_kept(t *testing.T) {
	e := newEncoder()
	gone := fault.New(fault.NotFound, "Category not found.")
	_, err := e.once(t.Context(), "a", func() (Reply, bool, error) { return Reply{}, true, gone })
	assert.ErrorIs(t, err, gone)
	e.get(t, "a")
	assert.EqualValues(t, 1, e.made.Load())
}

func TestGEN12_requests_at_once_make_a_reply_once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, finish := newEncoder(), make(chan struct{})
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				_, err := e.once(t.Context(), "a", func() (Reply, bool, error) {
					<-finish
					return Data(e.made.Add(1)), true, nil
				})
				assert.NoError(t, err)
			})
		}
		synctest.Wait()
		e.version.Add(1)
		assert.Equal(t, "{\"data\":1}\n", string(e.get(t, "a").Content.(*keptJSON).raw), "of the next version; it does not wait")
		close(finish)
		all.Wait()
		assert.EqualValues(t, 2, e.made.Load())
	})
}

func TestGEN12_a_request_that_is_given_up_does_not_fail_another(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEncoder()
		make := func(ctx context.Context) error {
			_, err := e.once(ctx, "a", func() (Reply, bool, error) {
				if e.made.Add(1) == 1 {
					<-ctx.Done()
				}
				return Data("made"), true, ctx.Err()
			})
			return err
		}
		first, giveUp := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { assert.ErrorIs(t, make(first), context.Canceled) })
		synctest.Wait()
		for range 3 {
			all.Go(func() { assert.NoError(t, make(t.Context())) })
		}
		synctest.Wait()
		giveUp()
		all.Wait()
		assert.EqualValues(t, 2, e.made.Load(), "the others share one call")
	})
}

func TestGEN12_what_is_kept_is_bounded(t *testing.T) {
	k := NewKeptReplies()
	large := strings.Repeat("x", maxKeptReply/4)
	used, err := newKeptJSON(large, 1)
	require.NoError(t, err)
	k.add("used", used)
	for n := range 200 {
		r, err := newKeptJSON(large, 1)
		require.NoError(t, err)
		k.add(fmt.Sprint(n), r)
		assert.Same(t, used, k.find("used", 1), "what is used stays")
		assert.LessOrEqual(t, sizeOf(k.newer), maxKeptReplies/2)
		assert.LessOrEqual(t, sizeOf(k.newer)+sizeOf(k.older), maxKeptReplies+maxKeptReply)
		assert.Equal(t, sizeOf(k.newer), k.size)
	}
	assert.Nil(t, k.find("0", 1), "what is not used is dropped")
	assert.NotNil(t, k.find("199", 1))

	e := newEncoder()
	for range 2 {
		_, err := e.once(t.Context(), "huge", func() (Reply, bool, error) {
			e.made.Add(1)
			return Data(strings.Repeat("x", maxKeptReply/2)), true, nil
		})
		require.NoError(t, err)
	}
	assert.EqualValues(t, 2, e.made.Load(), "a huge reply is not kept")
}

func sizeOf(half map[string]*keptJSON) (sum int) {
	for _, r := range half {
		sum += r.size()
	}
	return sum
}
