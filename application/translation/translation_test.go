package translation_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/memory"
	"plaza/adapters/translator/pseudo"
	"plaza/application/translation"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/user"
)

// translator records the batches of pseudo. It can be slow or fail.
type translator struct {
	pseudo.Translator
	mu      sync.Mutex
	batches [][]string
	ended   time.Time // of the last batch
	takes   time.Duration
	fails   error
}

func (tr *translator) Translate(ctx context.Context, from, to locale.Tag, texts []string) ([]string, error) {
	tr.mu.Lock()
	tr.batches = append(tr.batches, texts)
	tr.mu.Unlock()
	select {
	case <-time.After(tr.takes):
	case <-ctx.Done():
	}
	tr.mu.Lock()
	tr.ended = time.Now()
	tr.mu.Unlock()
	if err := errors.Join(ctx.Err(), tr.fails); err != nil {
		return nil, err
	}
	return tr.Translator.Translate(ctx, from, to, texts)
}

// asked returns the number of batches sent to the translator.
func (tr *translator) asked() int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return len(tr.batches)
}

// lastEnd returns when the last batch ended.
func (tr *translator) lastEnd() time.Time {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.ended
}

// fixture is a server over a store that other servers may share.
type fixture struct {
	*translation.Translation
	cache      localisation.Cache
	translator *translator
	later      time.Duration // offset of the clock
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{cache: memory.New().Translations(), translator: &translator{Translator: pseudo.New()}}
	w.serve(t, translation.Offer{})
	return w
}

// serve starts the server.
func (w *fixture) serve(t *testing.T, offer translation.Offer) {
	now := func() time.Time { return time.Now().Add(w.later) }
	w.Translation = translation.New(w.translator, w.cache, offer, now,
		func(context.Context) *slog.Logger { return slog.New(slog.DiscardHandler) })
	t.Cleanup(w.Close)
}

// another returns another server over the same store.
func (w *fixture) another(t *testing.T) *fixture {
	other := *w
	other.serve(t, translation.Offer{})
	return &other
}

func tag(t *testing.T, name string) locale.Tag {
	t.Helper()
	parsed, ok := locale.Parse(name)
	require.True(t, ok, name)
	return parsed
}

func tags(t *testing.T, names ...string) (all []locale.Tag) {
	t.Helper()
	for _, name := range names {
		all = append(all, tag(t, name))
	}
	return all
}

// textsOf is a page of texts: two in French and four in English, one of which is blank.
func textsOf(t *testing.T) []localisation.Text {
	british, french, english := tag(t, "en-GB"), tag(t, "fr"), tag(t, "en")
	return []localisation.Text{
		{Content: "Bells", Language: english}, {Content: " ", Language: english},
		{Content: "Pain", Language: french}, {Content: "La mie et la croûte", Language: french},
		{Content: "Tea", Language: british}, {Content: "How to make it", Language: british},
	}
}

// Characters of the French and of the English texts.
const french, english = 4 + 19, 3 + 14 + 5

// Two readers.
const ada, bob user.ID = 1, 2

type translations map[localisation.Text]localisation.Translation

// read returns the translations of the page for a reader, but for the blank text's.
func (w *fixture) read(t *testing.T, to string) translations {
	t.Helper()
	return w.readBy(t, ada, to)
}

// readBy is read for a reader of that name.
func (w *fixture) readBy(t *testing.T, reader user.ID, to string) translations {
	t.Helper()
	got := w.Translate(t.Context(), reader, textsOf(t), tag(t, to))
	maps.DeleteFunc(got, func(source localisation.Text, _ localisation.Translation) bool { return source.Content == " " })
	return got
}

func TestPUB04_only_texts_in_another_language_are_translated(t *testing.T) {
	w := newFixture(t)
	french := tag(t, "fr")
	assert.Equal(t, translations{
		{Content: "Pain", Language: french}:                {Text: "⟦en-US⟧ Pain", Translator: "pseudo"},
		{Content: "La mie et la croûte", Language: french}: {Text: "⟦en-US⟧ La mie et la croûte", Translator: "pseudo"},
	}, w.read(t, "en-US"))
	blank := localisation.Text{Content: " ", Language: french}
	assert.EqualValues(t, translations{blank: {Text: " ", Translator: "pseudo"}},
		w.Translate(t.Context(), ada, []localisation.Text{blank, {Content: "of no language"}}, tag(t, "en")), "a blank text is its own translation")
	assert.Empty(t, w.Translate(t.Context(), ada, textsOf(t), locale.Tag{}))
	assert.Equal(t, 1, w.translator.asked())
}

func TestPUB06_a_page_asks_once_per_language_and_then_never_for_a_month(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		assert.Len(t, w.read(t, "es"), 5)
		assert.ElementsMatch(t, [][]string{{"Bells", "Tea", "How to make it"}, {"Pain", "La mie et la croûte"}}, w.translator.batches)
		w.read(t, "es-MX")
		assert.Len(t, w.translator.batches, 2, "the same language")
		w.later = localisation.CacheFor - time.Second
		w.read(t, "es")
		assert.Len(t, w.translator.batches, 2)
		w.later = localisation.CacheFor
		w.read(t, "es")
		assert.Len(t, w.translator.batches, 4, "after a month")
	})
}

func TestPUB06_texts_are_counted(t *testing.T) {
	w := newFixture(t)
	w.read(t, "en")
	assert.Equal(t, translation.Counts{Misses: 2, Characters: french}, w.Counts())
	w.read(t, "en")
	assert.Equal(t, translation.Counts{Hits: 2, Misses: 2, Characters: french}, w.Counts())
}

func TestPUB07_a_translator_that_fails_is_left_alone_for_a_second(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
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
		w := newFixture(t)
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

// awaitRetryDelay waits for retryDelay.
func awaitRetryDelay() {
	<-time.After(time.Second)
	synctest.Wait()
}

func TestPUB07_a_batch_ends_even_if_the_translator_does_not(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
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

func TestWithout_a_translator_nothing_is_translated(t *testing.T) {
	w := translation.New(nil, memory.New().Translations(), translation.Offer{}, time.Now, nil)
	assert.Empty(t, w.Translate(t.Context(), ada, []localisation.Text{{Content: "Tea", Language: tag(t, "en")}}, tag(t, "es")))
	assert.Zero(t, w.Counts())
	w.Close()
}
