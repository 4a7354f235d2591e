package reading_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/reading"
	"plaza/domain/locale"
	"plaza/domain/publication"
)

// asked returns the number of batches sent to the translator.
func (tr *translator) asked() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return len(tr.batches)
}

func keyOf(t *testing.T, text, from, to string) publication.CacheKey {
	t.Helper()
	source, ok := locale.Parse(from)
	require.True(t, ok)
	target, ok := locale.Parse(to)
	require.True(t, ok)
	return publication.CacheKeyOf(text, source, target, "pseudo")
}

// crashes claims the text as another server that then crashes.
func (w *fixture) crashes(t *testing.T, text, from, to string) {
	t.Helper()
	now := time.Now().Add(w.later)
	claimed, err := w.cache.Claim(t.Context(), publication.Claim{
		Holder: publication.Holder{1}, Keys: []publication.CacheKey{keyOf(t, text, from, to)},
		Now: now, Until: now.Add(publication.Lease),
	})
	require.NoError(t, err)
	require.Len(t, claimed.Mine, 1)
}

func TestPUB06_readers_at_once_on_two_servers_cause_one_batch_of_each_language(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		w.translator.takes = time.Second
		servers := []*fixture{w, w.another(t)}
		var readers sync.WaitGroup
		var complete atomic.Int64
		for i := range 20 {
			readers.Go(func() {
				if localised(servers[i%2].read(t, "es")) == 3 {
					complete.Add(1)
				}
			})
		}
		readers.Wait()
		assert.EqualValues(t, 20, complete.Load())
		assert.Equal(t, 2, w.translator.asked())
		assert.Equal(t, reading.Counts{Misses: 50, Characters: french + english}, half(t, servers))
	})
}

// half asserts that both servers counted the same hits and misses, and returns these with
// the sums of the rest.
func half(t *testing.T, servers []*fixture) reading.Counts {
	a, b := servers[0].Counts(), servers[1].Counts()
	assert.Equal(t, a.Misses, b.Misses)
	assert.Equal(t, a.Hits, b.Hits)
	a.Characters += b.Characters
	a.Failures += b.Failures
	return a
}

func TestPUB06_texts_are_counted(t *testing.T) {
	w := newFixture(t)
	w.read(t, "en")
	assert.Equal(t, reading.Counts{Misses: 2, Characters: int64(len("Pain") + len([]rune("La mie et la croûte")))}, w.Counts())
	w.read(t, "en")
	assert.EqualValues(t, 2, w.Counts().Hits)
	assert.EqualValues(t, 2, w.Counts().Misses)
}

func TestPUB06_a_long_batch_stays_with_the_server_that_is_at_it(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		other := w.another(t)
		w.translator.takes = 25 * time.Second
		w.read(t, "en")
		<-time.After(publication.Lease)
		began := time.Now()
		assert.Zero(t, localised(other.read(t, "en")))
		assert.Equal(t, 2*time.Second, time.Since(began), "maxWait holds on the other server, too")
		other.Close()
		assert.Equal(t, 1, w.translator.asked(), "the claim was renewed")
		assert.Equal(t, 1, localised(other.read(t, "en")))
		assert.EqualValues(t, 1, other.Counts().Failures, "the page that timed out")
	})
}

func TestPUB06_what_a_server_left_behind_is_translated_by_another_after_the_lease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		w.crashes(t, "Tea", "en-GB", "fr")
		began := time.Now()
		items := w.read(t, "fr")
		assert.Equal(t, 2*time.Second, time.Since(began))
		assert.Nil(t, items[2].Localised, "another server has claimed one of its texts")
		assert.NotNil(t, items[0].Localised, "its texts are unclaimed")
		w.Close()
		assert.InDelta(t, publication.Lease, time.Since(began), float64(200*time.Millisecond))
		assert.Equal(t, [][]string{{"Bells", "How to make it"}, {"Tea"}}, w.translator.batches)
		assert.Equal(t, 2, localised(w.read(t, "fr")))
	})
}

func TestPUB06_what_another_server_gave_up_is_tried_again(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		w.crashes(t, "Pain", "fr", "en")
		time.AfterFunc(time.Second, func() {
			assert.NoError(t, w.cache.Release(context.Background(), publication.Holder{1}, []publication.CacheKey{keyOf(t, "Pain", "fr", "en")}))
		})
		began := time.Now()
		assert.Equal(t, 1, localised(w.read(t, "en")))
		assert.InDelta(t, time.Second, time.Since(began), float64(150*time.Millisecond))
	})
}

