package imported_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/application/browsing"
	"plaza/domain/feed"
	"plaza/domain/geo"
)

// heldFeed is counting areas until it is released. It says how wide they are.
type heldFeed struct {
	feed.Reader
	entered chan geo.Kilometres
	release chan struct{}
}

func (r heldFeed) Metas(_ context.Context, s feed.Selection) ([]feed.Category, map[feed.CategoryID]feed.Meta, error) {
	r.entered <- s.Near.Within
	<-r.release
	return nil, nil, nil
}

func TestFED05_four_wide_areas_are_counted_at_once_and_others_wait_for_a_second(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := heldFeed{entered: make(chan geo.Kilometres, 10), release: make(chan struct{})}
		b := browsing.New(r, nil, nil, nil, time.Now)
		count := func(ctx context.Context, caller string, within geo.Kilometres) chan error {
			result := make(chan error, 1)
			go func() {
				_, err := b.Categories(ctx, caller, feed.Select([]feed.Kind{feed.Demand}, &feed.Area{Within: within}))
				result <- err
			}()
			synctest.Wait()
			return result
		}
		var counting []chan error
		for range 4 {
			counting = append(counting, count(t.Context(), "one", 5.001))
		}
		ctx, leave := context.WithCancel(t.Context())
		gone, waiting, first := count(ctx, "one", 500), count(t.Context(), "one", 500), count(t.Context(), "another", 501)
		assert.Len(t, r.entered, 4)
		leave()
		assert.ErrorIs(t, <-gone, context.Canceled)
		r.release <- struct{}{}
		synctest.Wait()
		for range 4 {
			<-r.entered
		}
		assert.EqualValues(t, 501, <-r.entered, "that of another caller has begun")
		begun := time.Now()
		assert.ErrorIs(t, <-waiting, browsing.ErrBusy)
		assert.Equal(t, time.Second, time.Since(begun))
		narrow := count(t.Context(), "one", geo.DefaultDistance)
		assert.Len(t, r.entered, 1, "the default distance is never refused")
		close(r.release)
		for _, result := range append(counting, first, narrow) {
			assert.NoError(t, <-result)
		}
	})
}
