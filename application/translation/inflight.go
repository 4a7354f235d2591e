package translation

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"plaza/domain/locale"
	"plaza/domain/localisation"
)

const (
	maxWait    = 2 * time.Second // how long a reader waits (PUB-07)
	retryDelay = time.Second     // until failed texts are tried again
)

var errTimeout = errors.New("timed out")

// call fetches the translations of texts from one language into another. Readers of the same
// texts share it.
type call struct {
	from, to locale.Tag
	texts    []request                   // each once, in the order of the page
	done     chan struct{}               // closed at the end
	got      map[localisation.Key]string // so far; guarded by the mutex of Translation
}

// fetch adds the translations that arrive in time. A slower call continues in the background
// and fills the cache.
func (t *Translation) fetch(ctx context.Context, missing []request, to locale.Tag, have map[localisation.Key]string) {
	calls := t.join(ctx, missing, to)
	waitCtx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	for _, c := range calls {
		select {
		case <-c.done:
		case <-waitCtx.Done():
		}
	}
	t.mutex.Lock()
	for _, c := range calls {
		maps.Copy(have, c.got)
	}
	t.mutex.Unlock()
	if waitCtx.Err() != nil && ctx.Err() == nil && len(without(missing, have)) > 0 {
		t.fail(ctx, "translating page", errTimeout)
	}
}

// join returns the calls that fetch the texts. It starts a new call per source language for
// the texts that no call fetches yet.
func (t *Translation) join(ctx context.Context, missing []request, to locale.Tag) (all []*call) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	started := map[string]*call{}
	for _, w := range missing {
		c := t.inflight[w.key]
		if c == nil {
			if c = started[w.Language.Language()]; c == nil {
				c = &call{from: w.Language, to: to, got: map[localisation.Key]string{}, done: make(chan struct{})}
				started[w.Language.Language()] = c
			}
			c.texts = append(c.texts, w)
			t.inflight[w.key] = c
		}
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	for _, c := range started {
		t.running.Go(func() { t.finish(c, t.run(context.WithoutCancel(ctx), c)) })
	}
	return all
}

// add stores translations of the call for its readers.
func (t *Translation) add(c *call, some map[localisation.Key]string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	maps.Copy(c.got, some)
}

// finish releases the call's readers. A failed call is kept for retryDelay, with the texts
// that it has fetched, so that a broken translator or database gets few requests however
// many readers want the texts.
func (t *Translation) finish(c *call, failed bool) {
	if failed {
		time.AfterFunc(retryDelay, func() { t.forget(c) })
	} else {
		t.forget(c)
	}
	close(c.done) // after forget: a reader that returns must not join this call again
}

func (t *Translation) forget(c *call) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for _, w := range c.texts {
		delete(t.inflight, w.key)
	}
}

// without returns the texts that have no translation yet.
func without(all []request, have map[localisation.Key]string) []request {
	return slices.DeleteFunc(slices.Clone(all), func(w request) bool {
		_, there := have[w.key]
		return there
	})
}

func keysOf(texts []request) []localisation.Key {
	keys := make([]localisation.Key, len(texts))
	for i, w := range texts {
		keys[i] = w.key
	}
	return keys
}
