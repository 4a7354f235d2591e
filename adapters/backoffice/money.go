package backoffice

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/application/backoffice"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// moneyList is a list of payments, orders or refunds in a state, or of findings. Key is the first word of its query.
type moneyList struct {
	Key, Title, List, State string
	Hint                    string
}

// moneyLists are in the order of the links. The first one is shown first, and the last one has findings.
var moneyLists = []moneyList{
	{"due", "To be refunded", "payments", "refund_due",
		"Payments for orders that needed none: most came in twice, or after the order had ended. The money belongs to the payer."},
	{"disputed", "Without a matching order", "payments", "disputed",
		"Payments that do not match their order, or belong to no order. Compare them with the wallet before you refund them."},
	{"abnormal", "Refunds that went wrong", "refunds", "abnormal",
		"The money left and did not arrive, or the wallet contradicts itself. See to these at the wallet."},
	{"processing", "Refunds in progress", "refunds", "processing", "The wallet has these, or is asked again until it has answered."},
	{"applied", "Payments of orders", "payments", "applied", ""},
	{"payments", "All payments", "payments", "", ""},
	{"refunds", "Refunds", "refunds", "", ""},
	{"open", "Open orders", "orders", "open", ""},
	{"unknown", "Without an answer of the wallet", "orders", backoffice.InDoubt,
		"Orders for which the wallet has not told whether they are paid. The server goes on asking."},
	{"paid", "Paid orders", "orders", "paid", ""},
	{"closed", "Closed orders", "orders", "closed", ""},
	{"orders", "All orders", "orders", "", ""},
	{"findings", "Differences from bills", "findings", "",
		"What the wallet’s bill of a day has and the orders here have not, or the other way round. " +
			"Settle one when the wallet and you agree about it."},
}

func (l moneyList) area() access.Area {
	if l.List == "orders" {
		return access.Orders
	}
	return access.Money
}

// moneyListsOf returns the lists that the actor may see.
func moneyListsOf(actor access.Actor) []moneyList {
	return slices.DeleteFunc(slices.Clone(moneyLists), func(l moneyList) bool { return !actor.May(l.area()) })
}

// moneyPage is a list, or what a search has found.
type moneyPage struct {
	listed
	Lines   []backoffice.Line
	Lists   []moneyList
	Current moneyList
	Query   string
	User    user.ID // whose money the lists have; zero: everyone's
	Name    string  // of the user

	Findings []payment.Finding
}

func (s *Site) listMoney(v *visit) (answer, error) {
	lists := moneyListsOf(v.actor)
	at := slices.IndexFunc(moneyLists, func(l moneyList) bool { return l.Key == cmp.Or(v.r.FormValue("list"), lists[0].Key) })
	if at < 0 {
		return answer{}, errNoPage
	}
	list := moneyLists[at]
	if err := v.actor.Enter(list.area()); err != nil {
		return answer{}, err
	}
	if list.List == "findings" {
		return s.listFindings(v)
	}
	p := &moneyPage{Lists: lists, Current: list}
	if uid, err := strconv.ParseInt(v.r.FormValue("user"), 10, 64); err == nil {
		names, err := s.Office.Names(v.r.Context(), user.ID(uid))
		if p.User, p.Name = user.ID(uid), names[user.ID(uid)]; err != nil {
			return answer{}, err
		}
	}
	a := answer{template: "money.html", Title: s.T(list.Title), Section: "money", Body: p}
	found := s.Office.Lines(v.r.Context(), list.List, backoffice.ListQuery{User: p.User, State: list.State})
	return read(v, a, &p.listed, &p.Lines, found, nil, v.field("list", "", ""), v.field("user", "", ""))
}

// searchMoney leads to the one order, payment or person that the text finds, or shows several.
func (s *Site) searchMoney(v *visit) (answer, error) {
	p := moneyPage{Lists: moneyListsOf(v.actor), Query: strings.TrimSpace(v.r.FormValue("q"))}
	a := answer{template: "money.html", Title: s.T("Found"), Section: "money", Body: &p}
	var err error
	if p.Query != "" {
		if p.Lines, err = s.Office.FindMoney(v.r.Context(), v.actor, p.Query); err != nil {
			return v.again(a, err)
		}
	}
	switch len(p.Lines) {
	case 0:
		a.Title, a.status, a.Problem = s.T("Not found"), http.StatusNotFound, s.T("No order, no payment and no person has this number or name.")
	case 1:
		return answer{to: pathFor(v.actor, p.Lines[0])}, nil
	}
	return a, nil
}

