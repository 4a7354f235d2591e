package translation

import (
	"context"
	"errors"
	"unicode/utf8"

	"plaza/domain/localisation"
)

var errBudgetSpent = errors.New("daily character budget is spent")

// askWithinBudget translates the batch if the day's budget allows it. A refused batch is refunded. A
// batch that timed out may be billed, so it counts.
func (t *Translation) askWithinBudget(ctx context.Context, c *call, batch []wanted) (map[localisation.Key]string, error) {
	spending := localisation.Spending{Translator: t.translator.Name(), Day: localisation.DayOf(t.now())}
	for _, w := range batch {
		spending.Characters += int64(utf8.RuneCountInString(w.Content))
	}
	isLimited := t.offer.Budget > 0
	if isLimited {
		if allowed, err := t.cache.Spend(ctx, spending, t.offer.Budget); err != nil {
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
