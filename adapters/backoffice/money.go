package backoffice

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/application/paying"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// moneyList is a list of payments, orders or refunds. It is the first word of its query, and the key of its text.
type moneyList struct {
	Key  string
	area access.Area
	load func(*Site, *visit) ([]moneyRow, Pager, error)
}

// moneyLists are in the order of the links. The first one is shown first.
var moneyLists = []moneyList{
	{"due", access.Money, payments(payment.RefundDue)}, {"disputed", access.Money, payments(payment.Disputed)},
	{"abnormal", access.Money, refunds(payment.RefundAbnormal)}, {"processing", access.Money, refunds(payment.RefundProcessing)},
	{"applied", access.Money, payments(payment.Applied)}, {"refunds", access.Money, refunds("")},
	{"open", access.Orders, orders(payment.OrderFilter{State: payment.Open})},
	{"unknown", access.Orders, orders(payment.OrderFilter{IsInDoubt: true})},
	{"paid", access.Orders, orders(payment.OrderFilter{State: payment.Paid})},
	{"closed", access.Orders, orders(payment.OrderFilter{State: payment.Closed})}, {findings, access.Money, nil},
}

// moneyListsOf returns the lists that the actor may see.
func moneyListsOf(actor access.Actor) []moneyList {
	return slices.DeleteFunc(slices.Clone(moneyLists), func(l moneyList) bool { return !actor.May(l.area) })
}

// moneyRow is a payment, an order or a refund in a list.
type moneyRow struct {
	Path, Name string // of its page
	Currency   string
	Amount     int64
	State      string // key of its text
	User       user.ID
	Subject    string
	At         time.Time
	Refunded   int64
}

func payments(state payment.PaymentState) func(*Site, *visit) ([]moneyRow, Pager, error) {
	return func(s *Site, v *visit) ([]moneyRow, Pager, error) {
		p, err := s.Paying.Payments(v.r.Context(), payment.PaymentFilter{State: state}, v.paged())
		rows := page.Map(p, func(one paying.Received) moneyRow {
			return moneyRow{
				Path: fmt.Sprintf("money/payment/%d/", one.ID), Name: fmt.Sprintf(s.texts.Money.Payment, one.ID), Currency: one.Currency,
				Amount: one.Amount,
				State:  standing(one.Payment), User: one.For.User, Subject: one.For.Subject, At: one.Received, Refunded: one.Refunded,
			}
		})
		return rows.Items, pagerOf(v, p), err
	}
}

func orders(f payment.OrderFilter) func(*Site, *visit) ([]moneyRow, Pager, error) {
	return func(s *Site, v *visit) ([]moneyRow, Pager, error) {
		p, err := s.Paying.Orders(v.r.Context(), f, v.paged())
		rows := page.Map(p, func(o payment.Order) moneyRow {
			return moneyRow{
				Path: fmt.Sprintf("money/order/%d/", o.ID), Name: fmt.Sprintf(s.texts.Money.Order, o.ID), Currency: o.Currency, Amount: o.Amount,
				State: string(o.State), User: o.User, Subject: o.Subject, At: o.Created,
			}
		})
		return rows.Items, pagerOf(v, p), err
	}
}

func refunds(state payment.RefundState) func(*Site, *visit) ([]moneyRow, Pager, error) {
	return func(s *Site, v *visit) ([]moneyRow, Pager, error) {
		p, err := s.Refunding.Refunds(v.r.Context(), payment.RefundFilter{State: state}, v.paged())
		rows := page.Map(p, func(r payment.Refund) moneyRow {
			return moneyRow{
				Path: fmt.Sprintf("money/payment/%d/", r.Payment), Name: fmt.Sprintf(s.texts.Money.Refund, r.ID), Currency: r.Currency,
				Amount: r.Amount,
				State:  string(r.State), Subject: r.Reason, At: r.Created,
			}
		})
		return rows.Items, pagerOf(v, p), err
	}
}

// moneyPage is a list, or a search that found nothing.
type moneyPage struct {
	Lists   []moneyList
	Current string
	Rows    []moneyRow
	Pager   Pager
	Query   string

	Findings []payment.Finding
	Settling payment.FindingID // whose form has the reason
	Reason   string
}

func (s *Site) listMoney(v *visit) (answer, error) {
	lists := moneyListsOf(v.actor)
	at := slices.IndexFunc(moneyLists, func(l moneyList) bool { return l.Key == cmp.Or(v.r.FormValue("list"), lists[0].Key) })
	if at < 0 {
		return answer{}, errNoPage
	}
	list := moneyLists[at]
	if err := v.actor.Enter(list.area); err != nil {
		return answer{}, err
	}
	if list.load == nil {
		return s.listFindings(v)
	}
	rows, pager, err := list.load(s, v)
	return answer{template: "money.html", title: s.texts.Money.Lists[list.Key], section: "money",
		body: moneyPage{Lists: lists, Current: list.Key, Rows: rows, Pager: pager}}, err
}

// searchMoney leads to the order with the number, or to the payment with the number of the wallet.
func (s *Site) searchMoney(v *visit) (answer, error) {
	query := strings.TrimSpace(v.r.FormValue("q"))
	if id, err := strconv.ParseInt(strings.TrimPrefix(query, "#"), 10, 64); err == nil {
		order, err := s.Paying.Order(v.r.Context(), payment.OrderID(id))
		if err == nil {
			return answer{to: fmt.Sprintf("money/order/%d/", order.ID)}, nil
		}
		if !fault.Is(err, fault.NotFound) {
			return answer{}, err
		}
	}
	if query != "" && v.actor.May(access.Money) {
		found, err := s.Paying.Payments(v.r.Context(), payment.PaymentFilter{Transaction: query}, page.Request{})
		if err != nil {
			return answer{}, err
		}
		for _, one := range found.Items {
			return answer{to: fmt.Sprintf("money/payment/%d/", one.ID)}, nil
		}
	}
	return answer{
		template: "money.html", title: s.texts.Money.NotFound, section: "money", status: statuses[fault.NotFound],
		body: moneyPage{Lists: moneyListsOf(v.actor), Query: query}, problem: s.texts.Money.NothingFound,
	}, nil
}

