package paying

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"time"

	"plaza/domain/payment"
)

// maxSteps is how many steps there are at most to a ticket: closing a former prepayment,
// opening another, and each of them again because the wallet has something else there.
const maxSteps = 6

// begin goes step by step until there is a ticket. Of all who are at the same order on
// this server one goes at a time, so that the others find what it has done; who is at it
// on another server is waited for, too, as long as the wallet may take (PAY-09).
func (p *Paying) begin(ctx context.Context, id payment.OrderID, w PayRequest) (payment.ClientParams, error) {
	patient, cancel := context.WithTimeout(ctx, p.limits.Call)
	defer cancel()
	leave, err := p.queue.enter(patient, id)
	if err != nil {
		return payment.ClientParams{}, impatience(ctx, p.limits.Call)
	}
	defer leave()
	for range maxSteps {
		step, voucher, err := p.next(ctx, id, w)
		for err == nil && step.Action == payment.ActionWait {
			if patient.Err() != nil {
				return payment.ClientParams{}, impatience(ctx, step.Prepayment.LeasedUntil.Sub(p.now()))
			}
			pause(patient)
			step, voucher, err = p.next(ctx, id, w)
		}
		switch {
		case err != nil:
		case step.Action == payment.ActionUse:
			return voucher, nil
		case step.Action == payment.ActionSend:
			err = p.send(ctx, id, step.Prepayment)
		case step.Action == payment.ActionClose:
			err = p.close(ctx, id, step.Prepayment)
		}
		if err != nil {
			return payment.ClientParams{}, err
		}
	}
	return payment.ClientParams{}, payment.ErrBusy(p.limits.Call)
}

// impatience is what is said to one who has waited long enough, unless they are gone.
func impatience(ctx context.Context, left time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return payment.ErrBusy(left)
}

// between is the time between two looks at what another server does.
const between = 50 * time.Millisecond

func pause(ctx context.Context) {
	timer := time.NewTimer(between)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// next takes the next step, and makes the voucher when that is all there is to do.
func (p *Paying) next(ctx context.Context, id payment.OrderID, w PayRequest) (step payment.Step, v payment.ClientParams, err error) {
	now := p.now()
	opening := payment.BeginRequest{Intent: w.Intent, TradeNo: newTradeNo(), BuildRequest: p.gateway.BuildRequest, Lease: p.limits.Lease}
	err = p.ledger.Change(ctx, id, func(t *payment.Trade) error {
		if step, err = t.Begin(opening, now); err != nil {
			return err
		}
		if step.Action != payment.ActionUse {
			t.ScheduleCheck(p.limits.Interval, now)
			return nil
		}
		if v, err = p.gateway.ClientParams(w.Intent, step.Prepayment.Ticket, now); err != nil || w.Key == nil {
			return err
		}
		reply, err := json.Marshal(storedResponse{step.Prepayment.TradeNo, step.Prepayment.Expires, v})
		t.Answer = &payment.Answer{Key: *w.Key, Order: id, Reply: reply, At: now}
		return err
	})
	return step, v, err
}

// newTradeNo is one that nobody can guess, and no two servers make.
func newTradeNo() payment.TradeNo { return payment.TradeNo("P" + rand.Text()) }

// send asks the wallet for a ticket. What it says is stored whether or not somebody still
// waits for it.
func (p *Paying) send(ctx context.Context, id payment.OrderID, pre payment.Prepayment) error {
	ctx = context.WithoutCancel(ctx)
	ticket, cause := p.prepare(ctx, pre.Request)
	err := p.ledger.Change(ctx, id, func(t *payment.Trade) error {
		if cause == nil {
			t.Sent(pre.TradeNo, ticket, p.now())
		} else {
			t.Failed(pre.TradeNo, cause, p.now())
		}
		t.ScheduleCheck(p.limits.Interval, p.now())
		return nil
	})
	switch {
	case err != nil:
		return errors.Join(err, cause)
	case errors.Is(cause, payment.ErrWalletPaid):
		return p.isPaid(ctx, id, pre)
	case errors.Is(cause, payment.ErrWalletClosed), errors.Is(cause, payment.ErrWalletOtherOrder):
		p.log(ctx).ErrorContext(ctx, "a prepayment is not what the wallet has", "order", id, "trade_no", pre.TradeNo, "error", cause)
		return nil // the next step has another number
	case errors.Is(cause, payment.ErrWalletRefused):
		p.log(ctx).ErrorContext(ctx, "the wallet refuses us", "order", id, "error", cause)
	}
	return cause
}

func (p *Paying) prepare(ctx context.Context, request []byte) (payment.Ticket, error) {
	ctx, cancel := context.WithTimeout(ctx, p.limits.Call)
	defer cancel()
	return p.gateway.Prepare(ctx, request)
}

// close has the wallet close the prepayment.
func (p *Paying) close(ctx context.Context, id payment.OrderID, pre payment.Prepayment) error {
	ctx = context.WithoutCancel(ctx)
	cause := p.shut(ctx, pre)
	if errors.Is(cause, payment.ErrWalletPaid) {
		return p.isPaid(ctx, id, pre)
	}
	var told error
	err := p.ledger.Change(ctx, id, func(t *payment.Trade) error {
		told = t.Closed(pre.TradeNo, cause, p.now())
		t.ScheduleCheck(p.limits.Interval, p.now())
		return nil
	})
	return errors.Join(err, told)
}

func (p *Paying) shut(ctx context.Context, pre payment.Prepayment) error {
	ctx, cancel := context.WithTimeout(ctx, p.limits.Call)
	defer cancel()
	return p.gateway.Close(ctx, pre.Intent.App, pre.TradeNo)
}

// isPaid takes in the receipt that the wallet has spoken of, and says that the order is
// paid.
func (p *Paying) isPaid(ctx context.Context, id payment.OrderID, pre payment.Prepayment) error {
	if err := p.ask(ctx, id, pre); err != nil {
		return err
	}
	order, err := p.ledger.Order(ctx, id)
	if err != nil {
		return err
	}
	if order.State != payment.Paid { // the wallet contradicts itself
		return payment.ErrWalletBadResponse
	}
	return payment.ErrPaid
}
