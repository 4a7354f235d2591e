package reading

import (
	"context"
	"errors"
	"unicode/utf8"

	"plaza/domain/publication"
)

var errSpent = errors.New("the day's budget of characters is spent")

// within asks for the batch if the day's budget allows it. What was refused costs
// nothing; what was not heard of in time may be charged, and so it counts.
func (r *Reading) within(ctx context.Context, batch []wanted, ask func() error) error {
	spending := publication.Spending{Translator: r.translator.Name(), Day: publication.DayOf(r.now())}
	for _, w := range batch {
		spending.Characters += int64(utf8.RuneCountInString(w.text))
	}
	budget := r.offer.Budget
	if budget > 0 {
		if allowed, err := r.cache.Spend(ctx, spending, budget); err != nil {
			return err
		} else if !allowed {
			return errSpent
		}
	}
	err := ask()
	if err == nil || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		r.counts.characters.Add(spending.Characters)
		return err
	}
	if budget > 0 {
		ctx, cancel := aLastWord(ctx)
		defer cancel()
		err = errors.Join(err, r.cache.Refund(ctx, spending))
	}
	return err
}
