// Package reading holds the use cases of reading publications, in one's own
// language where that is wanted.
//
// A translation is a kindness, never a condition: a translator that is missing,
// slow or broken leaves the publication as it was written (PUB-07).
package reading

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"plaza/domain/locale"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Times of translating one page.
const (
	patience   = 2 * time.Second  // how long a reader waits (PUB-07)
	batchLimit = 30 * time.Second // how long a batch may take to fill the cache
)

// Reading holds what the use cases work with.
type Reading struct {
	publications publication.Repository
	translator   publication.Translator // nil: nothing is translated
	cache        publication.Cache
	pictures     media.Store
	now          func() time.Time
	log          Log

	batches  sync.WaitGroup
	failures atomic.Int64
}

// Log returns the logger of what the context belongs to: a request, with its id.
type Log func(context.Context) *slog.Logger

// New returns the use cases over the ports; now tells the time. Without a
// translator nothing is translated. Close must be called in the end.
func New(publications publication.Repository, translator publication.Translator, cache publication.Cache,
	pictures media.Store, now func() time.Time, log Log) *Reading {
	return &Reading{publications: publications, translator: translator, cache: cache, pictures: pictures, now: now, log: log}
}

// Close waits until the batches that are under way have ended; each does within
// half a minute.
func (r *Reading) Close() { r.batches.Wait() }

// Failures is how many batches could not be translated, or not in time, so far.
func (r *Reading) Failures() int64 { return r.failures.Load() }

// Item is a publication, with its title and content in the reader's language if
// that is another and a translation could be had.
type Item struct {
	publication.Publication
	Localised *publication.Localised
}

// Feed returns a page of publications, the latest update first (PUB-01), their covers
// with addresses. A reader whose locale is not known, or zero, gets them as they were
// written.
func (r *Reading) Feed(ctx context.Context, q publication.Query, reader locale.Tag) (page.Page[Item], error) {
	p, err := r.publications.List(ctx, q)
	if err != nil {
		return page.Page[Item]{}, err
	}
	items := make([]Item, len(p.Items))
	address := media.Public(r.pictures, r.now())
	for i, pub := range p.Items {
		items[i] = Item{Publication: pub}
		items[i].Cover = pub.Cover.At(address)
	}
	if r.translator != nil && !reader.IsZero() {
		r.localise(ctx, items, reader)
	}
	return page.With(p, items), nil
}
