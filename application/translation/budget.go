package translation

import (
	"context"
	"errors"
	"unicode/utf8"

	"plaza/domain/localisation"
)

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
