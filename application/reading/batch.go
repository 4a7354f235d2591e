package reading

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"plaza/domain/publication"
)

// Times of a flight.
const (
	flightLimit = 30 * time.Second                // how long it may take to fill the cache
	lookAgain   = 100 * time.Millisecond          // how often it looks whether others have come to an end
	renewal     = publication.Lease / 3           // how often it renews its claims
	heldFor     = publication.Lease - time.Second // how long it counts on them: storing them took its time, too
	lastWord    = 5 * time.Second                 // how long it may take to store how it ended
)

// fly fetches what nobody else is at, and waits for what somebody is at.
func (r *Reading) fly(ctx context.Context, f *flight) {
	ctx, cancel := context.WithTimeout(ctx, flightLimit)
	defer cancel()
	var holder publication.Holder
	_, _ = rand.Read(holder[:]) // it never fails
	for open := f.texts; ; {
		claimed, err := r.claim(ctx, holder, open)
		if err != nil {
			f.failed = true
			r.fail(ctx, "claiming translations", err)
			return
		}
		f.add(claimed.Kept)
		mine := those(open, claimed.Mine)
		if len(mine) > 0 {
			r.translate(ctx, f, holder, mine)
		}
		open = slices.DeleteFunc(without(open, claimed.Kept), func(w wanted) bool { return slices.Contains(mine, w) })
		if len(open) == 0 {
			return
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			f.failed = true
			r.fail(ctx, "waiting for another server's translations", errLate)
			return
		}
	}
}

func (r *Reading) claim(ctx context.Context, h publication.Holder, texts []wanted) (publication.Claimed, error) {
	now := r.now()
	return r.cache.Claim(ctx, publication.Claim{Holder: h, Keys: keysOf(texts), Now: now, Until: now.Add(publication.Lease)})
}

func keysOf(texts []wanted) []publication.CacheKey {
	keys := make([]publication.CacheKey, len(texts))
	for i, w := range texts {
		keys[i] = w.key
	}
	return keys
}

// those are the texts of the keys, in the order of the page.
func those(texts []wanted, keys []publication.CacheKey) []wanted {
	return slices.DeleteFunc(slices.Clone(texts), func(w wanted) bool { return !slices.Contains(keys, w.key) })
}

// translate has one batch translated, if the budget allows it, and keeps what came.
func (r *Reading) translate(ctx context.Context, f *flight, h publication.Holder, batch []wanted) {
	var translated translations
	err := r.within(ctx, batch, func() (err error) {
		translated, err = r.ask(ctx, f, h, batch)
		return err
	})
	ctx, cancel := aLastWord(ctx)
	defer cancel()
	if err == nil {
		f.add(translated)
		err = r.cache.Put(ctx, translated, r.now().Add(publication.CacheFor))
	}
	if err == nil {
		return
	}
	f.failed = true
	r.fail(ctx, "translating from "+f.from.String(), err)
	if err := r.cache.Release(ctx, h, keysOf(batch)); err != nil {
		r.fail(ctx, "releasing claims", err) // they end by themselves
	}
}

// aLastWord is a context to store in how it ended, however long it took.
func aLastWord(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), lastWord)
}

// ask gives the batch to the translator, for as long as it can renew the claims: when it
// can't, another server may be at the same texts before this one has an answer.
func (r *Reading) ask(ctx context.Context, f *flight, h publication.Holder, batch []wanted) (translations, error) {
	ctx, cancel := context.WithCancel(ctx)
	lapse := time.AfterFunc(heldFor, cancel)
	defer lapse.Stop()
	var renewing sync.WaitGroup
	renewing.Go(func() { r.renew(ctx, h, batch, lapse) })
	texts := make([]string, len(batch))
	for i, w := range batch {
		texts[i] = w.text
	}
	translated, err := r.translator.Translate(ctx, f.from, f.to, texts)
	cancel()
	renewing.Wait()
	if err == nil && len(translated) != len(batch) {
		err = fmt.Errorf("%d texts came back for %d", len(translated), len(batch))
	}
	if err != nil {
		return nil, err
	}
	all := translations{}
	for i, w := range batch {
		all[w.key] = translated[i]
	}
	return all, nil
}

// renew claims the batch again and again, and puts off the lapse each time.
func (r *Reading) renew(ctx context.Context, h publication.Holder, batch []wanted, lapse *time.Timer) {
	every := time.NewTicker(renewal)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			if claimed, err := r.claim(ctx, h, batch); err == nil && len(claimed.Mine) == len(batch) {
				lapse.Reset(heldFor)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (r *Reading) fail(ctx context.Context, what string, err error) {
	r.counts.failures.Add(1)
	r.log(ctx).WarnContext(ctx, what+" failed", "translator", r.translator.Name(), "error", err)
}