// orderPage is an order with its payments and its journal.
type orderPage struct {
	payment.Order
	IsExpired bool
	Payments  []payment.Received
	Journal   []payment.Entry
	MayClose  bool
	Names     map[user.ID]string // of those whom the page names
}

func (s *Site) showOrder(v *visit) (answer, error) {
	body, err := s.order(v, payment.OrderID(v.id))
	body.MayClose = body.State == payment.Open && v.actor.May(access.Ordering)
	return answer{template: "order.html", Title: s.T("Order %d", v.id), Section: "money", Body: body}, err
}

func (s *Site) closeOrder(v *visit) (answer, error) {
	a, err := s.showOrder(v)
	if err != nil {
		return a, err
	}
	order := a.Body.(orderPage).Order
	ctx, err := s.Office.Begin(v.r.Context(), v.record(audit.OrderClosed, audit.Numbered(audit.Order, order.ID), order.User), nil)
	if err == nil {
		err = s.Paying.Close(ctx, order.ID)
	}
	if err != nil {
		return v.again(a, err)
	}
	return answer{to: fmt.Sprintf("money/order/%d/?done=close", order.ID)}, nil
}

func (s *Site) order(v *visit, id payment.OrderID) (o orderPage, err error) {
	if o.Order, err = s.Paying.Order(v.r.Context(), id); err != nil {
		return o, err
	}
	all, _ := page.New(1, page.MaxSize) // both are positive
	received, err := s.Paying.Payments(v.r.Context(), payment.PaymentFilter{Order: id}, all)
	if err != nil {
		return o, err
	}
	o.Payments = received.Items
	o.IsExpired = o.State == payment.Open && !o.IsOpen(time.Now())
	if o.Journal, err = s.Paying.Journal(v.r.Context(), id); err != nil {
		return o, err
	}
	ids := []user.ID{o.User}
	for _, e := range o.Journal {
		ids = append(ids, e.Detail.Staff)
	}
	o.Names, err = s.Office.Names(v.r.Context(), ids...)
	return o, err
}

// paymentPage is a payment with its refunds, and the form of another refund.
type paymentPage struct {
	payment.Received
	Refunds []payment.Refund
	Left    int64 // not refunded
	Form    refundForm
	Names   map[user.ID]string // of those whom the page names
}

// refundForm is the form of a refund. Its once is a random text: a form that is sent twice is one refund.
type refundForm struct {
	Typed     url.Values
	ToConfirm bool
	Draft     payment.RefundDraft
}

func (s *Site) payment(v *visit) (p paymentPage, err error) {
	found, err := s.Paying.Payments(v.r.Context(), payment.PaymentFilter{ID: payment.PaymentID(v.id)}, page.Request{})
	switch {
	case err != nil:
		return p, err
	case len(found.Items) == 0:
		return p, payment.ErrNoPayment
	}
	p.Received = found.Items[0]
	all, _ := page.New(1, page.MaxSize) // both are positive
	refunds, err := s.Refunding.Refunds(v.r.Context(), payment.RefundFilter{Payment: p.ID}, all)
	if p.Refunds, p.Left = refunds.Items, p.Amount-p.Refunded; err != nil {
		return p, err
	}
	ids := []user.ID{p.For.User}
	for _, r := range p.Refunds {
		ids = append(ids, r.Staff)
	}
	p.Names, err = s.Office.Names(v.r.Context(), ids...)
	return p, err
}

func (s *Site) paymentAnswer(p paymentPage) answer {
	return answer{template: "payment.html", Title: s.T("Payment %d", p.ID), Section: "money", Body: p}
}

func (s *Site) showPayment(v *visit) (answer, error) {
	p, err := s.payment(v)
	p.Form.Typed = url.Values{"amount": {plain(p.Left)}, "once": {rand.Text()}}
	query := v.r.URL.Query()
	if len(v.r.PostForm) > 0 {
		p.Form.Typed = v.r.PostForm
	} else if query.Has("amount") && err == nil {
		p.Form.Typed = query
		if p.Form.ToConfirm = !query.Has("change"); p.Form.ToConfirm {
			if err := s.checkRefund(v, &p); err != nil {
				p.Form.ToConfirm = false
				return v.again(s.paymentAnswer(p), err)
			}
		}
	}
	return s.paymentAnswer(p), err
}

