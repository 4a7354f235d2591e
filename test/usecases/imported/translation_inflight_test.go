package imported_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/translation"
	"plaza/domain/localisation"
	"plaza/test/usecases"
)

// crashes claims the text as another server that then crashes.
func (w *translationFixture) crashes(t *testing.T, text, from, to string) {
	t.Helper()
	now := time.Now().Add(w.later)
	key := localisation.KeyOf(localisation.Text{Content: text, Language: localeTag(t, from)}, localeTag(t, to), "pseudo")
	claimed, err := w.cache.Claim(t.Context(), localisation.Claim{
		Holder: localisation.Holder{1}, Keys: []localisation.Key{key}, Now: now, Until: now.Add(claimLease),
	})
	require.NoError(t, err)
	require.Len(t, claimed.Mine, 1)
}

func TestPUB06_readers_at_once_on_two_servers_cause_one_batch_of_each_language(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.translator.takes = time.Second
		servers := []*translationFixture{w, w.another(t)}
		var readers sync.WaitGroup
		var complete atomic.Int64
		for i := range 20 {
			readers.Go(func() {
				if len(servers[i%2].read(t, "es")) == 5 {
					complete.Add(1)
				}
			})
		}
		readers.Wait()
		assert.EqualValues(t, 20, complete.Load())
		assert.Equal(t, 2, w.translator.asked())
		assert.EqualValues(t, frenchCharacters+englishCharacters, servers[0].Counts().Characters+servers[1].Counts().Characters)
	})
}

func TestPUB06_a_long_batch_stays_with_the_server_that_translates_it(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		other := w.another(t)
		w.translator.takes = 19 * time.Second
		w.read(t, "en")
		<-time.After(10 * time.Second)
		began := time.Now()
		assert.Empty(t, other.read(t, "en"))
		assert.Equal(t, 2*time.Second, time.Since(began), "maxWait holds on the other server, too")
		other.Close()
		assert.Less(t, time.Since(began), 3*time.Second, "without a reader the other server does not wait")
		w.Close()
		assert.Equal(t, 1, w.translator.asked())
		assert.Len(t, other.read(t, "en"), 2)
		assert.EqualValues(t, 1, other.Counts().Failures, "the page that timed out")
	})
}

// claimLease is how long texts wait for a server that has crashed.
const claimLease = 25 * time.Second

func TestPUB06_texts_of_a_crashed_server_are_translated_by_another_after_the_lease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.crashes(t, "Tea", "en-GB", "fr")
		began := time.Now()
		got := w.read(t, "fr")
		assert.Equal(t, 2*time.Second, time.Since(began))
		assert.Len(t, got, 2, "the others are unclaimed")
		assert.Equal(t, [][]string{{"Bells", "How to make it"}}, w.translator.batches)
		for len(got) < 3 {
			require.Less(t, time.Since(began), time.Minute)
			got = w.read(t, "fr")
		}
		assert.InDelta(t, claimLease, time.Since(began), float64(200*time.Millisecond))
		assert.Equal(t, [][]string{{"Bells", "How to make it"}, {"Tea"}}, w.translator.batches)
	})
}

// unsteadyCache is a cache whose methods fail after a number of calls.
type unsteadyCache struct {
	localisation.Cache
	claims, keeps, releases int64
}

func (c *unsteadyCache) Claim(ctx context.Context, claim localisation.Claim) (localisation.Claimed, error) {
	if atomic.AddInt64(&c.claims, -1) < 0 {
		return localisation.Claimed{}, usecases.ErrInjected
	}
	return c.Cache.Claim(ctx, claim)
}

func (c *unsteadyCache) Put(ctx context.Context, texts map[localisation.Key]string, expires time.Time) error {
	if atomic.AddInt64(&c.keeps, -1) < 0 {
		return usecases.ErrInjected
	}
	return c.Cache.Put(ctx, texts, expires)
}

func (c *unsteadyCache) Release(ctx context.Context, h localisation.Holder, keys []localisation.Key) error {
	if atomic.AddInt64(&c.releases, -1) < 0 {
		return usecases.ErrInjected
	}
	return c.Cache.Release(ctx, h, keys)
}

func TestPUB06_readers_of_one_server_claim_a_page_once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.cache = &unsteadyCache{Cache: w.cache, claims: 1, keeps: 1}
		w.serve(t, translation.Offer{})
		w.translator.takes = time.Second
		var readers sync.WaitGroup
		for range 20 {
			readers.Go(func() { assert.Len(t, w.read(t, "en"), 2) })
		}
		readers.Wait()
		assert.Zero(t, w.Counts().Failures)
	})
}

func TestPUB07_a_reader_that_goes_away_leaves_the_batch_to_the_next(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.translator.takes = time.Second
		impatient, leave := context.WithTimeout(t.Context(), time.Second/2)
		defer leave()
		began := time.Now()
		assert.Empty(t, w.Translate(impatient, readerAda, textsOfPage(t)[2:4], localeTag(t, "en")))
		assert.Equal(t, time.Second/2, time.Since(began))
		w.Close()
		assert.Len(t, w.read(t, "en"), 2)
		assert.Equal(t, 1, w.translator.asked())
		assert.Zero(t, w.Counts().Failures)
	})
}

func TestPUB07_a_cache_that_fails_never_fails_the_feed(t *testing.T) {
	for name, c := range map[string]struct {
		cache               unsteadyCache
		localised, failures int
	}{
		"claim fails":          {unsteadyCache{keeps: 1, releases: 1}, 0, 1},
		"put fails":            {unsteadyCache{claims: 1, releases: 1}, 1, 1},
		"put and release fail": {unsteadyCache{claims: 1}, 1, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newTranslationFixture(t)
			c.cache.Cache = w.cache
			w.cache = &c.cache
			w.serve(t, translation.Offer{})
			for range 3 {
				assert.Len(t, w.read(t, "en"), 2*c.localised, name)
			}
			assert.EqualValues(t, c.failures, w.Counts().Failures, name)
			assert.Equal(t, c.localised, w.translator.asked(), "%s: not billed again for every page", name)
		})
	}
}
