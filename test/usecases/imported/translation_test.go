package imported_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/translator/pseudo"
	"plaza/application/translation"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/ratelimit"
	"plaza/test/memory"
)

// recordingTranslator records the batches of pseudo. It can be slow or fail.
type recordingTranslator struct {
	pseudo.Translator
	mu      sync.Mutex
	batches [][]string
	takes   time.Duration
	fails   error
}

// Target distinguishes the variants of Portuguese alone.
func (*recordingTranslator) Target(to locale.Tag) locale.Tag {
	if strings.HasPrefix(to.String(), "pt-") {
		return to
	}
	return to.Base()
}

func (tr *recordingTranslator) Translate(ctx context.Context, from, to locale.Tag, texts []string) ([]string, error) {
	tr.mu.Lock()
	tr.batches = append(tr.batches, texts)
	tr.mu.Unlock()
	select {
	case <-time.After(tr.takes):
	case <-ctx.Done():
	}
	if err := errors.Join(ctx.Err(), tr.fails); err != nil {
		return nil, err
	}
	return tr.Translator.Translate(ctx, from, to, texts)
}

// asked returns the number of batches sent to the translator.
func (tr *recordingTranslator) asked() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return len(tr.batches)
}

// translationFixture is a server over a store that other servers may share.
type translationFixture struct {
	*translation.Translation
	cache      localisation.Cache
	translator *recordingTranslator
	later      time.Duration // offset of the clock
}

func newTranslationFixture(t *testing.T) *translationFixture {
	t.Helper()
	w := &translationFixture{cache: memory.New().Translations, translator: &recordingTranslator{Translator: pseudo.New()}}
	w.serve(t, translation.Offer{})
	return w
}

// serve starts the server.
func (w *translationFixture) serve(t *testing.T, offer translation.Offer) {
	now := func() time.Time { return time.Now().Add(w.later) }
	w.Translation = translation.New(w.translator, w.cache, offer, now,
		func(context.Context) *slog.Logger { return slog.New(slog.DiscardHandler) })
	t.Cleanup(w.Close)
}

// another returns another server over the same store.
func (w *translationFixture) another(t *testing.T) *translationFixture {
	other := *w
	other.serve(t, translation.Offer{})
	return &other
}

func localeTag(t *testing.T, name string) locale.Tag {
	t.Helper()
	parsed, ok := locale.Parse(name)
	require.True(t, ok, name)
	return parsed
}

// textsOfPage returns a page of texts: two in French and four in English, one of which is blank.
func textsOfPage(t *testing.T) []localisation.Text {
	british, french, english := localeTag(t, "en-GB"), localeTag(t, "fr"), localeTag(t, "en")
	return []localisation.Text{
		{Content: "Bells", Language: english}, {Content: " ", Language: english},
		{Content: "Pain", Language: french}, {Content: "La mie et la croûte", Language: french},
		{Content: "Tea", Language: british}, {Content: "How to make it", Language: british},
	}
}

// Characters of the French and of the English texts.
const frenchCharacters, englishCharacters = 4 + 19, 3 + 14 + 5

const readerAda = "user 1"

// read returns the translations of the page for Ada, but for the blank text's.
func (w *translationFixture) read(t *testing.T, to string) map[localisation.Text]localisation.Translation {
	t.Helper()
	got := w.Translate(t.Context(), readerAda, textsOfPage(t), localeTag(t, to))
	maps.DeleteFunc(got, func(source localisation.Text, _ localisation.Translation) bool { return source.Content == " " })
	return got
}

func TestPUB06_readers_of_two_variants_get_their_own(t *testing.T) {
	w := newTranslationFixture(t)
	w.read(t, "pt-PT")
	for _, got := range w.read(t, "pt-BR") {
		assert.Contains(t, got.Text, "⟦pt-BR⟧")
		assert.Equal(t, localeTag(t, "pt-BR"), got.Language)
	}
}

func TestPUB06_texts_are_counted(t *testing.T) {
	w := newTranslationFixture(t)
	w.read(t, "en")
	assert.Equal(t, translation.Counts{Misses: 2, Characters: frenchCharacters}, w.Counts())
	w.read(t, "en")
	assert.Equal(t, translation.Counts{Hits: 2, Misses: 2, Characters: frenchCharacters}, w.Counts())
}

func TestPUB07_a_translator_that_fails_is_left_alone_for_a_second(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.translator.fails = errors.New("quota")
		for range 20 {
			assert.Empty(t, w.read(t, "es"))
			<-time.After(time.Second / 20)
			synctest.Wait()
		}
		assert.EqualValues(t, 2, w.Counts().Failures)
		assert.Equal(t, 2, w.translator.asked(), "both languages")
		w.translator.fails = nil
		assert.Len(t, w.read(t, "es"), 5, "failures are not cached")
	})
}

