package imported_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/application/browsing"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/page"
)

// heldFeed blocks its calls until a test releases them.
type heldFeed struct {
	feed.Reader
	stop chan struct{}

	mu       sync.Mutex
	counting int
}

func (r *heldFeed) count() {
	r.mu.Lock()
	r.counting++
	r.mu.Unlock()
	<-r.stop
	r.mu.Lock()
	r.counting--
	r.mu.Unlock()
}

func (r *heldFeed) atOnce() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counting
}

func (r *heldFeed) Metas(context.Context, feed.Selection) ([]feed.Category, map[feed.CategoryID]feed.Meta, error) {
	r.count()
	return nil, nil, nil
}

func (r *heldFeed) Page(context.Context, feed.CategoryID, feed.Selection, page.Request) (p page.Page[feed.Item], err error) {
	r.count()
	return p, nil
}

// demandsWithin selects the demands within the distance.
func demandsWithin(d geo.Kilometres) feed.Selection {
	return feed.Select([]feed.Kind{feed.Demand}, &feed.Area{Within: d})
}

// holdFeedCalls begins n calls each of Categories and Items, and returns the channel of their errors.
func holdFeedCalls(ctx context.Context, n int, s feed.Selection) (r *heldFeed, results chan error) {
	r = &heldFeed{stop: make(chan struct{})}
	b := browsing.New(r, nil, time.Now)
	results = make(chan error, 2*n)
	for range n {
		go func() {
			_, err := b.Categories(ctx, s)
			results <- err
		}()
		go func() {
			_, err := b.Items(ctx, 0, s, page.Request{})
			results <- err
		}()
	}
	synctest.Wait()
	return r, results
}

func TestFED05_at_most_four_wide_areas_are_counted_at_once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		r, results := holdFeedCalls(t.Context(), 3, demandsWithin(5.001))
		assert.Equal(t, 4, r.atOnce())
		for range 2 {
			assert.ErrorIs(t, <-results, browsing.ErrBusy)
		}
		assert.Equal(t, time.Second, time.Since(begun), "a short wait")
		close(r.stop)
		for range 4 {
			assert.NoError(t, <-results)
		}
	})
}

func TestFED05_a_wide_area_waits_for_another(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, results := holdFeedCalls(t.Context(), 3, demandsWithin(500))
		r.stop <- struct{}{}
		r.stop <- struct{}{}
		synctest.Wait()
		assert.Equal(t, 4, r.atOnce(), "two have ended, two waiting ones have begun")
		close(r.stop)
		for range 6 {
			assert.NoError(t, <-results)
		}
	})
}

func TestFED05_areas_of_the_default_distance_are_never_refused(t *testing.T) {
	for _, s := range []feed.Selection{demandsWithin(geo.DefaultDistance), feed.Select(feed.ItemKinds(), nil)} {
		synctest.Test(t, func(t *testing.T) {
			r, results := holdFeedCalls(t.Context(), 10, s)
			assert.Equal(t, 20, r.atOnce())
			close(r.stop)
			for range 20 {
				assert.NoError(t, <-results)
			}
		})
	}
}

func TestFED05_a_caller_that_goes_away_waits_no_more(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, leave := context.WithCancel(t.Context())
		r, results := holdFeedCalls(ctx, 3, demandsWithin(500))
		leave()
		for range 2 {
			assert.ErrorIs(t, <-results, context.Canceled)
		}
		close(r.stop)
		for range 4 {
			assert.NoError(t, <-results)
		}
	})
}
