package httpapi

import (
	"plaza/adapters/httpapi/transport"
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
	Created  transport.Timestamp `json:"created_at"`
	Updated  transport.Timestamp `json:"updated_at"`
}

func renderRefund(r payment.Refund) refundView {
	return refundView{
		ID: r.ID, Payment: r.Payment, Amount: r.Amount, Currency: r.Currency, Reason: r.Reason, State: r.State,
		WalletID: transport.Optional(r.WalletID, r.WalletID != ""), Created: transport.Timestamp(r.Created), Updated: transport.Timestamp(r.Updated),
	}
}

// refundBody is an order of a refund from the back office (PAY-14).
type refundBody struct {
	Payment *payment.PaymentID `json:"payment" validate:"required"`
	Amount  *int64             `json:"amount"`
	Reason  *string            `json:"reason" validate:"required"`
}

func (a *api) createRefund(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[refundBody](c)
	draft := payment.RefundDraft{
		Payment: orZero(body.Payment), Amount: body.Amount, Reason: orZero(body.Reason),
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
	return transport.Created(renderRefund(refund)), nil
}

func (a *api) listRefunds(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	filter := payment.RefundFilter{State: transport.Choose(q, "state", payment.RefundStates()...), Payment: payment.PaymentID(q.PositiveInt("payment", 0))}
	request := q.Page()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	c.Audited = []any{"state", filter.State, "payment", int64(filter.Payment), "page", request.Number()}
	refunds, err := a.Refunding.Refunds(c.Context(), filter, request)
	if err != nil {
		return transport.Reply{}, err
	}
	return transport.Paged(page.Map(refunds, renderRefund)), nil
}
