// Package translation holds the use case of translating texts for readers, with a cache that
// all servers share and within a daily budget.
//
// Translation is best effort: if the translator is missing, slow or broken, the reader gets
// the texts as they were written (PUB-07). Only one call at a time translates a text
// (PUB-06). Readers on one server share the call in flight (inflight.go). A page has many
// texts, and pages overlap, so calls are found by text; a singleflight group would need a key
// for a whole page. Servers claim texts in the cache (batch.go).
//
// A claim is a lease that outlasts the call and the storing of its result. If a server
// crashes, its texts stay untranslated until the lease ends.
//
// Its tests are those of test/usecases/imported whose files begin with its name.
package translation

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/ratelimit"
	"plaza/domain/text"
)

// Translation implements the use case.
type Translation struct {
	translator localisation.Translator // nil: nothing is translated
	cache      localisation.Cache
	offer      Offer
	now        func() time.Time
	log        func(context.Context) *slog.Logger
	languages  *languageLimit // nil: none

	closing     chan struct{} // closed by Close
	closingOnce sync.Once

	mutex    sync.Mutex
	inflight map[localisation.Key]*call // running or just failed
	running  sync.WaitGroup             // calls in flight

	hits, misses, characters, failures atomic.Int64
}

// Offer says which translations readers get (PUB-06).
type Offer struct {
	Languages []locale.Tag // target languages; empty: any
	Budget    int64        // characters per UTC day for all servers together; 0: unlimited
	// NewLanguages limits how many languages a reader may begin to read in, on this server.
	NewLanguages ratelimit.Limit
}

// New returns the use case over the ports; now returns the time, and log the logger of a
// context. Without a translator nothing is translated. The caller must call Close.
func New(translator localisation.Translator, cache localisation.Cache, offer Offer, now func() time.Time,
	log func(context.Context) *slog.Logger) *Translation {
	return &Translation{
		translator: translator, cache: cache, offer: offer, now: now, log: log, inflight: map[localisation.Key]*call{},
		languages: newLanguageLimit(offer.NewLanguages, now()), closing: make(chan struct{}),
	}
}

// Close waits for the calls in flight. Each ends after about half a minute at the latest. A
// call that waits for another server ends at once. Later calls don't wait for other servers.
func (t *Translation) Close() {
	t.closingOnce.Do(func() { close(t.closing) })
	t.running.Wait()
}

// Counts counts translations since this server started.
type Counts struct {
	Hits       int64 // requested texts that were in the cache
	Misses     int64 // requested texts that were not in the cache
	Characters int64 // sent to the translator that were, or may have been, billed
	Failures   int64 // failed translations and cache calls, and pages that timed out waiting for a batch
}

// Counts returns the current counts.
func (t *Translation) Counts() Counts {
	return Counts{t.hits.Load(), t.misses.Load(), t.characters.Load(), t.failures.Load()}
}

// request is a text that a reader needs in another language.
type request struct {
	localisation.Text
	key localisation.Key
}

// Translate returns the translations of the texts of a page that are available to the reader
// within maxWait. It returns none of texts whose language is unknown or to itself, and none
// at all into a language that is not offered. Of a language beyond the limit of the reader
// it returns what is in the cache. A blank text is its own translation.
func (t *Translation) Translate(
	ctx context.Context, reader string, texts []localisation.Text, to locale.Tag,
) map[localisation.Text]localisation.Translation {
	if t.translator == nil || to.IsZero() || !t.offer.includes(to) {
		return nil
	}
	to = t.translator.Target(to)
	translator := t.translator.Name()
	translated := map[localisation.Text]localisation.Translation{}
	var all []request
	for _, s := range texts {
		switch {
		case s.Language.IsZero(), locale.Same(s.Language, to):
		case text.IsBlank(s.Content):
			translated[s] = localisation.Translation{Text: s.Content, Translator: translator, Language: to}
		default:
			all = append(all, request{s, localisation.KeyOf(s, to, translator)})
		}
	}
	have := t.find(ctx, reader, all, to)
	for _, w := range all {
		if found, is := have[w.key]; is {
			translated[w.Text] = localisation.Translation{Text: found, Translator: translator, Language: to}
		}
	}
	return translated
}

// includes reports whether readers get translations into the language.
func (o Offer) includes(to locale.Tag) bool {
	return len(o.Languages) == 0 || slices.ContainsFunc(o.Languages, func(t locale.Tag) bool { return locale.Same(t, to) })
}

// find returns the translations in the cache, read by one query, and, if the limit of the
// reader admits the language, those of the others that arrive in time.
func (t *Translation) find(ctx context.Context, reader string, all []request, to locale.Tag) map[localisation.Key]string {
	if len(all) == 0 {
		return nil
	}
	have, err := t.cache.Get(ctx, keysOf(all), t.now())
	if err != nil {
		t.fail(ctx, "reading translation cache", err)
		return nil
	}
	t.hits.Add(int64(len(have)))
	if missing := without(all, have); len(missing) > 0 {
		t.misses.Add(int64(len(missing)))
		if t.languages.admits(reader, to, t.now()) {
			t.fetch(ctx, missing, to, have)
		}
	}
	return have
}

func (t *Translation) fail(ctx context.Context, what string, err error) {
	t.failures.Add(1)
	t.log(ctx).WarnContext(ctx, what+" failed", "translator", t.translator.Name(), "error", err)
}
