package reading_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/memory"
	"plaza/adapters/translator/pseudo"
	"plaza/application/reading"
	"plaza/domain/access"
	"plaza/domain/locale"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/domain/user"
	"plaza/test/content"
)

// translator records the batches of pseudo. It can be slow or fail.
type translator struct {
	pseudo.Translator
	mu      sync.Mutex
	batches [][]string
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
		return nil, ctx.Err()
	}
	if tr.fails != nil {
		return nil, tr.fails
	}
	return tr.Translator.Translate(ctx, from, to, texts)
}

// fixture is a server over a store that other servers may share.
type fixture struct {
	*reading.Reading
	store      *memory.Store
	cache      publication.Cache
	translator *translator
	later      time.Duration // offset of the clock
}

func newPictures() media.Store { return memory.NewMedia("https://plaza.example", []byte("key")) }

// elsewhere is a cover with a foreign URL.
var elsewhere = media.Picture{Path: "https://covers.example/1.jpg", Sizes: []media.Size{
	{Name: "cover_sm", Width: 30, Height: 20, Path: "https://covers.example/1.jpg"},
}}

// newFixture has three publications: two in English, one in French. The first has a stored
// cover, the second one has a foreign one.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	store := memory.New()
	phone, err := user.ParsePhone("+86-13900000001")
	require.NoError(t, err)
	author, err := store.Accounts().Open(t.Context(), access.Account{Phone: phone}, user.Member{Timezone: "UTC", Joined: time.Now()})
	require.NoError(t, err)
	for i, p := range []publication.Content{
		{Title: "Tea", Summary: "How to make it", Language: "en-GB", Cover: media.CoverOf("public/a.jpg", "cover_sm", 30, 20)},
		{Title: "Pain", Summary: "La mie et la croûte", Language: "fr", Cover: elsewhere},
		{Title: "Bells", Summary: " ", Language: "en"},
	} {
		p.Author, p.Published = author, true
		p.Created, p.Updated = time.Now().UTC(), time.Now().UTC().Add(time.Duration(i)*time.Second)
		imports(t, store, publication.Publication{ID: publication.ID(i + 1), Content: p})
	}
	w := &fixture{store: store, cache: store.Translations(), translator: &translator{Translator: pseudo.New()}}
	w.serve(t, reading.Offer{})
	return w
}

// imports stores the publication.
func imports(t *testing.T, s *memory.Store, p publication.Publication) {
	t.Helper()
	require.NoError(t, content.Import(t.Context(), content.Stores{Accounts: s.Accounts(), Directory: s.Accounts(), Imports: s.Imports()}, p))
}

// serve starts the server.
func (w *fixture) serve(t *testing.T, offer reading.Offer) {
	now := func() time.Time { return time.Now().Add(w.later) }
	w.Reading = reading.New(w.store.Publications(), w.translator, w.cache, newPictures(), now,
		func(context.Context) *slog.Logger { return slog.New(slog.DiscardHandler) }, offer)
	t.Cleanup(w.Close)
}

// another returns another server over the same store.
func (w *fixture) another(t *testing.T) *fixture {
	other := *w
	other.serve(t, reading.Offer{})
	return &other
}

func (w *fixture) read(t *testing.T, header string) []reading.Item {
	t.Helper()
	tag, _ := locale.Parse(header)
	p, err := w.Feed(t.Context(), publication.Query{}, tag)
	require.NoError(t, err)
	require.Len(t, p.Items, 3)
	return p.Items
}

func localised(items []reading.Item) int {
	n := 0
	for _, item := range items {
		if item.Localised != nil {
			n++
		}
	}
	return n
}

func TestPUB04_only_what_is_in_another_language_is_translated(t *testing.T) {
	w := newFixture(t)
	items := w.read(t, "en-US")
	assert.Nil(t, items[0].Localised)
	assert.Nil(t, items[2].Localised)
	require.NotNil(t, items[1].Localised)
	l := items[1].Localised
	assert.NotEqual(t, "Pain", l.Title)
	assert.Contains(t, l.Title, "Pain", "pseudo marks the text")
	assert.Equal(t, "fr", l.Source.String())
	assert.Equal(t, "en-US", l.Language.String())
	assert.Equal(t, "pseudo", l.TitleTranslator)
	for _, none := range []string{"", "auto", "*"} {
		assert.Zero(t, localised(w.read(t, none)), "%q", none)
	}
}

func TestPUB06_a_page_asks_once_per_language_and_then_never_for_a_month(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		assert.Equal(t, 3, localised(w.read(t, "es")))
		assert.ElementsMatch(t, [][]string{{"Bells", "Tea", "How to make it"}, {"Pain", "La mie et la croûte"}}, w.translator.batches)
		w.read(t, "es-MX")
		assert.Len(t, w.translator.batches, 2, "the same language")
		w.later = publication.CacheFor - time.Second
		w.read(t, "es")
		assert.Len(t, w.translator.batches, 2)
		w.later = publication.CacheFor
		w.read(t, "es")
		assert.Len(t, w.translator.batches, 4, "after a month")
	})
}

func TestPUB07_a_translator_that_fails_never_fails_the_feed_and_is_left_alone_for_a_second(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		w.translator.fails = errors.New("quota")
		for range 20 {
			assert.Zero(t, localised(w.read(t, "es")))
			<-time.After(time.Second / 20)
			synctest.Wait()
		}
		assert.EqualValues(t, 2, w.Counts().Failures)
		assert.Equal(t, 2, w.translator.asked(), "both languages")
		w.translator.fails = nil
		assert.Equal(t, 3, localised(w.read(t, "es")), "failures are not cached")
	})
}

func TestPUB07_a_batch_that_is_too_slow_still_fills_the_cache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newFixture(t)
		w.translator.takes = 5 * time.Second
		began := time.Now()
		assert.Zero(t, localised(w.read(t, "en")))
		assert.Equal(t, 2*time.Second, time.Since(began), "readers wait maxWait")
		w.Close()
		assert.Equal(t, 5*time.Second, time.Since(began), "Close waits for the batch")
		assert.Equal(t, 1, localised(w.read(t, "en")))
		assert.Len(t, w.translator.batches, 1)
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
		assert.Equal(t, 30*time.Second, time.Since(began))
		awaitRetryDelay()
		w.read(t, "en")
		assert.Equal(t, 2, w.translator.asked(), "the claims were released")
	})
}

func TestWithout_a_translator_nothing_is_translated(t *testing.T) {
	store := memory.New()
	r := reading.New(store.Publications(), nil, store.Translations(), newPictures(), time.Now, nil, reading.Offer{})
	tag, _ := locale.Parse("es")
	p, err := r.Feed(t.Context(), publication.Query{}, tag)
	require.NoError(t, err)
	assert.Empty(t, p.Items)
}

func TestADM04_covers_that_are_kept_come_with_their_addresses(t *testing.T) {
	w := newFixture(t)
	for _, reader := range []string{"", "es"} {
		items := w.read(t, reader)
		byTitle := map[string]media.Picture{}
		for _, item := range items {
			byTitle[item.Title] = item.Cover
		}
		const address = "https://plaza.example/media/public/a.jpg"
		assert.Equal(t, map[string]media.Picture{
			"Tea": {Key: "public/a.jpg", Path: address, Sizes: []media.Size{
				{Name: "cover_sm", Width: 30, Height: 20, Key: "public/a.jpg", Path: address},
			}},
			"Pain": elsewhere, "Bells": {},
		}, byTitle)
	}
}
