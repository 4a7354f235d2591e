package ports

import (
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// assertSpans asserts that the list has the items, the latest first, and that its spans select and order them. at is when an item is.
func assertSpans[T any](w *fixtures, all []T, at func(T) time.Time, list func(page.Span, page.Request) (page.Page[T], error)) {
	w.Helper()
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
			var paged []T
			for after := (page.Cursor{}); ; {
				p, err := list(s, page.Behind(after, 1).Paged())
				require.NoError(w, err)
				if paged, after = append(paged, p.Items...), p.Next; after == (page.Cursor{}) {
					break
				}
			}
			assert.Equal(w, append([]T(nil), want...), paged, "%+v", s)
		}
	}
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
		o := w.charge(order(payer, at))
		w.pays(o.ID, payment.TradeNo(transaction), transaction, at)
		orders = slices.Insert(orders, 0, w.traded(o.ID).Order)
		paid := w.traded(o.ID).Payments[0]
		refunds = slices.Insert(refunds, 0, w.refunds(paid.ID, 10, payment.RefundNo(transaction), at))
		payments = slices.Insert(payments, 0, w.traded(o.ID).Payments[0])
		w.refunds(w.paidOnce("of another "+transaction).ID, 10, payment.RefundNo("of another "+transaction), at)
	}
	w.addUnmatched("stray", noon)
	assert.Equal(w, payer, refunds[0].Payer)
	assertSpans(w, orders, func(o payment.Order) time.Time { return o.Created },
		func(s page.Span, r page.Request) (page.Page[payment.Order], error) {
			return w.Ledger.Orders(w.Context(), payment.OrderFilter{User: payer, Span: s}, r)
		})
	assertSpans(w, payments, func(p payment.Payment) time.Time { return p.Received },
		func(s page.Span, r page.Request) (page.Page[payment.Payment], error) {
			return w.Ledger.Payments(w.Context(), payment.PaymentFilter{User: payer, Span: s}, r)
		})
	assertSpans(w, refunds, func(r payment.Refund) time.Time { return r.Created },
		func(s page.Span, r page.Request) (page.Page[payment.Refund], error) {
			return w.Ledger.Refunds(w.Context(), payment.RefundFilter{User: payer, Span: s}, r)
		})
}

func auditSpans(w *fixtures) {
	staff, ada := w.newUser(), w.newUser()
	var ofStaff, byName []audit.Record
	for i := range 6 {
		r := audit.OnAccount([]audit.Act{audit.AccountExported, audit.AccountDisabled}[i/2%2], ada)
		if r.At, r.By = noon.Add(time.Duration(i)*time.Hour), (audit.Actor{Staff: staff}); i%2 == 0 {
			r.By = audit.Actor{Person: "王丽"}
		}
		stored, err := w.Stores.Audit.Append(w.Context(), r)
		require.NoError(w, err)
		if i%2 == 0 {
			byName = slices.Insert(byName, 0, stored)
		} else {
			ofStaff = slices.Insert(ofStaff, 0, stored)
		}
	}
	assert.Equal(w, []string{w.member(staff).FullName(), w.member(ada).FullName()}, []string{ofStaff[0].ByName, ofStaff[0].AboutName})
	assert.Empty(w, byName[0].ByName)
	for _, c := range []struct {
		query audit.Query
		want  []audit.Record
	}{
		{audit.Query{By: audit.Actor{Staff: staff}}, ofStaff}, {audit.Query{By: audit.Actor{Person: "王丽"}}, byName},
		{
			audit.Query{By: audit.Actor{Staff: staff}, Acts: []audit.Act{audit.AccountExported}, About: ada},
			[]audit.Record{ofStaff[0], ofStaff[2]},
		},
	} {
		at := func(r audit.Record) time.Time { return r.At }
		assertSpans(w, c.want, at, func(s page.Span, r page.Request) (page.Page[audit.Record], error) {
			c.query.Span, c.query.CursorRequest = s, behindOf(r)
			return partOf(w.Stores.Audit.List(w.Context(), c.query))
		})
	}
	require.NoError(w, w.Directory.ChangeProfile(w.Context(), ada, user.ProfileChange{Firstname: new("Renamed")}))
	list, err := w.Stores.Audit.List(w.Context(), audit.Query{By: audit.Actor{Staff: staff}})
	require.NoError(w, err)
	assert.Equal(w, ofStaff, list.Items, "the name of then")
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
		q := moderation.Query{Owner: author, IsDecided: isDecided, IsTurned: !isDecided}
		all := w.cases(q)
		require.Len(w, all, 3)
		at := func(c moderation.Case) time.Time { return time.UnixMicro(c.AtCursor().Rank).UTC() }
		assertSpans(w, all, at, func(s page.Span, r page.Request) (page.Page[moderation.Case], error) {
			q.Span, q.IsTurned, q.CursorRequest = s, s.IsOldestFirst == isDecided, behindOf(r)
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
