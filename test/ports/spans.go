package ports

import (
	"cmp"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/payment"
)

// assertSpans asserts that the list has the items, the latest first, and that its spans select and order them. at is when an item is.
func assertSpans[T any](w *fixtures, all []T, at func(T) time.Time, list func(page.Span, page.Request) (page.Page[T], error)) {
	reversed := slices.Clone(all)
	slices.Reverse(reversed)
	middle := at(all[1])
	isIn := func(s page.Span, items []T) []T {
		return slices.DeleteFunc(slices.Clone(items), func(item T) bool { return !s.Has(at(item)) })
	}
	for _, s := range []page.Span{
		{}, {From: middle}, {Until: middle}, {From: middle, Until: middle.Add(time.Microsecond)}, {From: noon.AddDate(1, 0, 0)},
	} {
		for isOldestFirst, want := range map[bool][]T{false: isIn(s, all), true: isIn(s, reversed)} {
			s.IsOldestFirst = isOldestFirst
			assert.Equal(w, append([]T(nil), want...), inParts(w, s, list), "%+v", s)
		}
	}
}

// inParts reads the list in parts of one.
func inParts[T any](w *fixtures, s page.Span, list func(page.Span, page.Request) (page.Page[T], error)) (all []T) {
	for after := (page.Cursor{}); ; {
		p, err := list(s, page.Behind(after, 1).Paged())
		require.NoError(w, err)
		if all, after = append(all, p.Items...), p.Next; after == (page.Cursor{}) {
			return all
		}
	}
}

// assertByAmount asserts that the list has the items, which are the latest first, by their amounts.
func assertByAmount[T any](w *fixtures, all []T, amount func(T) int64, list func(page.Span, page.Request) (page.Page[T], error)) {
	want := slices.Clone(all)
	slices.SortStableFunc(want, func(a, b T) int { return cmp.Compare(amount(b), amount(a)) })
	assert.NotEqual(w, all, want)
	s := page.Span{IsByAmount: true}
	assert.Equal(w, want, inParts(w, s, list))
	second, err := list(s, pageNo(2, 2))
	require.NoError(w, err)
	assert.Equal(w, []any{want[2:], len(all)}, []any{second.Items, second.Total})
}

// partOf returns the part of a list behind a cursor as a page.
func partOf[T any](p page.CursorPage[T], err error) (page.Page[T], error) {
	return page.Page[T]{Items: p.Items, Next: p.Next}, err
}

func behindOf(r page.Request) page.CursorRequest { return page.Behind(r.After(), r.Size()) }

func ledgerSpans(w *fixtures) {
	payer := w.newUser()
	var orders []payment.Order
	var payments []payment.Payment
	var refunds []payment.Refund
	for i, transaction := range []string{"first", "second", "third"} {
		at := noon.Add(time.Duration(i) * time.Hour)
		o := order(payer, at)
		o.Amount = []int64{990, 50, 990}[i]
		o = w.charge(o)
		w.pays(o.ID, payment.TradeNo(transaction), transaction, at)
		orders = slices.Insert(orders, 0, w.traded(o.ID).Order)
		paid := w.traded(o.ID).Payments[0]
		refunds = slices.Insert(refunds, 0, w.refunds(paid.ID, o.Amount-40, payment.RefundNo(transaction), at))
		payments = slices.Insert(payments, 0, w.traded(o.ID).Payments[0])
		w.refunds(w.paidOnce("of another "+transaction).ID, 10, payment.RefundNo("of another "+transaction), at)
	}
	w.addUnmatched("stray", noon)
	assert.Equal(w, payer, refunds[0].Payer)
	listOrders := func(s page.Span, r page.Request) (page.Page[payment.Order], error) {
		return w.Ledger.Orders(w.Context(), payment.OrderFilter{User: payer, Span: s}, r)
	}
	assertSpans(w, orders, func(o payment.Order) time.Time { return o.Created }, listOrders)
	assertByAmount(w, orders, func(o payment.Order) int64 { return o.Amount }, listOrders)
	listPayments := func(s page.Span, r page.Request) (page.Page[payment.Payment], error) {
		return w.Ledger.Payments(w.Context(), payment.PaymentFilter{User: payer, Span: s}, r)
	}
	assertSpans(w, payments, func(p payment.Payment) time.Time { return p.Received }, listPayments)
	assertByAmount(w, payments, func(p payment.Payment) int64 { return p.Amount }, listPayments)
	listRefunds := func(s page.Span, r page.Request) (page.Page[payment.Refund], error) {
		return w.Ledger.Refunds(w.Context(), payment.RefundFilter{User: payer, Span: s}, r)
	}
	assertSpans(w, refunds, func(r payment.Refund) time.Time { return r.Created }, listRefunds)
	assertByAmount(w, refunds, func(r payment.Refund) int64 { return r.Amount }, listRefunds)
}

