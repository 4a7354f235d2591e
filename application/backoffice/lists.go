package backoffice

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Line is a thing in a list of staff: money, or what a person has, wrote or did (OFF-05). What its kind does not have is zero.
type Line struct {
	Kind     audit.Kind
	ID       int64
	Of       int64 // the order of a payment, the payment of a refund, the event of a comment
	State    string
	Act      audit.Act // of a record
	Amount   int64
	Refunded int64
	Currency string
	User     user.ID           // whose it is, or the member of staff who did it
	Name     string            // of the user; empty: there is none, or they were erased
	Reason   moderation.Reason // of a report
	Text     string
	Number   string // of the wallet
	At       time.Time
	Picture  string // its address
}

// InDoubt stands for a state of the orders of which the wallet has not told whether they are paid.
const InDoubt = "in doubt"

// ListQuery selects the lines of a list.
type ListQuery struct {
	User  user.ID  // whose; zero: everyone's, of money
	On    event.ID // what comments are on; zero: any
	State string   // of money; empty: any

	Order       payment.OrderID   // of payments; zero: any
	Payment     payment.PaymentID // of refunds; zero: any
	Transaction string            // of a payment; empty: any
	Actor       access.Actor      // who asks, of acts
	page.Span
}

// lines are money, or what a person has, wrote or did.
var lines = Table[Line]{
	[]string{"kind", "id", "of", "state", "amount", "refunded", "currency", "uid", "name", "text", "wallet_id", "at"},
	func(l Line) [][]any {
		l.Text = strings.TrimSuffix(strings.TrimPrefix(string(l.Reason)+": "+l.Text, ": "), ": ")
		return [][]any{{l.Kind, l.ID, l.Of, l.State, l.Amount, l.Refunded, l.Currency, l.User, l.Name, l.Text, l.Number, l.At}}
	},
}

// lists are the lists by their names.
var lists = map[string]func(*BackOffice, context.Context, ListQuery, page.Request) (page.Page[Line], error){
	"orders": (*BackOffice).orders, "payments": (*BackOffice).payments, "refunds": (*BackOffice).refunds,
	"events": (*BackOffice).events, "comments": (*BackOffice).comments, "images": (*BackOffice).images,
	"reports": (*BackOffice).reports, "cases": (*BackOffice).cases, "hidden": (*BackOffice).hidden,
	"decided": func(b *BackOffice, ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
		q.State = "decided"
		return b.cases(ctx, q, r)
	},
	"sessions": (*BackOffice).sessions, "acts": (*BackOffice).acts,
}

var cases = Table[moderation.Case]{
	[]string{"id", "kind", "object", "owner", "first_reported_at", "last_reported_at", "spam", "abuse", "illegal", "other",
		"decision", "decided_at", "decided_by", "decision_reason"},
	func(c moderation.Case) [][]any {
		row := []any{c.ID, c.Kind, c.Thing.ID, c.Owner, c.First, c.Last}
		for _, reason := range moderation.Reasons() {
			row = append(row, c.People[reason])
		}
		return [][]any{append(row, c.Outcome, c.At, c.By.Name(), c.Decision.Reason)}
	},
}

// Cases returns the reports that the query selects, as read reads them by cursors.
func Cases(q moderation.Query, read func(moderation.Query) (page.CursorPage[moderation.Case], error)) Listing[moderation.Case] {
	l := listing("reports", cases, &q.Span, func(r page.Request) (page.Page[moderation.Case], error) {
		q.CursorRequest = page.Behind(r.After(), r.Size())
		p, err := read(q)
		return partOf(r, p), err
	})
	if !q.IsDecided {
		l.Sorts = OldestFirst
	}
	return l
}

// Lines returns the list with the name, which must be one of them.
func (b *BackOffice) Lines(ctx context.Context, name string, q ListQuery) Listing[Line] {
	l := listing(name, lines, &q.Span, func(r page.Request) (page.Page[Line], error) { return b.List(ctx, name, q, r) })
	if slices.Contains([]string{"orders", "payments", "refunds"}, name) {
		l.Sorts = OfMoney
	}
	return l
}