// checkRefund makes the draft of the form, or returns what is wrong about it. A form that is sent may be sent again: then the
// first time took what was left.
func (s *Site) checkRefund(v *visit, p *paymentPage) error {
	draft := payment.RefundDraft{Payment: p.ID, Reason: p.Form.Typed.Get("reason"), Origin: payment.RefundByStaff, Staff: v.actor.ID}
	var wrong fault.Fields
	switch amount, isAmount := minorUnits(p.Form.Typed.Get("amount")); {
	case !isAmount || amount < 1:
		wrong.Add("amount", s.T("Enter an amount like 12.50."))
	case amount > p.Left && p.Form.ToConfirm:
		wrong.Add("amount", s.T("At most %s is left of this payment.", sum(p.Currency, p.Left)))
	default:
		draft.Amount = &amount
	}
	p.Form.Draft = draft
	return fault.Merge(wrong.Err(), draft.Check())
}

// plain is an amount as a form has it.
func plain(minor int64) string { return strings.TrimPrefix(sum("CNY", minor), "¥") }

// refund orders a refund, whose form was shown for confirmation.
func (s *Site) refund(v *visit) (answer, error) {
	p, err := s.payment(v)
	if err != nil {
		return answer{}, err
	}
	if p.Form.Typed = v.r.PostForm; p.Form.Typed.Get("once") == "" {
		return answer{}, errForged
	}
	if err := s.checkRefund(v, &p); err != nil {
		return v.again(s.paymentAnswer(p), err)
	}
	draft := p.Form.Draft
	v.audited = []any{"payment", int64(p.ID), "amount", *draft.Amount}
	key, err := idempotency.NewKey(v.actor.ID, "back-office "+p.Form.Typed.Get("once"), payment.RefundContent(draft))
	if err != nil {
		return v.again(s.paymentAnswer(p), err)
	}
	ctx := audit.With(v.r.Context(), v.record(audit.RefundOrdered, audit.Object{Kind: audit.Refund}, 0))
	made, err := s.Refunding.Request(ctx, draft, key, nil)
	if err != nil {
		return v.again(s.paymentAnswer(p), err)
	}
	v.audited = append(v.audited, "refund", int64(made.ID))
	return answer{to: fmt.Sprintf("money/payment/%d/?%s", p.ID, url.Values{"done": {"refund"}}.Encode())}, nil
}

func (s *Site) listFindings(v *visit) (answer, error) {
	body := &moneyPage{Lists: moneyListsOf(v.actor), Current: moneyLists[len(moneyLists)-1]}
	kind := v.field("kind", s.T("What"), "", choices(v, "difference", payment.FindingKinds()...)...)
	state := v.field("state", s.T("State"), "", choices(v, "state", payment.FindingStates()...)[1:]...)
	f := payment.FindingFilter{
		Kind: payment.FindingKind(kind.Value), State: cmp.Or(payment.FindingState(state.Value), payment.FindingOpen),
	}
	a := answer{template: "findings.html", Title: s.T(body.Current.Title), Section: "money", Body: body}
	return read(v, a, &body.listed, &body.Findings, s.Office.Findings(v.r.Context(), f), nil, v.field("list", "", ""), kind, state)
}

// settleFinding makes a difference settled.
func (s *Site) settleFinding(v *visit) (answer, error) {
	a, err := s.listFindings(v)
	if err != nil {
		return a, err
	}
	id, _ := strconv.ParseInt(v.r.PostForm.Get("finding"), 10, 64) // any other text is no finding
	ctx, err := s.Office.Begin(v.r.Context(), v.record(audit.FindingSettled, audit.Numbered(audit.Finding, id), 0), nil)
	if err == nil {
		err = s.Reconciling.Settle(ctx, payment.FindingID(id))
	}
	if err != nil {
		return v.again(a, err)
	}
	return answer{to: "money/?list=findings&done=settle"}, nil
}
