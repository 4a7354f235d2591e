package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/backoffice"
	"plaza/domain/audit"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/text"
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
	f := payment.OrderFilter{User: user.ID(q.PositiveInt("user", 0)), State: transport.Choose(q, "state", payment.States()...)}
	list := a.BackOffice.Lines(c.Context(), "orders", backoffice.ListQuery{User: f.User, State: string(f.State)})
	c.Audited = []any{"state", f.State, "payer", int64(f.User)}
	return exported(c, q, list, func(s page.Span) (transport.Reply, error) {
		f.Span = s
		return pageOf(c, q, f, a.Paying.Orders, view.OfStaffOrder)
	})
}

// lineView is an order, a payment or a person whom a search for money has found (OFF-05). What its kind does not have is null.
type lineView struct {
	Kind        audit.Kind          `json:"kind"`
	ID          int64               `json:"id"`
	Order       *int64              `json:"order"`
	State       *string             `json:"state"`
	Amount      *int64              `json:"amount"`
	Currency    *string             `json:"currency"`
	User        *user.ID            `json:"user"`
	Name        *string             `json:"name"`
	Text        string              `json:"text"`
	Transaction *string             `json:"transaction_id"`
	At          transport.Timestamp `json:"at"`
}

// searchMoney finds money by the number of an order or of the wallet, or by who pays.
func (a *api) searchMoney(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	typed := q.Text("q")
	if typed == "" {
		q.Wrong.Add("q", text.Required)
	}
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	found, err := a.BackOffice.FindMoney(c.Context(), c.Actor, typed)
	return transport.Data(mapSlice(found, func(l backoffice.Line) lineView {
		return lineView{
			l.Kind, l.ID, view.OrNull(l.Of), view.OrNull(l.State), view.OrNull(l.Amount), view.OrNull(l.Currency), view.OrNull(l.User),
			view.OrNull(l.Name), l.Text, view.OrNull(l.Number), transport.Timestamp(l.At),
		}
	})), err
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
	f := payment.PaymentFilter{
		State: transport.Choose(q, "state", payment.PaymentStates()...), User: user.ID(q.PositiveInt("user", 0)),
		Order: payment.OrderID(q.PositiveInt("order", 0)), Transaction: q.Text("transaction_id"),
	}
	list := a.BackOffice.Lines(c.Context(), "payments", backoffice.ListQuery{
		User: f.User, State: string(f.State), Order: f.Order, Transaction: f.Transaction,
	})
	c.Audited = []any{"state", f.State, "payer", int64(f.User)}
	return exported(c, q, list, func(s page.Span) (transport.Reply, error) {
		f.Span = s
		return pageOf(c, q, f, a.Paying.Payments, view.OfPayment)
	})
}
