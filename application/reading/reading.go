// Package reading holds the use cases of reading publications, in one's own
// language where that is wanted.
//
// A translation is a kindness, never a condition: a translator that is missing,
// slow or broken leaves the publication as it was written (PUB-07). Of all servers,
// one at a time asks for a text (PUB-06): here the readers of a page join the flight
// that fetches it, and a flight fetches only what its claims in the cache give it.
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

// Reading holds what the use cases work with.
type Reading struct {
	publications publication.Repository
	translator   publication.Translator // nil: nothing is translated
	cache        publication.Cache
	pictures     media.Store
	now          func() time.Time
	log          Log
	offer        Offer

	flights flights
	under   sync.WaitGroup // the flights that are under way
	counts  counters
}

// Log returns the logger of what the context belongs to: a request, with its id.
type Log func(context.Context) *slog.Logger

// Offer is what of translation readers are given (PUB-06).
type Offer struct {
	Languages []locale.Tag // into which; none: into any
	Budget    int64        // characters a day of UTC, of all servers together; 0: any number
}

// New returns the use cases over the ports; now tells the time. Without a
// translator nothing is translated. Close must be called in the end.
func New(publications publication.Repository, translator publication.Translator, cache publication.Cache,
	pictures media.Store, now func() time.Time, log Log, offer Offer) *Reading {
	return &Reading{
		publications: publications, translator: translator, cache: cache, pictures: pictures, now: now, log: log,
		offer: offer, flights: flights{by: map[publication.CacheKey]*flight{}},
	}
}

// Close waits until the flights that are under way have landed; each does within
// half a minute.
func (r *Reading) Close() { r.under.Wait() }

// Item is a publication, with its title and content in the reader's language if
// that is another and a translation could be had.
type Item struct {
	publication.Publication
	Localised *publication.Localised
}

// Feed returns a page of publications, the latest update first (PUB-01), their covers
// with addresses. A reader whose locale is not known, or not offered, gets them as they
// were written.
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
	if r.translator != nil && r.offer.has(reader) {
		r.localise(ctx, items, reader)
	}
	return page.With(p, items), nil
}

func (o Offer) has(reader locale.Tag) bool {
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
