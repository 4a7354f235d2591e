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

	"plaza/adapters/memory"
	"plaza/adapters/translator/pseudo"
	"plaza/application/translation"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/user"
)

// recordingTranslator records the batches of pseudo. It can be slow or fail.
type recordingTranslator struct {
	pseudo.Translator
	mu      sync.Mutex
	batches [][]string
	ended   time.Time // of the last batch
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
	tr.mu.Lock()
	tr.ended = time.Now()
	tr.mu.Unlock()
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
	w := &translationFixture{cache: memory.New().Translations(), translator: &recordingTranslator{Translator: pseudo.New()}}
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

func localeTags(t *testing.T, names ...string) (all []locale.Tag) {
	t.Helper()
	for _, name := range names {
		all = append(all, localeTag(t, name))
	}
	return all
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

// Two readers of translations.
const readerAda, readerBob user.ID = 1, 2

type translatedTexts map[localisation.Text]localisation.Translation

// read returns the translations of the page for a reader, but for the blank text's.
func (w *translationFixture) read(t *testing.T, to string) translatedTexts {
	t.Helper()
	return w.readBy(t, readerAda, to)
}

// readBy is read for a reader of that name.
func (w *translationFixture) readBy(t *testing.T, reader user.ID, to string) translatedTexts {
	t.Helper()
	got := w.Translate(t.Context(), reader, textsOfPage(t), localeTag(t, to))
	maps.DeleteFunc(got, func(source localisation.Text, _ localisation.Translation) bool { return source.Content == " " })
	return got
}

func TestPUB04_only_texts_in_another_language_are_translated(t *testing.T) {
	w := newTranslationFixture(t)
	french := localeTag(t, "fr")
	assert.Equal(t, translatedTexts{
		{Content: "Pain", Language: french}: {Text: "⟦en⟧ Pain", Translator: "pseudo", Language: localeTag(t, "en")},
		{Content: "La mie et la croûte", Language: french}: {Text: "⟦en⟧ La mie et la croûte", Translator: "pseudo",
			Language: localeTag(t, "en")},
	}, w.read(t, "en-US"))
	blank := localisation.Text{Content: " ", Language: french}
	assert.EqualValues(t, translatedTexts{blank: {Text: " ", Translator: "pseudo", Language: localeTag(t, "en")}},
		w.Translate(t.Context(), readerAda, []localisation.Text{blank, {Content: "of no language"}}, localeTag(t, "en")),
		"a blank text is its own translation")
	assert.Empty(t, w.Translate(t.Context(), readerAda, textsOfPage(t), locale.Tag{}))
	assert.Equal(t, 1, w.translator.asked())
}

func TestPUB06_a_page_asks_once_per_language_and_then_never_for_a_month(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTranslationFixture(t)
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

func TestPUB06_readers_of_two_variants_get_their_own(t *testing.T) {
	w := newTranslationFixture(t)
	w.read(t, "pt-PT")
	for _, got := range w.readBy(t, readerBob, "pt-BR") {
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

func TestWithout_a_translator_nothing_is_translated(t *testing.T) {
	w := translation.New(nil, memory.New().Translations(), translation.Offer{}, time.Now, nil)
	assert.Empty(t, w.Translate(t.Context(), readerAda, []localisation.Text{{Content: "Tea", Language: localeTag(t, "en")}},
		localeTag(t, "es")))
	assert.Zero(t, w.Counts())
	w.Close()
}
