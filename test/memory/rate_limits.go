package memory

import (
	"context"
	"maps"
	"time"

	"plaza/domain/ratelimit"
)

// charged is write for a call that the charges pay for. If they are refused, or if fn fails, nothing is charged.
func charged[T any](ctx context.Context, s *Store, charges []ratelimit.Charge, fn func() (T, error)) (T, error) {
	return write(ctx, s, func() (T, error) {
		paid, err := s.pay(charges)
		if err != nil {
			return *new(T), err
		}
		result, err := fn()
		if err == nil {
			maps.Copy(s.spentUntil, paid)
		}
		return result, err
	})
}

// execCharged is charged for calls without a result.
func execCharged(ctx context.Context, s *Store, charges []ratelimit.Charge, fn func() error) error {
	_, err := charged(ctx, s, charges, func() (struct{}, error) { return struct{}{}, fn() })
	return err
}

// pay returns until when the accounts have paid after the charges, without storing it.
func (s *Store) pay(charges []ratelimit.Charge) (map[rateKey]time.Time, error) {
	paid := map[rateKey]time.Time{}
	for _, c := range charges {
		if c.IsFree() {
			continue
		}
		key := rateKey{c.Account, c.Action}
		until, err := c.Apply(s.spentUntil[key])
		if err != nil {
			return nil, err
		}
		paid[key] = until
	}
	return paid, nil
}