func commentSpans(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	on, elsewhere := w.write(author, noon).ID(), w.write(author, noon).ID()
	first := w.say(on, other, noon, "One")
	second := w.say(elsewhere, other, noon.Add(time.Hour), "Two")
	third := w.say(on, other, noon.Add(2*time.Hour), "Three")
	w.say(elsewhere, author, noon, "Another's")
	w.hide(moderation.Thing{Kind: moderation.Comment, ID: int64(first.ID)}, noon)
	first.Hidden = true
	for q, want := range map[event.CommentQuery][]event.Comment{
		{By: other}: {third, second, first}, {On: on}: {third, first}, {On: on, By: other}: {third, first},
	} {
		at := func(c event.Comment) time.Time { return c.Created }
		assertSpans(w, want, at, func(s page.Span, r page.Request) (page.Page[event.Comment], error) {
			q.Span = s
			return w.Discussion.AllComments(w.Context(), q, r)
		})
	}
}

func caseSpans(w *fixtures) {
	author, other := w.newUser(), w.newUser()
	for i := range 3 {
		of := thing(w.write(author, noon).ID())
		w.complainFor(moderation.Spam, "", w.newUser(), of, author, noon.Add(time.Duration(i)*time.Hour))
		w.complain(w.newUser(), thing(w.write(other, noon).ID()), other)
	}
	for _, isDecided := range []bool{false, true} {
		q := moderation.Query{Owner: author, IsDecided: isDecided}
		all := w.cases(q)
		require.Len(w, all, 3)
		if !isDecided {
			slices.Reverse(all)
		}
		at := func(c moderation.Case) time.Time { return time.UnixMicro(c.AtCursor().Rank).UTC() }
		assertSpans(w, all, at, func(s page.Span, r page.Request) (page.Page[moderation.Case], error) {
			q.Span, q.CursorRequest = s, behindOf(r)
			return partOf(w.Moderation.Cases(w.Context(), q))
		})
		for i, c := range all {
			if !isDecided {
				_, err := w.Moderation.Decide(w.Context(), c.ID, noon.Add(time.Duration(i)*time.Minute))
				require.NoError(w, err)
			}
		}
	}
}

func reportSpans(w *fixtures) {
	author, by := w.newUser(), w.newUser()
	for i := range 3 {
		of, at := thing(w.write(author, noon).ID()), noon.Add(time.Duration(i)*time.Hour)
		w.complainFor(moderation.Spam, "", by, of, author, at)
		w.complain(w.newUser(), of, author)
		w.hide(of, at)
		w.hide(thing(w.write(by, noon).ID()), at)
	}
	reports, err := w.Moderation.ReportsBy(w.Context(), by, page.Span{}, page.Request{})
	require.NoError(w, err)
	assertSpans(w, reports.Items, func(r moderation.Report) time.Time { return r.Created },
		func(s page.Span, r page.Request) (page.Page[moderation.Report], error) {
			return w.Moderation.ReportsBy(w.Context(), by, s, r)
		})
	assertSpans(w, w.hidings(author), func(h moderation.Hiding) time.Time { return h.At },
		func(s page.Span, r page.Request) (page.Page[moderation.Hiding], error) {
			return w.Moderation.Of(w.Context(), author, s, r)
		})
}
