package paying

import (
	"context"
	"errors"

	"plaza/domain/payment"
)

// once returns the result of do, or of replay with the stored answer if the key has one. do
// must store the answer together with its changes. If do fails, once releases the key, so
// that the client may retry with it. Without a key, once calls do.
func once[T any](ctx context.Context, p *Paying, k *payment.Key, replay func(payment.Answer) (T, error), do func() (T, error)) (T, error) {
	if k == nil {
		return do()
	}
	now := p.now()
	answer, err := p.ledger.Reserve(ctx, *k, now, now.Add(p.limits.Lease))
	switch {
	case err != nil:
		var none T
		return none, err
	case answer != nil:
		return replay(*answer)
	}
	result, err := do()
	if err != nil {
		err = errors.Join(err, p.ledger.Release(context.WithoutCancel(ctx), *k))
	}
	return result, err
}
