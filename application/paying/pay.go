package paying

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"plaza/domain/access"
	"plaza/domain/payment"
)

// PayRequest is a request to pay an order.
type PayRequest struct {
	Intent payment.Intent
	Order  payment.OrderID // zero: the only open order (PAY-07)
	Key    *payment.Key    // nil: none
}

// Pay begins the payment of the actor's order and returns the parameters with which the
// client continues (PAY-01..09). If it fails after an order was chosen, it returns that order
// with the error.
func (p *Paying) Pay(ctx context.Context, actor access.Actor, w PayRequest) (order payment.Order, v payment.ClientParams, err error) {
	err = p.once(ctx, w.Key, func(a payment.Answer) error {
		order, v, err = p.replay(ctx, a)
		return err
	}, func() error {
		order, v, err = p.pay(ctx, actor, w)
		return err
	})
	return order, v, err
}

func (p *Paying) pay(ctx context.Context, actor access.Actor, w PayRequest) (payment.Order, payment.ClientParams, error) {
	order, err := p.choose(ctx, actor, w.Order)
	if err != nil {
		return payment.Order{}, payment.ClientParams{}, err
	}
	if p.gateway == nil {
		return order, payment.ClientParams{}, payment.ErrNoWallet
	}
	params, err := p.begin(ctx, order.ID, w)
	return order, params, err
}

// choose returns the order to pay: the one with the id, or for zero the only open one (PAY-07).
func (p *Paying) choose(ctx context.Context, actor access.Actor, id payment.OrderID) (payment.Order, error) {
	if id == 0 {
		open, err := p.ledger.OpenOrders(ctx, actor.ID)
		if err != nil {
			return payment.Order{}, err
		}
		return payment.Choose(open, p.now())
	}
	order, err := p.OwnOrder(ctx, actor, id)
	if err != nil {
		return payment.Order{}, err
	}
	return order, order.CheckPayable(p.now())
}

// storedResponse is the reply stored for an Idempotency-Key.
type storedResponse struct {
	TradeNo payment.TradeNo      `json:"trade_no"`
	Ends    time.Time            `json:"ends"` // when the ticket in Voucher expires
	Voucher payment.ClientParams `json:"voucher"`
}

// replay returns the stored response, as long as its prepayment can be used.
func (p *Paying) replay(ctx context.Context, a payment.Answer) (order payment.Order, v payment.ClientParams, err error) {
	var s storedResponse
	if err := json.Unmarshal(a.Reply, &s); err != nil {
		return order, v, fmt.Errorf("decode idempotent response: %w", err)
	}
	err = p.ledger.Change(ctx, a.Order, func(t *payment.Trade) error {
		order = t.Order
		return t.CheckTicket(s.TradeNo, s.Ends, p.now())
	})
	if err != nil {
		return order, v, err
	}
	return order, s.Voucher, nil
}
