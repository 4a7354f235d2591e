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

const (
	maxWait    = 2 * time.Second // how long a reader waits (PUB-07)
	retryDelay = time.Second     // until failed texts are tried again
)

var errTimeout = errors.New("timed out")

// call fetches the translations of a page's texts from one language into another.
// Readers of the same texts share it.
type call struct {
	from, to locale.Tag
	texts    []wanted // each once, in the order of the page
	done     chan struct{}
	failed   bool // used only by the goroutine that runs the call

	mu  sync.Mutex
	got translations // so far
}

func (c *call) add(some map[publication.CacheKey]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.got, some)
}

func (c *call) copyTo(have translations) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(have, c.got)
}

// fetch returns the translations that arrive in time. A slower call continues in the
// background and fills the cache.
func (r *Reading) fetch(ctx context.Context, missing []wanted, reader locale.Tag) translations {
	have := translations{}
	if len(missing) == 0 {
		return have
	}
	r.counts.misses.Add(int64(len(missing)))
	calls, started := r.inflight.join(missing, reader)
	for _, c := range started {
		r.running.Go(func() {
			r.run(context.WithoutCancel(ctx), c)
			r.inflight.finish(c)
		})
	}
	err := await(ctx, calls)
	for _, c := range calls {
		c.copyTo(have)
	}
	if errors.Is(err, errTimeout) && len(without(missing, have)) > 0 {
		r.fail(ctx, "translating page", err)
	}
	return have
}

// await waits until all calls are done. It returns errTimeout after maxWait.
func await(ctx context.Context, all []*call) error {
	late := time.NewTimer(maxWait)
	defer late.Stop()
	for _, c := range all {
		select {
		case <-c.done:
		case <-late.C:
			return errTimeout
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// inflight holds the calls that run or have just failed, by the texts that they fetch.
type inflight struct {
	mu    sync.Mutex
	calls map[publication.CacheKey]*call
}

// join returns the calls that fetch the texts. Texts that no call fetches yet get a new
// call per source language; the caller must run the new ones.
func (in *inflight) join(missing []wanted, reader locale.Tag) (all, started []*call) {
	in.mu.Lock()
	defer in.mu.Unlock()
	byLanguage := map[string]*call{}
	for _, w := range missing {
		c := in.calls[w.key]
		if c == nil {
			if c = byLanguage[w.from.Language()]; c == nil {
				c = &call{from: w.from, to: reader, done: make(chan struct{}), got: translations{}}
				byLanguage[w.from.Language()] = c
				started = append(started, c)
			}
			c.texts = append(c.texts, w)
			in.calls[w.key] = c
		}
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all, started
}

// finish releases the call's readers. A failed call is kept for retryDelay, with the texts
// that it has fetched, so that a broken translator or database gets few requests however
// many readers want the texts.
func (in *inflight) finish(c *call) {
	if c.failed {
		time.AfterFunc(retryDelay, func() { in.forget(c) })
	} else {
		in.forget(c)
	}
	close(c.done) // after forget: a reader that returns must not join this call again
}

func (in *inflight) forget(c *call) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, w := range c.texts {
		delete(in.calls, w.key)
	}
}
