package imported_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/application/translation"
	"plaza/domain/ratelimit"
)

// limitedTo serves with a limit of new languages within an hour.
func (w *translationFixture) limitedTo(t *testing.T, most int64) {
	t.Helper()
	w.serve(t, translation.Offer{NewLanguages: ratelimit.Limit{Count: most, Period: time.Hour}})
}

func TestGEN_14_a_reader_begins_few_languages_within_the_period(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.limitedTo(t, 2)
		for _, language := range []string{"es", "de", "es-MX", "de"} {
			assert.Len(t, w.read(t, language), 5, language)
		}
		asked := w.translator.asked()
		for range 3 {
			assert.Empty(t, w.read(t, "it"))
		}
		assert.Equal(t, asked, w.translator.asked(), "the translator is not asked")
		assert.Zero(t, w.Counts().Failures, "it is no failure")

		w.later = 30*time.Minute - time.Second
		assert.Empty(t, w.read(t, "it"), "a refusal costs nothing, and counts for nothing")
		w.later = 30 * time.Minute
		assert.Len(t, w.read(t, "it"), 5)
		assert.Empty(t, w.read(t, "pt"))
	})
}

func TestGEN_14_a_language_stays_the_readers_for_the_period(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.limitedTo(t, 1)
		other := textsOfPage(t)
		other[0].Content = "Other bells"
		assert.Len(t, w.read(t, "es"), 5)
		w.later = time.Hour - time.Second
		assert.Len(t, w.Translate(t.Context(), readerAda, other[:1], localeTag(t, "es-MX")), 1, "a new text")
		assert.Empty(t, w.read(t, "de"))
		w.later = time.Hour
		assert.Len(t, w.read(t, "de"), 5)
		other[0].Content = "More bells"
		assert.Empty(t, w.Translate(t.Context(), readerAda, other[:1], localeTag(t, "es")))
	})
}

func TestGEN_14_what_is_in_the_cache_needs_no_limit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.limitedTo(t, 1)
		assert.Len(t, w.readBy(t, readerBob, "es"), 5)
		assert.Len(t, w.read(t, "es"), 5)
		assert.Len(t, w.read(t, "de"), 5, "the cached language did not count")
		assert.Len(t, w.read(t, "es"), 5)
		assert.Empty(t, w.readBy(t, readerBob, "it"))
		other := textsOfPage(t)
		other[0].Content = "Other bells"
		assert.Len(t, w.Translate(t.Context(), readerAda, other, localeTag(t, "es")), 5, "all but the new text, and the blank one")
	})
}

func TestGEN_14_pages_at_once_in_one_language_count_once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.limitedTo(t, 2)
		w.translator.takes = time.Second
		var pages sync.WaitGroup
		for i := range 20 {
			pages.Go(func() { assert.Len(t, w.readBy(t, readerAda, []string{"es", "de"}[i%2]), 5) })
		}
		pages.Wait()
	})
}
