package paying

import (
	"context"
	"errors"

	"plaza/domain/payment"
)

// once calls do, or replay with the stored answer if the key has one. do must store the
// answer together with its changes. If do fails, once releases the key, so that the client
// may retry with it. Without a key, once calls do.
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
