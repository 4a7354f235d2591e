package httpapi

import (
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
)

// refundView is a refund for the back office (PAY-14).
type refundView struct {
	ID       payment.RefundID    `json:"id"`
	Payment  payment.PaymentID   `json:"payment"`
	Amount   int64               `json:"amount"`
	Currency string              `json:"currency"`
	Reason   string              `json:"reason"`
	State    payment.RefundState `json:"state"`
	WalletID *string             `json:"wallet_refund_id"`
	Created  timestamp           `json:"created_at"`
	Updated  timestamp           `json:"updated_at"`
}

func renderRefund(r payment.Refund) refundView {
	return refundView{
		ID: r.ID, Payment: r.Payment, Amount: r.Amount, Currency: r.Currency, Reason: r.Reason, State: r.State,
		WalletID: optional(r.WalletID, r.WalletID != ""), Created: timestamp(r.Created), Updated: timestamp(r.Updated),
	}
}

// refundBody is an order of a refund from the back office (PAY-14).
type refundBody struct {
	Payment *payment.PaymentID `json:"payment" validate:"required"`
	Amount  *int64             `json:"amount"`
	Reason  *string            `json:"reason" validate:"required"`
}

func (a *api) createRefund(c *call) (reply, error) {
	body, readErr := read[refundBody](c)
	draft := payment.RefundDraft{
		Payment: orZero(body.Payment), Amount: body.Amount, Reason: orZero(body.Reason),
		Origin: payment.RefundByStaff, Staff: c.actor.ID,
	}
	key, readErr := c.idempotencyKey(func() idempotency.Request { return payment.RefundContent(draft) }, readErr)
	leaveSlot(c.ctx())
	refund, err := a.Refunding.Request(c.ctx(), draft, key, readErr)
	c.audited = []any{"payment", int64(draft.Payment)}
	if err != nil {
		return reply{}, err
	}
	c.audited = append(c.audited, "refund", int64(refund.ID), "amount", refund.Amount)
	return created(renderRefund(refund)), nil
}

func (a *api) listRefunds(c *call) (reply, error) {
	q := c.query()
	filter := payment.RefundFilter{State: choose(q, "state", payment.RefundStates()...), Payment: payment.PaymentID(q.positiveInt("payment", 0))}
	request := q.page()
	if err := q.err(); err != nil {
		return reply{}, err
	}
	c.audited = []any{"state", filter.State, "payment", int64(filter.Payment), "page", request.Number()}
	refunds, err := a.Refunding.Refunds(c.ctx(), filter, request)
	if err != nil {
		return reply{}, err
	}
	return paged(page.Map(refunds, renderRefund)), nil
}
