package paying

import (
	"context"
	"errors"

	"plaza/domain/payment"
)

// once calls do, unless the key was answered: then it calls replay with the answer. What
// do stores must bring the answer along. If it fails, nothing came of it that the same
// key may not try again. Without a key it calls do.
func (p *Paying) once(ctx context.Context, k *payment.Key, replay func(payment.Answer) error, do func() error) error {
	if k == nil {
		return do()
	}
	now := p.now()
	answer, err := p.ledger.Reserve(ctx, *k, now, now.Add(p.limits.Lease))
	switch {
	case err != nil:
		return err
	case answer != nil:
		return replay(*answer)
	}
	if err := do(); err != nil {
		return errors.Join(err, p.ledger.Release(context.WithoutCancel(ctx), *k))
	}
	return nil
}
