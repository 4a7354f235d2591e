package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
)

// refundBody is an order of a refund from the back office (PAY-14).
type refundBody struct {
	Payment *payment.PaymentID `json:"payment" validate:"required"`
	Amount  *int64             `json:"amount"`
	Reason  *string            `json:"reason" validate:"required"`
}

func (a *api) createRefund(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[refundBody](c)
	draft := payment.RefundDraft{
		Payment: deref(body.Payment), Amount: body.Amount, Reason: deref(body.Reason),
		Origin: payment.RefundByStaff, Staff: c.Actor.ID,
	}
	key, readErr := c.IdempotencyKey(func() idempotency.Request { return payment.RefundContent(draft) }, readErr)
	transport.LeaveSlot(c.Context())
	refund, err := a.Refunding.Request(c.Context(), draft, key, readErr)
	c.Audited = []any{"payment", int64(draft.Payment)}
	if err != nil {
		return transport.Reply{}, err
	}
	c.Audited = append(c.Audited, "refund", int64(refund.ID), "amount", refund.Amount)
	return transport.Created(view.OfRefund(refund)), nil
}

func (a *api) listRefunds(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	of, request := payment.PaymentID(q.PositiveInt("payment", 0)), q.Page()
	filter := payment.RefundFilter{State: transport.Choose(q, "state", payment.RefundStates()...), Payment: of}
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	c.Audited = []any{"state", filter.State, "payment", int64(filter.Payment), "page", request.Number()}
	refunds, err := a.Refunding.Refunds(c.Context(), filter, request)
	return transport.Paged(page.Map(refunds, view.OfRefund)), err
}
