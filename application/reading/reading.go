// Package reading holds the use cases of reading publications, translated into the
// reader's language on request.
//
// Translation is best effort: if the translator is missing, slow or broken, the reader
// gets the publication as it was written (PUB-07). Only one server at a time translates
// a text (PUB-06): readers on one server share the call in flight, and a call translates
// only the texts that it has claimed in the cache.
package reading

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"plaza/domain/locale"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Reading implements the use cases.
type Reading struct {
	publications publication.Repository
	translator   publication.Translator // nil: nothing is translated
	cache        publication.Cache
	pictures     media.Store
	now          func() time.Time
	log          Log
	offer        Offer

	inflight inflight
	running  sync.WaitGroup // calls in flight
	counts   counters
}

// Log returns the logger of the context, for example of a request with its ID.
type Log func(context.Context) *slog.Logger

// Offer says which translations readers get (PUB-06).
type Offer struct {
	Languages []locale.Tag // target languages; empty: any
	Budget    int64        // characters per UTC day for all servers together; 0: unlimited
}

// New returns the use cases over the ports; now returns the time. Without a
// translator nothing is translated. The caller must call Close.
func New(publications publication.Repository, translator publication.Translator, cache publication.Cache,
	pictures media.Store, now func() time.Time, log Log, offer Offer) *Reading {
	return &Reading{
		publications: publications, translator: translator, cache: cache, pictures: pictures, now: now, log: log,
		offer: offer, inflight: inflight{calls: map[publication.CacheKey]*call{}},
	}
}

// Close waits for the calls in flight. Each ends within half a minute.
func (r *Reading) Close() { r.running.Wait() }

// Item is a publication. Localised is set if the publication is in another language
// than the reader's and its translation was available in time.
type Item struct {
	publication.Publication
	Localised *publication.Localised
}

// Feed returns a page of publications, the latest update first (PUB-01), their covers
// with URLs. A reader whose locale is unknown or not offered gets them as they were
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
	if r.translator != nil && r.offer.includes(reader) {
		r.localise(ctx, items, reader)
	}
	return page.With(p, items), nil
}

func (o Offer) includes(reader locale.Tag) bool {
	if reader.IsZero() || len(o.Languages) == 0 {
		return !reader.IsZero()
	}
	for _, offered := range o.Languages {
		if locale.Same(offered, reader) {
			return true
		}
	}
	return false
}
