package paying

import (
	"context"
	"errors"
	"fmt"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// PollBatch is the largest number of orders in a batch. Even if every call to the wallet times
// out, a batch ends before its orders become due for another server.
const PollBatch = 32

// pollConcurrency is how many orders are polled at the same time.
const pollConcurrency = 16

// PollDue polls the wallet for a batch of due orders (PAY-11). It returns the size of the batch
// and the joined errors of the orders that failed. Several servers may call it at the same time:
// an order is given to one of them at a time. There must be a wallet.
func (p *Paying) PollDue(ctx context.Context) (int, error) {
	next := max(p.limits.Interval, 2*p.limits.lease())
	due, err := p.ledger.Due(ctx, p.now(), p.now().Add(next), PollBatch)
	if err != nil {
		return 0, err
	}
	return len(due), payment.Each(due, pollConcurrency, func(id payment.OrderID) error {
		if err := p.poll(ctx, id); err != nil && !fault.Is(err, fault.Conflict) { // conflicts resolve by themselves
			return fmt.Errorf("order %d: %w", id, err)
		}
		return nil
	})
}

// poll queries the wallet for the order's pending prepayments, then closes those that have
// expired.
func (p *Paying) poll(ctx context.Context, id payment.OrderID) error {
	var pending []payment.Prepayment
	err := p.ledger.Change(ctx, id, func(t *payment.Trade) error {
		pending = t.Pending(p.now())
		return nil
	})
	for _, pre := range pending {
		err = errors.Join(err, p.ask(ctx, id, pre))
	}
	if err != nil {
		return err
	}
	expire := func(t *payment.Trade) []payment.Step { return t.Expire(p.limits.lease(), p.now()) }
	closed, err := p.closeAll(ctx, id, expire)
	if closed == 0 || err != nil {
		return err
	}
	return p.change(ctx, id, func(t *payment.Trade) error {
		expire(t)
		return nil
	})
}