func TestPUB06_a_flight_waits_no_longer_than_half_a_minute_for_others(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		held, release := context.WithCancel(t.Context())
		defer release()
		w.crashes(t, "Pain", "fr", "en")
		var holding sync.WaitGroup
		holding.Go(func() {
			every := time.NewTicker(publication.Lease / 2)
			defer every.Stop()
			for {
				select {
				case <-every.C:
					w.crashes(t, "Pain", "fr", "en")
				case <-held.Done():
					return
				}
			}
		})
		began := time.Now()
		w.read(t, "en")
		w.Close()
		assert.Equal(t, 30*time.Second, time.Since(began))
		assert.Equal(t, [][]string{{"La mie et la croûte"}}, w.translator.batches, "only the unclaimed text")
		w.read(t, "en")
		assert.Equal(t, 30*time.Second, time.Since(began), "no reader waits during retryDelay")
		release()
		holding.Wait()
	})
}

// unsteady is a cache whose methods fail after a number of calls.
type unsteady struct {
	publication.Cache
	claims, keeps, releases int64
}

var errAway = errors.New("database unavailable")

func (c *unsteady) Claim(ctx context.Context, claim publication.Claim) (publication.Claimed, error) {
	if atomic.AddInt64(&c.claims, -1) < 0 {
		return publication.Claimed{}, errAway
	}
	return c.Cache.Claim(ctx, claim)
}

func (c *unsteady) Put(ctx context.Context, texts map[publication.CacheKey]string, expires time.Time) error {
	if atomic.AddInt64(&c.keeps, -1) < 0 {
		return errAway
	}
	return c.Cache.Put(ctx, texts, expires)
}

func (c *unsteady) Release(ctx context.Context, h publication.Holder, keys []publication.CacheKey) error {
	if atomic.AddInt64(&c.releases, -1) < 0 {
		return errAway
	}
	return c.Cache.Release(ctx, h, keys)
}

func TestPUB06_who_can_not_renew_its_claims_stops_asking(t *testing.T) {
	for _, claims := range []int64{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			w := newFixture(t)
			w.cache = &unsteady{Cache: w.cache, claims: claims, keeps: 1, releases: 1}
			w.serve(t, reading.Offer{})
			w.translator.takes = 25 * time.Second
			began := time.Now()
			w.read(t, "en")
			w.Close()
			last := time.Duration(claims-1) * publication.Lease / 3
			assert.Less(t, time.Since(began), last+publication.Lease, "before another server could begin")
			assert.Greater(t, time.Since(began), last+publication.Lease/2)
			assert.Equal(t, 1, w.translator.asked())
		})
	}
}

func TestPUB06_readers_of_one_server_claim_a_page_once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		w.cache = &unsteady{Cache: w.cache, claims: 1, keeps: 1}
		w.serve(t, reading.Offer{})
		w.translator.takes = time.Second
		var readers sync.WaitGroup
		for range 20 {
			readers.Go(func() { assert.Equal(t, 1, localised(w.read(t, "en"))) })
		}
		readers.Wait()
		assert.Zero(t, w.Counts().Failures)
	})
}

func TestPUB06_a_text_that_a_page_has_twice_is_translated_once(t *testing.T) {
	w := newFixture(t)
	p, err := w.store.Publications().List(t.Context(), publication.Query{})
	require.NoError(t, err)
	again := p.Items[2]
	again.ID, again.Language = 4, "en-AU"
	imports(t, w.store, again)
	tag, _ := locale.Parse("fr")
	_, err = w.Feed(t.Context(), publication.Query{}, tag)
	require.NoError(t, err)
	require.Equal(t, 1, w.translator.asked())
	assert.ElementsMatch(t, []string{"Bells", "Tea", "How to make it"}, w.translator.batches[0])
}

func TestPUB07_a_reader_that_goes_away_leaves_the_batch_to_the_next(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		w.translator.takes = time.Second
		impatient, leave := context.WithTimeout(t.Context(), time.Second/2)
		defer leave()
		tag, _ := locale.Parse("en")
		_, err := w.Feed(impatient, publication.Query{}, tag)
		require.NoError(t, err)
		w.Close()
		assert.Equal(t, 1, localised(w.read(t, "en")))
		assert.Equal(t, 1, w.translator.asked())
		assert.Zero(t, w.Counts().Failures)
	})
}

func TestPUB07_a_cache_that_fails_never_fails_the_feed(t *testing.T) {
	for name, c := range map[string]struct {
		cache               unsteady
		localised, failures int
	}{
		"claim fails":          {unsteady{keeps: 1, releases: 1}, 0, 1},
		"put fails":            {unsteady{claims: 1, releases: 1}, 1, 1},
		"put and release fail": {unsteady{claims: 1}, 1, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newFixture(t)
			c.cache.Cache = w.cache
			w.cache = &c.cache
			w.serve(t, reading.Offer{})
			for range 3 {
				assert.Equal(t, c.localised, localised(w.read(t, "en")), name)
			}
			assert.EqualValues(t, c.failures, w.Counts().Failures, name)
			assert.Equal(t, c.localised, w.translator.asked(), "%s: not billed again for every page", name)
		})
	}
}
