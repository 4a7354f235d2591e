package translation

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"plaza/domain/localisation"
)

const (
	callTimeout  = 20 * time.Second           // of claiming and translating texts
	storeTimeout = 5 * time.Second            // of storing the result
	lease        = callTimeout + storeTimeout // of a claim; until it ends, no other server translates the texts
	pollInterval = 100 * time.Millisecond     // between claims of texts that another server has claimed
)

// run translates the texts that it can claim. It waits slightly longer than its first reader
// does for translations from other servers, and translates the texts that they release. It
// stops waiting when Close is called. It reports whether anything failed.
func (t *Translation) run(ctx context.Context, c *call) (failed bool) {
	began := time.Now()
	open, err := t.try(ctx, c, c.texts)
	for err == nil && len(open) > 0 && time.Since(began) <= maxWait {
		select {
		case <-time.After(pollInterval):
		case <-t.closing:
			return false
		}
		open, err = t.try(ctx, c, open)
	}
	return err != nil
}

// try translates the texts that it can claim and returns those that other servers have
// claimed.
func (t *Translation) try(ctx context.Context, c *call, texts []request) (others []request, err error) {
	callCtx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	now := t.now()
	claim := localisation.Claim{Keys: keysOf(texts), Now: now, Until: now.Add(lease)}
	_, _ = rand.Read(claim.Holder[:]) // never fails
	claimed, err := t.cache.Claim(callCtx, claim)
	if err != nil {
		t.fail(ctx, "claiming translations", err)
		return nil, err
	}
	t.add(c, claimed.Kept)
	var mine []request
	for _, w := range without(texts, claimed.Kept) {
		if slices.Contains(claimed.Mine, w.key) {
			mine = append(mine, w)
		} else {
			others = append(others, w)
		}
	}
	if len(mine) == 0 {
		return others, nil
	}
	translated, err := t.askWithinBudget(callCtx, c, mine)
	storeCtx, cancel := storeContext(ctx)
	defer cancel()
	if err == nil {
		t.add(c, translated)
		err = t.cache.Put(storeCtx, translated, t.now().Add(localisation.CacheFor))
	}
	if err == nil {
		return others, nil
	}
	t.fail(ctx, "translating from "+c.from.String(), err)
	if err := t.cache.Release(storeCtx, claim.Holder, claimed.Mine); err != nil {
		t.fail(ctx, "releasing claims", err) // the claims expire
	}
	return nil, err
}

// storeContext returns a context for storing a result after ctx has ended.
func storeContext(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
}

// ask sends the batch to the translator.
func (t *Translation) ask(ctx context.Context, c *call, batch []request) (map[localisation.Key]string, error) {
	texts := make([]string, len(batch))
	for i, w := range batch {
		texts[i] = w.Content
	}
	translated, err := t.translator.Translate(ctx, c.from, c.to, texts)
	if err != nil {
		return nil, err
	}
	if len(translated) != len(batch) {
		return nil, fmt.Errorf("translator returned %d texts for %d", len(translated), len(batch))
	}
	all := map[localisation.Key]string{}
	for i, w := range batch {
		all[w.key] = translated[i]
	}
	return all, nil
}

// Budget returns the most that the translator may be given on the current day, by all servers together. Its characters are zero if
// they are unlimited, or there is no translator.
func (t *Translation) Budget() localisation.Spending {
	if t.translator == nil {
		return localisation.Spending{}
	}
	return localisation.Spending{Translator: t.translator.Name(), Day: localisation.DayOf(t.now()), Characters: t.offer.Budget}
}

var errBudgetSpent = errors.New("daily character budget is spent")

// askWithinBudget translates the batch if the day's budget allows it. A refused batch is refunded. A
// batch that timed out may be billed, so it counts.
func (t *Translation) askWithinBudget(ctx context.Context, c *call, batch []request) (map[localisation.Key]string, error) {
	budget := t.Budget()
	spending := budget
	spending.Characters = 0
	for _, w := range batch {
		spending.Characters += int64(utf8.RuneCountInString(w.Content))
	}
	isLimited := budget.Characters > 0
	if isLimited {
		if allowed, err := t.cache.Spend(ctx, spending, budget.Characters); err != nil {
			return nil, err
		} else if !allowed {
			return nil, errBudgetSpent
		}
	}
	translated, err := t.ask(ctx, c, batch)
	if err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.characters.Add(spending.Characters)
	} else if isLimited {
		ctx, cancel := storeContext(ctx)
		defer cancel()
		err = errors.Join(err, t.cache.Refund(ctx, spending))
	}
	return translated, err
}