// orderPage is an order with its payments and its journal.
type orderPage struct {
	payment.Order
	IsExpired bool
	Payments  []paying.Received
	Journal   []payment.Entry
	MayClose  bool
	Reason    string // to close it, as it was entered
}

func (s *Site) showOrder(v *visit) (answer, error) {
	id, err := v.id()
	if err != nil {
		return answer{}, err
	}
	body, err := s.order(v, payment.OrderID(id))
	body.MayClose, body.Reason = body.State == payment.Open && v.actor.May(access.Ordering), v.r.PostFormValue("reason")
	if typed := v.typed(); typed != nil {
		body.Reason = typed.Get("reason")
	}
	return answer{template: "order.html", title: fmt.Sprintf(s.texts.Money.Order, id), section: "money", body: body}, err
}

// closeOrder closes an open order.
func (s *Site) closeOrder(v *visit) (answer, error) {
	a, err := s.showOrder(v)
	if err != nil {
		return a, err
	}
	order := a.body.(orderPage).Order
	ctx, err := s.Office.Begin(v.r.Context(), audit.Record{
		By: audit.Actor{Staff: v.actor.ID}, Act: audit.OrderClosed, Object: audit.Numbered(audit.Order, order.ID), About: order.User,
		Reason: v.r.PostFormValue("reason"),
	}, nil)
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
	o.Journal, err = s.Paying.Journal(v.r.Context(), id)
	return o, err
}

// paymentPage is a payment with its refunds, and the form of another refund.
type paymentPage struct {
	paying.Received
	Refunds []payment.Refund
	Left    int64 // not refunded
	Form    refundForm
}

// refundForm is the form of a refund. Once is a random text: a form that is sent twice is one refund.
type refundForm struct {
	Amount, Reason, Once string
	ToConfirm            bool
	Draft                payment.RefundDraft
}

// refundFormOf returns the form as it was entered.
func refundFormOf(form url.Values) refundForm {
	return refundForm{Amount: form.Get("amount"), Reason: form.Get("reason"), Once: form.Get("once")}
}

func (s *Site) payment(v *visit) (p paymentPage, err error) {
	id, err := v.id()
	if err != nil {
		return p, err
	}
	found, err := s.Paying.Payments(v.r.Context(), payment.PaymentFilter{ID: payment.PaymentID(id)}, page.Request{})
	switch {
	case err != nil:
		return p, err
	case len(found.Items) == 0:
		return p, payment.ErrNoPayment
	}
	p.Received = found.Items[0]
	all, _ := page.New(1, page.MaxSize) // both are positive
	refunds, err := s.Refunding.Refunds(v.r.Context(), payment.RefundFilter{Payment: p.ID}, all)
	p.Refunds, p.Left = refunds.Items, p.Amount-p.Refunded
	return p, err
}

func (s *Site) paymentAnswer(p paymentPage) answer {
	return answer{template: "payment.html", title: fmt.Sprintf(s.texts.Money.Payment, p.ID), section: "money", body: p}
}

func (s *Site) showPayment(v *visit) (answer, error) {
	p, err := s.payment(v)
	p.Form = refundForm{Amount: plain(p.Left), Once: rand.Text()}
	query := v.r.URL.Query()
	if typed := v.typed(); typed != nil {
		p.Form = refundFormOf(typed)
	} else if query.Has("amount") && err == nil {
		p.Form = refundFormOf(query)
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
	draft := payment.RefundDraft{Payment: p.ID, Reason: p.Form.Reason, Origin: payment.RefundByStaff, Staff: v.actor.ID}
	var wrong fault.Fields
	switch amount, isAmount := minorUnits(p.Form.Amount); {
	case !isAmount || amount < 1:
		wrong.Add("amount", s.texts.Money.NoAmount)
	case amount > p.Left && p.Form.ToConfirm:
		wrong.Add("amount", fmt.Sprintf(s.texts.Money.TooMuch, sum(p.Currency, p.Left)))
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
	p.Form = refundFormOf(v.r.PostForm)
	if p.Form.Once == "" {
		return answer{}, errForged
	}
	if err := s.checkRefund(v, &p); err != nil {
		return v.again(s.paymentAnswer(p), err)
	}
	draft := p.Form.Draft
	v.audited = []any{"payment", int64(p.ID), "amount", *draft.Amount}
	key, err := idempotency.NewKey(v.actor.ID, "back-office "+p.Form.Once, payment.RefundContent(draft))
	if err != nil {
		return v.again(s.paymentAnswer(p), err)
	}
	made, err := s.Refunding.Request(audit.With(v.r.Context(), audit.Record{
		At: time.Now(), By: audit.Actor{Staff: v.actor.ID}, Act: audit.RefundOrdered, Object: audit.Object{Kind: audit.Refund},
	}), draft, key, nil)
	if err != nil {
		return v.again(s.paymentAnswer(p), err)
	}
	v.audited = append(v.audited, "refund", int64(made.ID))
	return answer{to: fmt.Sprintf("money/payment/%d/?%s", p.ID, url.Values{"done": {"refund"}}.Encode())}, nil
}
