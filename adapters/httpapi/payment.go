package httpapi

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/backoffice"
	"plaza/application/paying"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/text"
	"plaza/domain/user"
)

// paymentBody is a request to pay an order (PAY-01, PAY-07).
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

// pay begins a payment. The response names the order also when the wallet refuses.
func (a *api) pay(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[paymentBody](c)
	endType := payment.EndType(-1) // an absent one is invalid, not the first choice
	if body.EndType != nil {
		endType = *body.EndType
	}
	intent, err := payment.NewIntent(deref(body.Method), endType, body.Extra.App, body.Extra.OpenID)
	if err := fault.Merge(readErr, err); err != nil {
		return transport.Reply{}, err
	}
	request := paying.PayRequest{Intent: intent, Order: deref(body.Order), Address: c.Address()}
	if body.Order != nil && request.Order < 1 {
		return transport.Reply{}, payment.ErrNoOrder
	}
	request.Key, err = c.IdempotencyKey(func() idempotency.Request { return payment.PayContent(request.Intent, request.Order) }, nil)
	if err != nil {
		return transport.Reply{}, err
	}
	transport.LeaveSlot(c.Context())
	order, params, err := a.Paying.Pay(c.Context(), c.Actor, request)
	if body.Order == nil && order.ID != 0 {
		c.Gin.Header("X-Order-ID", strconv.FormatInt(int64(order.ID), 10))
	}
	if err != nil {
		return transport.Reply{}, err
	}
	return renderClientParams(params), nil
}

// renderClientParams renders the parameters for the payer's kind of terminal. Those for the
// wallet's own browser have no data wrapper (GEN-01).
func renderClientParams(v payment.ClientParams) transport.Reply {
	switch v.EndType {
	case payment.App:
		return transport.Data(appParams{v.Package, v.Timestamp, v.PrepayID, v.AppID, v.PartnerID, v.Nonce, v.Signature})
	case payment.JSAPI:
		return transport.Bare(browserParams{v.AppID, v.Timestamp, v.Nonce, v.Package, v.SignType, v.Signature})
	case payment.H5:
		return transport.Data(webParams{"MWEB", v.MWebURL, v.PrepayID})
	}
	return transport.Data(nativeParams{"NATIVE", v.CodeURL, v.PrepayID})
}

// nativeParams is for a QR code (PAY-02).
type nativeParams struct {
	TradeType string `json:"trade_type"`
	CodeURL   string `json:"code_url"`
	PrepayID  string `json:"prepay_id"`
}

// appParams is for an app (PAY-03).
type appParams struct {
	Package   string `json:"package"`
	Timestamp int64  `json:"timestamp"`
	PrepayID  string `json:"prepayid"`
	AppID     string `json:"appid"`
	PartnerID string `json:"partnerid"`
	Nonce     string `json:"noncestr"`
	Sign      string `json:"sign"`
}

// browserParams is for the wallet's own browser (PAY-04).
type browserParams struct {
	AppID     string `json:"appId"`
	Timestamp int64  `json:"timeStamp"`
	Nonce     string `json:"nonceStr"`
	Package   string `json:"package"`
	SignType  string `json:"signType"`
	PaySign   string `json:"paySign"`
}

// webParams is for another mobile browser (PAY-05).
type webParams struct {
	TradeType string `json:"trade_type"`
	MWebURL   string `json:"mweb_url"`
	PrepayID  string `json:"prepay_id"`
}

// maxNotification is far above the size of any notification (PAY-10).
const maxNotification = 64 << 10

// maxNotificationHeader is far above the size of any header that a wallet signs or names, in bytes.
const maxNotificationHeader = 1024

// notifyOver returns the handler of notifications over the protocol. It passes the wallet's notification on and
// answers in the wallet's format (PAY-10). The signature in the notification authenticates it. The wallet would
// not understand the error envelope. An unreadable or oversized body counts as an empty notification.
func notifyOver(p payment.Protocol) func(*api, *transport.Call) (transport.Reply, error) {
	return func(a *api, c *transport.Call) (transport.Reply, error) {
		r := c.Gin.Request
		raw, err := io.ReadAll(http.MaxBytesReader(transport.Innermost(c.Gin.Writer), r.Body, maxNotification))
		if err != nil {
			raw = nil
		}
		transport.LeaveSlot(c.Context()) // a forged one may make the gateway ask the wallet for its keys
		said, err := a.Paying.Notify(c.Context(), p, payment.Notification{Header: notificationHeader(r.Header), Body: raw})
		if err != nil {
			return transport.Reply{}, err
		}
		answer := transport.Reply{Status: said.Status}
		if len(said.Body) > 0 {
			answer.Content = transport.File{MediaType: said.MediaType, Bytes: said.Body}
		}
		return answer, nil
	}
}

// notifyNamed handles notifications over the protocol that the path names.
func notifyNamed(a *api, c *transport.Call) (transport.Reply, error) {
	reply, err := notifyOver(payment.Protocol(c.Name()))(a, c)
	if errors.Is(err, payment.ErrNoWallet) {
		err = transport.ErrNotFound
	}
	return reply, err
}

// notificationHeader returns the headers of a notification by their names in lower case. It leaves out those that came
// twice and those that are too long: what is signed is then missing.
func notificationHeader(h http.Header) map[string]string {
	found := map[string]string{}
	for name, values := range h {
		if len(values) == 1 && len(values[0]) <= maxNotificationHeader {
			found[strings.ToLower(name)] = values[0]
		}
	}
	return found
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
	of := payment.PaymentID(q.PositiveInt("payment", 0))
	filter := payment.RefundFilter{
		State: transport.Choose(q, "state", payment.RefundStates()...), Payment: of, User: user.ID(q.PositiveInt("user", 0)),
	}
	list := a.BackOffice.Lines(c.Context(), "refunds", backoffice.ListQuery{User: filter.User, State: string(filter.State), Payment: of})
	c.Audited = []any{"state", filter.State, "payment", int64(filter.Payment)}
	return exported(c, q, list, q.Page(), func(s page.Span, r page.Request) (transport.Reply, error) {
		filter.Span = s
		return pageAt(c, q, filter, r, a.Refunding.Refunds, view.OfRefund)
	})
}

func (a *api) listFindings(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	filter := payment.FindingFilter{
		Kind: transport.Choose(q, "kind", payment.FindingKinds()...), State: transport.Choose(q, "state", payment.FindingStates()...),
	}
	c.Audited = []any{"kind", filter.Kind, "state", filter.State}
	if day := billDay(q, "day"); !day.IsZero() {
		q.Values["from"], q.Values["to"] = []string{day.String()}, []string{day.String()}
	}
	return listing(c, q, a.BackOffice.Findings(c.Context(), filter), q.Page(), view.OfFinding)
}

// billDay returns the day in the parameter, or none.
func billDay(q *transport.Query, name string) payment.Day {
	text := q.Text(name)
	if text == "" {
		return payment.Day{}
	}
	day, err := payment.ParseDay(text)
	if err != nil {
		q.Wrong.Add(name, "Enter a day like 2026-11-20.")
	}
	return day
}

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
	return exported(c, q, list, q.Page(), func(s page.Span, r page.Request) (transport.Reply, error) {
		f.Span = s
		return pageAt(c, q, f, r, a.Paying.Orders, view.OfStaffOrder)
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
	return exported(c, q, list, q.Page(), func(s page.Span, r page.Request) (transport.Reply, error) {
		f.Span = s
		return pageAt(c, q, f, r, a.Paying.Payments, view.OfPayment)
	})
}
