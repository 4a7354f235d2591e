package httpapi

import (
	"strconv"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// paymentBody is how somebody wants to pay, and for what (PAY-01, PAY-07).
type paymentBody struct {
	Method  *payment.Method  `json:"pay_method" validate:"required"`
	EndType *payment.EndType `json:"end_type" validate:"required"`
	Extra   paymentExtra     `json:"extra_params"`
	Order   *payment.OrderID `json:"order_id"`
}

type paymentExtra struct {
	App    payment.WalletApp `json:"wallet_app_type"`
	OpenID string            `json:"open_id"`
}

func (b *paymentBody) intent() (payment.Intent, error) {
	method, endType := payment.Method(-1), payment.EndType(-1) // not sent is no choice, rather than the first one
	if b.Method != nil {
		method = *b.Method
	}
	if b.EndType != nil {
		endType = *b.EndType
	}
	return payment.NewIntent(method, endType, b.Extra.App, b.Extra.OpenID)
}

func (b *paymentBody) check() fault.Fields {
	_, err := b.intent()
	return fault.FieldsOf(err)
}

// pay begins a payment. It tells which order was chosen, also when the wallet then
// refuses.
func (a *api) pay(c *call) (reply, error) {
	body, err := read[paymentBody](c)
	if err != nil {
		return reply{}, err
	}
	intent, err := body.intent()
	if err != nil {
		return reply{}, err
	}
	order, err := a.payOrder(c, intent, body.Order)
	if body.Order == nil && order.ID != 0 {
		c.gin.Header("X-Order-ID", strconv.FormatInt(int64(order.ID), 10))
	}
	return reply{}, err // without a wallet there is nothing but errors
}

// payOrder pays the order, or without one the only open order there is. Zero
// is the number of no order.
func (a *api) payOrder(c *call, intent payment.Intent, order *payment.OrderID) (payment.Order, error) {
	switch {
	case order == nil:
		return a.Paying.Pay(c.ctx(), c.actor, intent, 0)
	case *order < 1:
		return payment.Order{}, payment.ErrNoOrder
	}
	return a.Paying.Pay(c.ctx(), c.actor, intent, *order)
}