func TestPUB07_a_batch_that_is_too_slow_still_fills_the_cache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.translator.takes = 5 * time.Second
		began := time.Now()
		assert.Empty(t, w.read(t, "en"))
		assert.Equal(t, 2*time.Second, time.Since(began), "readers wait maxWait")
		w.Close()
		assert.Equal(t, 5*time.Second, time.Since(began), "Close waits for the batch")
		assert.Len(t, w.read(t, "en"), 2)
		assert.Len(t, w.translator.batches, 1)
		assert.EqualValues(t, 1, w.Counts().Failures, "the page that timed out")
	})
}

// awaitRetryDelay waits until failed translations are tried again.
func awaitRetryDelay() {
	<-time.After(time.Second)
	synctest.Wait()
}

func TestPUB07_a_batch_ends_even_if_the_translator_does_not(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.translator.takes = time.Hour
		began := time.Now()
		w.read(t, "en")
		w.Close()
		assert.Equal(t, 20*time.Second, time.Since(began))
		awaitRetryDelay()
		w.read(t, "en")
		assert.Equal(t, 2, w.translator.asked(), "the claims were released")
	})
}

func TestPUB06_a_language_that_is_not_offered_counts_as_no_header(t *testing.T) {
	w := newTranslationFixture(t)
	w.serve(t, translation.Offer{Languages: []locale.Tag{localeTag(t, "en"), localeTag(t, "zh-Hans")}})
	for reader, want := range map[string]int{"en-US": 2, "zh_CN": 5, "zh-TW": 0, "es": 0} {
		assert.Len(t, w.read(t, reader), want, reader)
	}
	assert.Equal(t, 3, w.translator.asked())
}

func TestPUB06_a_spent_budget_leaves_publications_as_they_were_written_until_the_next_day(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // the bubble's clock starts at midnight UTC
		w := newTranslationFixture(t)
		w.serve(t, translation.Offer{Budget: frenchCharacters + englishCharacters - 1})
		assert.NotEmpty(t, w.read(t, "en"))
		assert.Empty(t, w.read(t, "de-DE"), "the budget is one character short of the English texts")
		assert.Equal(t, 1, w.translator.asked())
		assert.EqualValues(t, 2, w.Counts().Failures, "both languages of the page")
		assert.NotEmpty(t, w.read(t, "en"), "cached texts cost nothing")
		w.later = 24*time.Hour - 3*time.Second
		awaitRetryDelay()
		assert.Empty(t, w.read(t, "de"))
		awaitRetryDelay()
		w.later = 24 * time.Hour
		assert.NotEmpty(t, w.read(t, "en-GB"), "still cached")
		assert.NotEmpty(t, w.read(t, "de"))
	})
}

func TestPUB06_of_the_budget_goes_what_may_be_charged(t *testing.T) {
	for name, c := range map[string]struct {
		translator *recordingTranslator
		spent      bool
	}{
		"refused":   {&recordingTranslator{fails: errors.New("quota")}, false},
		"not heard": {&recordingTranslator{takes: time.Minute}, true},
		"cut":       {&recordingTranslator{fails: context.Canceled}, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newTranslationFixture(t)
			c.translator.Translator = w.translator.Translator
			w.translator = c.translator
			w.serve(t, translation.Offer{Budget: frenchCharacters})
			assert.Empty(t, w.read(t, "en"), name)
			w.Close()
			allowed, err := w.cache.Spend(t.Context(), localisation.Spending{
				Translator: "pseudo", Day: localisation.DayOf(time.Now()), Characters: 1,
			}, frenchCharacters)
			require.NoError(t, err)
			assert.Equal(t, !c.spent, allowed, name)
			assert.Equal(t, map[bool]int64{true: frenchCharacters}[c.spent], w.Counts().Characters, name)
		})
	}
}

func TestGEN_14_pages_at_once_in_one_language_count_once_and_it_stays_the_readers_for_the_period(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
		w.serve(t, translation.Offer{NewLanguages: ratelimit.Limit{Count: 1, Period: time.Hour}})
		begun := time.Now()
		w.translator.takes = time.Second
		var pages sync.WaitGroup
		for range 20 {
			pages.Go(func() { assert.Len(t, w.read(t, "es"), 5) })
		}
		pages.Wait()
		w.translator.takes = 0
		other := textsOfPage(t)[:1]
		other[0].Content = "Other bells"
		w.later = time.Hour - time.Second - time.Since(begun)
		assert.Len(t, w.Translate(t.Context(), readerAda, other, localeTag(t, "es-MX")), 1, "a new text")
		assert.Empty(t, w.read(t, "de"))
		w.later += time.Second
		assert.Len(t, w.read(t, "de"), 5)
		other[0].Content = "More bells"
		assert.Empty(t, w.Translate(t.Context(), readerAda, other, localeTag(t, "es")))
	})
}
