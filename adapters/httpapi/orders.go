package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/backoffice"
	"plaza/domain/idempotency"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// listOrders returns the caller's orders, the newest first.
func (a *api) listOrders(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	f := payment.OrderFilter{User: c.Actor.ID, State: transport.Choose(q, "state", payment.States()...)}
	return pageOf(c, q, f, a.Paying.Orders, view.OfOrder)
}

// listAllOrders returns the orders of everybody or of one user, the newest first.
func (a *api) listAllOrders(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	w := wanted(c, q, backoffice.Newest)
	f := payment.OrderFilter{User: user.ID(q.PositiveInt("user", 0)), State: transport.Choose(q, "state", payment.States()...), Span: w.Span}
	c.Audited = []any{"state", f.State, "payer", int64(f.User)}
	if w.IsCSV {
		return a.exportedLines(c, q, "orders", backoffice.ListQuery{User: f.User, State: string(f.State), Span: f.Span})
	}
	return pageOf(c, q, f, a.Paying.Orders, view.OfStaffOrder)
}

func (a *api) readOrder(c *transport.Call) (transport.Reply, error) {
	order, err := a.Paying.OwnOrder(c.Context(), c.Actor, payment.OrderID(c.ID))
	return transport.Data(view.OfOrder(order)), err
}

// orderBody is a new order from the back office (PAY-12).
type orderBody struct {
	User      *user.ID `json:"user" validate:"required"`
	Subject   *string  `json:"subject" validate:"required"`
	Amount    *int64   `json:"amount" validate:"required"`
	Currency  *string  `json:"currency"`   // nil: CNY
	ExpiresIn *int64   `json:"expires_in"` // seconds; nil: payment.DefaultLife
}

func (b *orderBody) draft() payment.Draft {
	d := payment.Draft{
		User: deref(b.User), Subject: deref(b.Subject), Amount: deref(b.Amount), Currency: payment.CNY, ExpiresIn: payment.DefaultLife,
	}
	if b.Currency != nil {
		d.Currency = *b.Currency
	}
	if b.ExpiresIn != nil {
		d.ExpiresIn = secondsToDuration(*b.ExpiresIn)
	}
	return d
}

func (a *api) createOrder(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[orderBody](c)
	draft := body.draft()
	key, readErr := c.IdempotencyKey(func() idempotency.Request { return payment.CreateContent(draft) }, readErr)
	made, err := a.Paying.Create(c.Context(), draft, key, readErr)
	if err != nil {
		return transport.Reply{}, err
	}
	c.Audited = []any{"order", int64(made.ID), "payer", int64(made.User)}
	return transport.Created(view.OfOrder(made)), nil
}

func (a *api) listPayments(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	w := wanted(c, q, backoffice.Newest)
	f := payment.PaymentFilter{
		State: transport.Choose(q, "state", payment.PaymentStates()...), User: user.ID(q.PositiveInt("user", 0)),
		Order: payment.OrderID(q.PositiveInt("order", 0)), Transaction: q.Text("transaction_id"), Span: w.Span,
	}
	c.Audited = []any{"state", f.State, "payer", int64(f.User)}
	if w.IsCSV {
		return a.exportedLines(c, q, "payments", backoffice.ListQuery{
			User: f.User, State: string(f.State), Order: f.Order, Transaction: f.Transaction, Span: f.Span,
		})
	}
	return pageOf(c, q, f, a.Paying.Payments, view.OfPayment)
}
