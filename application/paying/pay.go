package paying

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"time"

	"plaza/domain/access"
	"plaza/domain/idempotency"
	"plaza/domain/payment"
)

// PayRequest is a request to pay an order.
type PayRequest struct {
	Intent payment.Intent
	Order  payment.OrderID  // zero: the only open order (PAY-07)
	Key    *idempotency.Key // nil: none
	// Address is the payer's; zero: unknown.
	Address netip.Addr
}

// Pay begins the payment of the actor's order and returns the parameters with which the
// client continues (PAY-01..09). If it fails after an order was chosen, it returns that order
// with the error.
func (p *Paying) Pay(ctx context.Context, actor access.Actor, w PayRequest) (payment.Order, payment.ClientParams, error) {
	b, err := idempotency.Once(ctx, p.ledger, w.Key, p.now(), p.limits.lease(),
		func(a idempotency.Answer) (begun, error) { return p.replay(ctx, a) },
		func() (begun, error) { return p.pay(ctx, actor, w) })
	return b.order, b.params, err
}

// begun is the result of Pay.
type begun struct {
	order  payment.Order
	params payment.ClientParams
}

func (p *Paying) pay(ctx context.Context, actor access.Actor, w PayRequest) (begun, error) {
	order, err := p.choose(ctx, actor, w.Order)
	if err != nil {
		return begun{}, err
	}
	if p.gateways.Current == nil {
		return begun{order: order}, payment.ErrNoWallet
	}
	params, err := p.begin(ctx, order.ID, w)
	return begun{order, params}, err
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
	Expires time.Time            `json:"ends"` // when the ticket in Params expires
	Params  payment.ClientParams `json:"voucher"`
}

// replay returns the stored response, as long as its prepayment can be used.
func (p *Paying) replay(ctx context.Context, a idempotency.Answer) (begun, error) {
	var s storedResponse
	if err := json.Unmarshal(a.Reply, &s); err != nil {
		return begun{}, fmt.Errorf("decode idempotent response: %w", err)
	}
	var order payment.Order
	err := p.ledger.Change(ctx, payment.OrderID(a.ID), func(t *payment.Trade) error {
		order = t.Order
		return t.CheckTicket(s.TradeNo, s.Expires, p.now())
	})
	if err != nil {
		return begun{order: order}, err
	}
	return begun{order, s.Params}, nil
}