// List returns a page of the list with the name, which must be one of them. Lists of acts and cases are read by cursors alone.
func (b *BackOffice) List(ctx context.Context, name string, q ListQuery, r page.Request) (page.Page[Line], error) {
	p, err := lists[name](b, ctx, q, r)
	if err == nil {
		p.Items, err = b.named(ctx, p.Items)
	}
	return p, err
}

// named returns the lines with the names of their users.
func (b *BackOffice) named(ctx context.Context, all []Line) ([]Line, error) {
	var ids []user.ID
	for _, l := range all {
		ids = append(ids, l.User)
	}
	names, err := b.Names(ctx, ids...)
	for i, l := range all {
		all[i].Name = cmp.Or(l.Name, names[l.User])
	}
	return all, err
}

func (b *BackOffice) orders(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	f := payment.OrderFilter{User: q.User, State: payment.State(q.State), Span: q.Span}
	if q.State == InDoubt {
		f.State, f.IsInDoubt = "", true
	}
	p, err := b.ports.Ledger.Orders(ctx, f, r)
	return page.Map(p, lineOfOrder), err
}

func lineOfOrder(o payment.Order) Line {
	return Line{
		Kind: audit.Order, ID: int64(o.ID), State: string(o.State), Amount: o.Amount, Currency: o.Currency, User: o.User,
		Text: o.Subject, Number: o.Transaction, At: o.Created,
	}
}

func (b *BackOffice) payments(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	p, err := b.ports.Ledger.Payments(ctx, payment.PaymentFilter{
		User: q.User, State: payment.PaymentState(q.State), Order: q.Order, Transaction: q.Transaction, Span: q.Span,
	}, r)
	if err != nil {
		return page.Page[Line]{}, err
	}
	received, err := payment.WithOrders(ctx, b.ports.Ledger.OrdersOf, p)
	return page.Map(received, func(one payment.Received) Line {
		return Line{
			Kind: audit.Payment, ID: int64(one.ID), Of: int64(one.Order), State: Standing(one.Payment), Amount: one.Amount,
			Refunded: one.Refunded, Currency: one.Currency, User: one.For.User, Text: one.For.Subject, Number: one.TransactionID,
			At: one.Payment.Received,
		}
	}), err
}

// Standing returns the state of a payment for staff. Of one whose refunds were ordered nothing is due any more.
func Standing(p payment.Payment) string {
	if p.State == payment.RefundDue && p.Refunded >= p.Amount {
		return "refunding"
	}
	return string(p.State)
}

func (b *BackOffice) refunds(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	p, err := b.ports.Ledger.Refunds(ctx, payment.RefundFilter{
		User: q.User, State: payment.RefundState(q.State), Payment: q.Payment, Span: q.Span,
	}, r)
	return page.Map(p, func(one payment.Refund) Line {
		return Line{
			Kind: audit.Refund, ID: int64(one.ID), Of: int64(one.Payment), State: string(one.State), Amount: one.Amount,
			Currency: one.Currency, User: one.Payer, Text: one.Reason, Number: one.WalletID, At: one.Created,
		}
	}), err
}

func (b *BackOffice) events(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	p, err := b.ports.Events.Written(ctx, q.User, q.Span, r)
	return page.Map(p, func(s event.State) Line {
		return Line{Kind: audit.Event, ID: int64(s.ID), State: Exposed(s), Text: cmp.Or(s.Title, s.Content), At: s.Created}
	}), err
}

// Exposed returns who sees the event, for staff.
func Exposed(s event.State) string {
	switch {
	case s.IsHidden:
		return "hidden"
	case s.Status == event.Draft:
		return "draft"
	}
	return map[event.Permission]string{event.Contact: "contacts", event.Private: "private"}[s.Permission]
}

func (b *BackOffice) comments(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	p, err := b.ports.Discussion.AllComments(ctx, event.CommentQuery{On: q.On, By: q.User, Span: q.Span}, r)
	return page.Map(p, func(c event.Comment) Line {
		return Line{
			Kind: audit.Comment, ID: int64(c.ID), Of: int64(c.Event), State: hiddenIf(c.Hidden), User: c.Author, Text: c.Content, At: c.Created,
		}
	}), err
}

func hiddenIf(is bool) string { return map[bool]string{true: "hidden"}[is] }

