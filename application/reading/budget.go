package reading

import (
	"context"
	"errors"
	"unicode/utf8"

	"plaza/domain/publication"
)

var errBudgetSpent = errors.New("daily character budget is spent")

// spend calls ask if the day's budget allows the batch. A refused batch is refunded. A
// batch that timed out may be billed, so it counts.
func (r *Reading) spend(ctx context.Context, batch []wanted, ask func() error) error {
	spending := publication.Spending{Translator: r.translator.Name(), Day: publication.DayOf(r.now())}
	for _, w := range batch {
		spending.Characters += int64(utf8.RuneCountInString(w.text))
	}
	budget := r.offer.Budget
	if budget > 0 {
		if allowed, err := r.cache.Spend(ctx, spending, budget); err != nil {
			return err
		} else if !allowed {
			return errBudgetSpent
		}
	}
	err := ask()
	if err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		r.counts.characters.Add(spending.Characters)
		return err
	}
	if budget > 0 {
		ctx, cancel := storeContext(ctx)
		defer cancel()
		err = errors.Join(err, r.cache.Refund(ctx, spending))
	}
	return err
}
