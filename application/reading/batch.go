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

const (
	callTimeout   = 30 * time.Second                // of a call, until the cache is filled
	pollInterval  = 100 * time.Millisecond          // between checks for translations by other servers
	renewInterval = publication.Lease / 3           // between renewals of claims
	claimValid    = publication.Lease - time.Second // how long a claim counts as held; storing it takes time, too
	storeTimeout  = 5 * time.Second                 // for storing the result
)

// run translates the texts that it can claim, and waits for those that other servers have claimed.
func (r *Reading) run(ctx context.Context, c *call) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var holder publication.Holder
	_, _ = rand.Read(holder[:]) // never fails
	for open := c.texts; ; {
		claimed, err := r.claim(ctx, holder, open)
		if err != nil {
			c.failed = true
			r.fail(ctx, "claiming translations", err)
			return
		}
		c.add(claimed.Kept)
		mine := selectByKey(open, claimed.Mine)
		if len(mine) > 0 {
			r.translate(ctx, c, holder, mine)
		}
		open = slices.DeleteFunc(without(open, claimed.Kept), func(w wanted) bool { return slices.Contains(mine, w) })
		if len(open) == 0 {
			return
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
			c.failed = true
			r.fail(ctx, "waiting for another server's translations", errTimeout)
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

// selectByKey returns the texts of the keys, in the order of the page.
func selectByKey(texts []wanted, keys []publication.CacheKey) []wanted {
	return slices.DeleteFunc(slices.Clone(texts), func(w wanted) bool { return !slices.Contains(keys, w.key) })
}

// translate translates one batch, if the budget allows it, and stores the result.
func (r *Reading) translate(ctx context.Context, c *call, h publication.Holder, batch []wanted) {
	var translated translations
	err := r.spend(ctx, batch, func() (err error) {
		translated, err = r.ask(ctx, c, h, batch)
		return err
	})
	ctx, cancel := storeContext(ctx)
	defer cancel()
	if err == nil {
		c.add(translated)
		err = r.cache.Put(ctx, translated, r.now().Add(publication.CacheFor))
	}
	if err == nil {
		return
	}
	c.failed = true
	r.fail(ctx, "translating from "+c.from.String(), err)
	if err := r.cache.Release(ctx, h, keysOf(batch)); err != nil {
		r.fail(ctx, "releasing claims", err) // the claims expire
	}
}

// storeContext returns a context for storing a result after ctx has ended.
func storeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
}

// ask sends the batch to the translator, for as long as the claims can be renewed. Without
// them another server may translate the same texts before the answer arrives.
func (r *Reading) ask(ctx context.Context, c *call, h publication.Holder, batch []wanted) (translations, error) {
	ctx, cancel := context.WithCancel(ctx)
	expiry := time.AfterFunc(claimValid, cancel)
	defer expiry.Stop()
	var renewing sync.WaitGroup
	renewing.Go(func() { r.renew(ctx, h, batch, expiry) })
	texts := make([]string, len(batch))
	for i, w := range batch {
		texts[i] = w.text
	}
	translated, err := r.translator.Translate(ctx, c.from, c.to, texts)
	cancel()
	renewing.Wait()
	if err == nil && len(translated) != len(batch) {
		err = fmt.Errorf("translator returned %d texts for %d", len(translated), len(batch))
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

// renew renews the claims on the batch until ctx ends, and postpones the expiry each time.
func (r *Reading) renew(ctx context.Context, h publication.Holder, batch []wanted, expiry *time.Timer) {
	every := time.NewTicker(renewInterval)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			if claimed, err := r.claim(ctx, h, batch); err == nil && len(claimed.Mine) == len(batch) {
				expiry.Reset(claimValid)
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
