package paying

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"plaza/domain/idempotency"
	"plaza/domain/payment"
)

// maxSteps is the maximum number of steps to a ticket: closing a former prepayment, opening
// another, and repeating both because the wallet has a different order under the number.
const maxSteps = 6

// begin takes steps until the order has a ticket. Requests for the same order on this server
// run one after the other, so that later ones use the results of earlier ones. begin also
// waits for other servers, up to limits.Call in total (PAY-09).
func (p *Paying) begin(ctx context.Context, id payment.OrderID, w PayRequest) (payment.ClientParams, error) {
	waitCtx, cancel := context.WithTimeout(ctx, p.limits.Call)
	defer cancel()
	leave, err := p.queue.enter(waitCtx, id)
	if err != nil {
		return payment.ClientParams{}, busyError(ctx, p.limits.Call)
	}
	defer leave()
	for range maxSteps {
		step, params, err := p.next(ctx, id, w)
		for err == nil && step.Action == payment.ActionWait {
			if waitCtx.Err() != nil {
				return payment.ClientParams{}, busyError(ctx, step.Prepayment.LeasedUntil.Sub(p.now()))
			}
			select {
			case <-waitCtx.Done():
			case <-time.After(pollInterval):
			}
			step, params, err = p.next(ctx, id, w)
		}
		switch {
		case err != nil:
		case step.Action == payment.ActionUse:
			return params, nil
		case step.Action == payment.ActionSend:
			err = p.send(ctx, id, step.Prepayment)
		case step.Action == payment.ActionClose:
			err = p.close(ctx, id, step.Prepayment)
		}
		if err != nil {
			return payment.ClientParams{}, err
		}
	}
	return payment.ClientParams{}, payment.ErrWalletBadResponse // it denies one number after the other
}

// busyError returns ErrBusy, or the error of ctx if the client has cancelled the request.
func busyError(ctx context.Context, left time.Duration) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return payment.ErrBusy(left)
}

// pollInterval is the time between two checks of another server's progress.
const pollInterval = 50 * time.Millisecond

// next returns the next step. It also returns the client parameters if the step is ActionUse.
func (p *Paying) next(ctx context.Context, id payment.OrderID, w PayRequest) (step payment.Step, v payment.ClientParams, err error) {
	now := p.now()
	request := payment.BeginRequest{
		Intent: w.Intent, TradeNo: newTradeNo(id), Protocol: p.gateways.Current.Protocol(),
		BuildRequest: p.gateways.Current.BuildRequest, Payer: w.Address, Lease: p.limits.lease(),
	}
	err = p.ledger.Change(ctx, id, func(t *payment.Trade) error {
		if step, err = t.Begin(request, now); err != nil {
			return err
		}
		if step.Action != payment.ActionUse {
			t.ScheduleCheck(p.limits.Interval, now)
			return nil
		}
		gateway, err := p.gateways.By(step.Prepayment.Protocol)
		if err != nil {
			return err
		}
		if v, err = gateway.ClientParams(w.Intent, step.Prepayment.Ticket, now); err != nil || w.Key == nil {
			return err
		}
		reply, err := json.Marshal(storedResponse{step.Prepayment.TradeNo, step.Prepayment.Expires, v})
		t.Answer = &idempotency.Answer{Key: *w.Key, Kind: idempotency.Order, ID: int64(id), Reply: reply, At: now}
		return err
	})
	return step, v, err
}

// maxTradeNo is the maximum length of a number at the wallet.
const maxTradeNo = 32

// newTradeNo returns a random trade number: unguessable, and unique across servers. It begins
// with the order's id, so that people find the order from what the wallet shows and reports.
func newTradeNo(id payment.OrderID) payment.TradeNo {
	return payment.TradeNo(fmt.Sprintf("order-%d-%s", id, rand.Text())[:maxTradeNo])
}

// send asks the wallet for a ticket. It stores the answer even if the client has gone away.
func (p *Paying) send(ctx context.Context, id payment.OrderID, pre payment.Prepayment) error {
	ctx = context.WithoutCancel(ctx)
	ticket, cause := payment.Ask(ctx, p.gateways, pre.Protocol, p.limits.Call,
		func(ctx context.Context, g payment.Gateway) (payment.Ticket, error) {
			return g.Prepare(ctx, pre.Request)
		})
	err := p.change(ctx, id, func(t *payment.Trade) error {
		if cause == nil {
			t.RecordSent(pre.TradeNo, ticket, p.now())
		} else {
			t.RecordFailed(pre.TradeNo, cause, p.now())
		}
		return nil
	})
	switch {
	case err != nil:
		return errors.Join(err, cause)
	case errors.Is(cause, payment.ErrWalletPaid):
		return p.isPaid(ctx, id, pre)
	case errors.Is(cause, payment.ErrWalletClosed): // by a server that crashed before it stored that
		p.log(ctx).WarnContext(ctx, "prepayment is closed at the wallet; retrying with a new trade number", "order", id, "trade_no", pre.TradeNo)
		return nil // the next step uses another trade number
	case errors.Is(cause, payment.ErrWalletOtherOrder):
		p.log(ctx).ErrorContext(ctx, "prepayment differs from the wallet's; retrying with a new trade number", "order", id, "trade_no",
			pre.TradeNo, "error", cause)
		return nil
	case errors.Is(cause, payment.ErrWalletRefused):
		p.log(ctx).ErrorContext(ctx, "wallet refuses requests; check its settings", "order", id, "error", cause)
	}
	return cause
}

// close closes the prepayment in the wallet and stores the outcome.
func (p *Paying) close(ctx context.Context, id payment.OrderID, pre payment.Prepayment) error {
	ctx = context.WithoutCancel(ctx)
	_, cause := payment.Ask(ctx, p.gateways, pre.Protocol, p.limits.Call,
		func(ctx context.Context, g payment.Gateway) (struct{}, error) {
			return struct{}{}, g.Close(ctx, pre.Intent.App, pre.TradeNo)
		})
	if errors.Is(cause, payment.ErrWalletPaid) {
		return p.isPaid(ctx, id, pre)
	}
	var outcome error
	err := p.change(ctx, id, func(t *payment.Trade) error {
		outcome = t.RecordClosed(pre.TradeNo, cause, p.now())
		return nil
	})
	return errors.Join(err, outcome)
}

// isPaid fetches and stores the receipt of a prepayment that the wallet reports as paid. It
// returns ErrPaid, or ErrWalletBadResponse if the receipt is missing or does not pay the order.
func (p *Paying) isPaid(ctx context.Context, id payment.OrderID, pre payment.Prepayment) error {
	if err := p.ask(ctx, id, pre); err != nil {
		return err
	}
	order, err := p.ledger.Order(ctx, id)
	if err != nil {
		return err
	}
	if order.State != payment.Paid {
		return payment.ErrWalletBadResponse
	}
	return payment.ErrPaid
}
