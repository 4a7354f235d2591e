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

// How many orders are looked after in one round, and how many of them at once. With a
// wallet that lets every call wait to its end, a round is over before its orders are
// given to somebody else.
const (
	tended = 32
	atOnce = 16
)

// Run looks after orders that wait for the wallet, until the context ends (PAY-11). Any
// number of servers may do so at once: an order is given to one of them at a time.
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
		for n := tended; n == tended && ctx.Err() == nil; {
			var err error
			if n, err = p.PollDue(ctx); err != nil && ctx.Err() == nil {
				p.log(ctx).WarnContext(ctx, "not all orders could be looked after; they will be later", "error", err)
			}
		}
	}
}

// PollDue looks after a round of orders whose time has come, and returns how many there
// were, together with what went wrong with some of them.
func (p *Paying) PollDue(ctx context.Context) (int, error) {
	next := max(p.limits.Interval, 2*p.limits.Lease)
	due, err := p.ledger.Due(ctx, p.now(), p.now().Add(next), tended)
	if err != nil {
		return 0, err
	}
	wrong := make([]error, len(due))
	places := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for n, id := range due {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			if err := p.poll(ctx, id); err != nil && !fault.Is(err, fault.Conflict) { // those pass by themselves
				wrong[n] = fmt.Errorf("order %d: %w", id, err)
			}
		})
	}
	all.Wait()
	return len(due), errors.Join(wrong...)
}

// poll asks after what somebody may have paid, and has closed what nobody shall pay any
// more.
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

// expire closes the order if its time is over, or says what must be closed before.
func (p *Paying) expire(ctx context.Context, id payment.OrderID) (steps []payment.Step, err error) {
	err = p.ledger.Change(ctx, id, func(t *payment.Trade) error {
		steps = t.Expire(p.limits.Lease, p.now())
		t.ScheduleCheck(p.limits.Interval, p.now())
		return nil
	})
	return steps, err
}
