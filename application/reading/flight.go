package reading

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"plaza/domain/locale"
	"plaza/domain/publication"
)

// Times of those who wait.
const (
	patience = 2 * time.Second // of a reader (PUB-07)
	rest     = time.Second     // of texts that could not be had, before they are tried again
)

var errLate = errors.New("not in time")

// flight fetches the translations of a page's texts from one language into another.
// Readers who want some of the same texts meanwhile join it.
type flight struct {
	from, to locale.Tag
	texts    []wanted // each once, in the order of the page
	landed   chan struct{}
	failed   bool // known to whoever flies it

	mu  sync.Mutex
	got translations // so far
}

func (f *flight) add(some map[publication.CacheKey]string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.Copy(f.got, some)
}

func (f *flight) copyTo(have translations) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.Copy(have, f.got)
}

// fetch returns those of the translations that come in time. A flight that is too slow
// goes on by itself, and fills the cache.
func (r *Reading) fetch(ctx context.Context, missing []wanted, reader locale.Tag) translations {
	have := translations{}
	if len(missing) == 0 {
		return have
	}
	r.counts.misses.Add(int64(len(missing)))
	joined, started := r.flights.join(missing, reader)
	for _, f := range started {
		r.under.Go(func() {
			r.fly(context.WithoutCancel(ctx), f)
			r.flights.land(f)
		})
	}
	err := await(ctx, joined)
	for _, f := range joined {
		f.copyTo(have)
	}
	if errors.Is(err, errLate) && len(without(missing, have)) > 0 {
		r.fail(ctx, "translating a page", err)
	}
	return have
}

// await waits until all have landed, but no longer than a reader does.
func await(ctx context.Context, all []*flight) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	for _, f := range all {
		select {
		case <-f.landed:
		case <-late.C:
			return errLate
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// flights are those that are under way, or have just failed, by what they fetch.
type flights struct {
	mu sync.Mutex
	by map[publication.CacheKey]*flight
}

// join returns the flights that fetch the texts, and which of them are new, for the
// caller to fly: one for each language of what nobody fetches yet.
func (fs *flights) join(missing []wanted, reader locale.Tag) (all, started []*flight) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	of := map[string]*flight{}
	for _, w := range missing {
		f := fs.by[w.key]
		if f == nil {
			if f = of[w.from.Language()]; f == nil {
				f = &flight{from: w.from, to: reader, landed: make(chan struct{}), got: translations{}}
				of[w.from.Language()] = f
				started = append(started, f)
			}
			f.texts = append(f.texts, w)
			fs.by[w.key] = f
		}
		if !slices.Contains(all, f) {
			all = append(all, f)
		}
	}
	return all, started
}

// land lets the flight's readers go. If it failed, it is still there for a while, with what
// it has fetched: so however many want its texts, a translator or a database that doesn't
// work is asked but now and then.
func (fs *flights) land(f *flight) {
	if f.failed {
		time.AfterFunc(rest, func() { fs.forget(f) })
	} else {
		fs.forget(f)
	}
	close(f.landed) // only now: who reads again must not join it
}

func (fs *flights) forget(f *flight) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, w := range f.texts {
		delete(fs.by, w.key)
	}
}