// images lists at most userimage.MaxImages.
func (b *BackOffice) images(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	line := func(i userimage.Image) Line {
		return Line{
			Kind: audit.Image, ID: int64(i.ID), Text: strings.Join(i.Tags.Names(), ", "), At: i.Created, Picture: b.picture(i.Key),
		}
	}
	if q.Span == (page.Span{}) {
		p, err := b.ports.Images.List(ctx, userimage.Query{Owner: q.User}, r)
		return page.Map(p, line), err
	}
	var all []Line
	for i, err := range b.ports.Images.All(ctx, userimage.Query{Owner: q.User}) {
		if err != nil {
			return page.Page[Line]{}, err
		}
		all = append(all, line(i))
	}
	return within(q.Span, all, r)
}

// within returns a page of those of the lines that are in the span, in its order.
func within(s page.Span, all []Line, r page.Request) (page.Page[Line], error) {
	all = slices.DeleteFunc(all, func(l Line) bool { return !s.Has(l.At) })
	key := page.Keys(s, func(l Line) page.Cursor { return page.At(l.At, l.ID) })
	slices.SortFunc(all, func(a, b Line) int { return key(b).Compare(key(a)) })
	return page.Slice(r, all, key)
}

// picture returns the address of the picture in a small size.
func (b *BackOffice) picture(key media.Key) string {
	return media.SizeAt(b.ports.Addresses.Of(key, b.ports.Now()), "sm")
}

func (b *BackOffice) reports(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	p, err := b.ports.Moderation.ReportsBy(ctx, q.User, q.Span, r)
	return page.Map(p, func(one moderation.Report) Line {
		state := string(one.State())
		if one.State() == moderation.Open {
			state = "undecided"
		}
		return Line{
			Kind: audit.Kind(one.Kind), ID: one.Thing.ID, State: state,
			Reason: one.Reason, Text: one.Text, At: one.Created,
		}
	}), err
}

// cases lists the open reports of what is the person's, or the decided ones.
func (b *BackOffice) cases(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	isDecided := q.State == "decided"
	q.IsOldestFirst = !isDecided
	p, err := b.ports.Moderation.Cases(ctx, moderation.Query{
		Owner: q.User, IsDecided: isDecided, Span: q.Span, CursorRequest: page.Behind(r.After(), r.Size()),
	})
	return page.Map(partOf(r, p), func(c moderation.Case) Line {
		return Line{
			Kind: audit.Kind(c.Kind), ID: c.Thing.ID, State: cmp.Or(string(c.Outcome), "undecided"), Text: c.Decision.Reason,
			At: cmp.Or(c.At, c.First),
		}
	}), err
}

func (b *BackOffice) hidden(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	p, err := b.ports.Moderation.Of(ctx, q.User, q.Span, r)
	return page.Map(p, func(h moderation.Hiding) Line {
		return Line{Kind: audit.Kind(h.Kind), ID: h.ID, State: "hidden", Text: h.Reason, At: h.At}
	}), err
}

// sessions lists the keys of the account, of which there are few.
func (b *BackOffice) sessions(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	account, err := b.ports.Accounts.ByID(ctx, q.User)
	if err != nil {
		return page.Page[Line]{}, err
	}
	tokens, err := b.ports.Tokens.OfUsers(ctx, q.User)
	if err != nil {
		return page.Page[Line]{}, err
	}
	var all []Line
	for _, t := range tokens {
		state := "ended"
		if t.IsValid(account, b.ports.Now()) {
			state = "valid"
		}
		all = append(all, Line{Kind: audit.Token, ID: int64(t.ID), State: state, At: t.Created})
	}
	return within(q.Span, all, r)
}

func (b *BackOffice) acts(ctx context.Context, q ListQuery, r page.Request) (page.Page[Line], error) {
	p, err := b.ports.Audit.List(ctx, SeenBy(q.Actor, audit.Query{
		About: q.User, Span: q.Span, CursorRequest: page.Behind(r.After(), r.Size()),
	}))
	return page.Map(partOf(r, p), func(a audit.Record) Line {
		id, _ := strconv.ParseInt(a.Object.ID, 10, 64) // others have no number
		return Line{
			Kind: a.Object.Kind, ID: id, Act: a.Act, User: a.By.Staff, Name: cmp.Or(a.ByName, a.By.Person), Text: a.Reason, At: a.At,
		}
	}), err
}
