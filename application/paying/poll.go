package paying

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// Even if every call to the wallet times out, a batch ends before its orders become due for
// another server.
const (
	pollBatch       = 32 // orders in a batch
	pollConcurrency = 16 // orders polled at the same time
)

// Run polls the wallet for due orders until the context ends (PAY-11). Several servers may
// run it at the same time: an order is given to one of them at a time.
func (p *Paying) Run(ctx context.Context) {
	if p.gateway == nil {
		return
	}
	tick := time.NewTicker(max(p.limits.Interval/4, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for n := pollBatch; n == pollBatch && ctx.Err() == nil; {
			var err error
			if n, err = p.PollDue(ctx); err != nil && ctx.Err() == nil {
				p.log(ctx).WarnContext(ctx, "polling orders failed; will retry", "error", err)
			}
		}
	}
}

// PollDue polls the wallet for a batch of due orders. It returns the size of the batch and
// the joined errors of the orders that failed.
func (p *Paying) PollDue(ctx context.Context) (int, error) {
	next := max(p.limits.Interval, 2*p.limits.Lease)
	due, err := p.ledger.Due(ctx, p.now(), p.now().Add(next), pollBatch)
	if err != nil {
		return 0, err
	}
	failures := make([]error, len(due))
	slots := make(chan struct{}, pollConcurrency)
	var all sync.WaitGroup
	for n, id := range due {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			if err := p.poll(ctx, id); err != nil && !fault.Is(err, fault.Conflict) { // conflicts resolve by themselves
				failures[n] = fmt.Errorf("order %d: %w", id, err)
			}
		})
	}
	all.Wait()
	return len(due), errors.Join(failures...)
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
	steps, err := p.expire(ctx, id)
	for _, step := range steps {
		err = errors.Join(err, p.close(ctx, id, step.Prepayment))
	}
	if len(steps) == 0 || err != nil {
		return err
	}
	_, err = p.expire(ctx, id)
	return err
}

// expire closes the order if it has expired, or returns the prepayments to close first.
func (p *Paying) expire(ctx context.Context, id payment.OrderID) (steps []payment.Step, err error) {
	err = p.ledger.Change(ctx, id, func(t *payment.Trade) error {
		steps = t.Expire(p.limits.Lease, p.now())
		t.ScheduleCheck(p.limits.Interval, p.now())
		return nil
	})
	return steps, err
}
