package ports

import (
	"fmt"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var ledgerFindings = []promise{
	{"EntriesOf returns the payments and refunds of the lines, and no others", entriesOf},
	{"PaymentsPaid returns payments in the order in which they were paid, from the cursor on", paymentsPaid},
	{"RefundsSent returns refunds that the wallet has confirmed, in the order in which they were sent", refundsSent},
	{"StoreFindings stores a finding once, with what the last comparison has found", storeFindings},
	{"EndReconciliation resolves what no comparison has found since it began", endReconciliation},
	{"ClaimReconciliation gives a day to one caller, until it is completed", claimReconciliation},
	{"ClaimReconciliation never gives a day to two callers at once", claimReconciliationAtOnce},
}

var (
	billDay  = payment.DayOf(time.Date(2026, time.March, 13, 12, 0, 0, 0, payment.Beijing))
	nextDay  = payment.DayOf(time.Date(2026, time.March, 14, 12, 0, 0, 0, payment.Beijing))
	anyCount = 100
)

// strayAt stores a payment without an order that was made and received at these times.
func (w *fixtures) strayAt(transaction string, paid, received time.Time) payment.Payment {
	p, err := w.Ledger.AddUnmatched(w.Context(), payment.Payment{
		TransactionID: transaction, TradeNo: "of no order", Protocol: payment.Protocol("v3"), App: payment.OfficialAccount,
		State: payment.Disputed, Amount: 990,
		Currency: "CNY", Received: received, Paid: paid,
	})
	require.NoError(w, err)
	return p
}

func entriesOf(w *fixtures) {
	paid, other := w.paidOnce("t1"), w.paidOnce("t2")
	w.paidOnce("t3")
	back := w.refunds(paid.ID, 300, "refund-1", noon)
	w.refunds(paid.ID, 100, "refund-2", noon.Add(time.Second))
	mine, others := w.refundAccount(paid.ID).Payment, w.refundAccount(other.ID).Payment
	for _, c := range []struct {
		lines []payment.BillLine
		want  []payment.LedgerEntry
	}{
		{nil, nil},
		{[]payment.BillLine{{TransactionID: "t9"}, {TransactionID: ""}, {TransactionID: "t9", RefundNo: "refund-9"}}, nil},
		{[]payment.BillLine{{TransactionID: "t1"}, {TransactionID: "t2"}, {TransactionID: "t1"}},
			[]payment.LedgerEntry{{Payment: mine}, {Payment: others}}},
		{[]payment.BillLine{{TransactionID: "t1", RefundNo: "refund-1"}}, []payment.LedgerEntry{{Payment: mine}, {Payment: mine, Refund: back}}},
		{[]payment.BillLine{{TransactionID: "t2", RefundNo: "refund-1"}}, []payment.LedgerEntry{{Payment: others},
			{Payment: mine, Refund: back}}},
	} {
		got, err := w.Ledger.EntriesOf(w.Context(), c.lines)
		require.NoError(w, err)
		assert.ElementsMatch(w, c.want, got)
	}
}

// walk reads all entries, limit at a time.
func (w *fixtures) walk(
	read func(after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error), from, until time.Time, limit int,
) (all []payment.LedgerEntry) {
	for after := (payment.Cursor{At: from}); ; after = all[len(all)-1].Cursor() {
		some, err := read(after, until, limit)
		require.NoError(w, err)
		require.LessOrEqual(w, len(some), limit)
		if len(some) == 0 {
			return all
		}
		all = append(all, some...)
		require.Less(w, len(all), anyCount, "an entry comes again")
	}
}

func paymentsPaid(w *fixtures) {
	read := func(after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
		return w.Ledger.PaymentsPaid(w.Context(), after, until, limit)
	}
	var want []payment.LedgerEntry
	w.strayAt("before", noon.Add(-time.Microsecond), noon)
	w.strayAt("end", noon.Add(time.Hour), noon)
	for n, at := range []time.Duration{0, time.Second, time.Second, time.Second, time.Hour - time.Microsecond} {
		p := w.strayAt(fmt.Sprint("t", n), noon.Add(at), noon.Add(2*time.Hour))
		want = append(want, payment.LedgerEntry{Payment: p})
	}
	older := w.strayAt("older", time.Time{}, noon.Add(time.Minute))
	assert.Zero(w, older.Paid)
	want = slices.Insert(want, 4, payment.LedgerEntry{Payment: older})
	for limit := 1; limit <= len(want)+1; limit++ {
		assert.Equal(w, want, w.walk(read, noon, noon.Add(time.Hour), limit), limit)
	}
	assert.Empty(w, w.walk(read, noon, noon.Add(time.Hour), 0))
}

func refundsSent(w *fixtures) {
	read := func(after payment.Cursor, until time.Time, limit int) ([]payment.LedgerEntry, error) {
		return w.Ledger.RefundsSent(w.Context(), after, until, limit)
	}
	var want []payment.LedgerEntry
	for n, at := range []time.Duration{-time.Microsecond, 0, time.Second, time.Second, time.Hour} {
		paid := w.paidOnce(fmt.Sprint("t", n))
		no := payment.RefundNo(fmt.Sprint("refund-", n))
		w.refunds(paid.ID, 300, no, noon.Add(at))
		w.refunding(paid.ID, func(a *payment.RefundAccount) {
			_, isSent := a.BeginSending(no, time.Minute, noon.Add(at))
			require.True(w, isSent)
		})
		if n != 2 { // the wallet has not confirmed this one
			w.refundEnds(w.refundAccount(paid.ID).Refunds[0], payment.RefundProcessing, noon.Add(at))
		}
		if n == 1 || n == 3 {
			a := w.refundAccount(paid.ID)
			want = append(want, payment.LedgerEntry{Payment: a.Payment, Refund: a.Refunds[0]})
		}
	}
	for limit := 1; limit <= 3; limit++ {
		assert.Equal(w, want, w.walk(read, noon, noon.Add(time.Hour), limit), limit)
	}
	assert.Empty(w, w.walk(read, noon, noon.Add(time.Hour), 0))
}

func (w *fixtures) finds(began time.Time, all ...payment.Finding) {
	require.NoError(w, w.Ledger.StoreFindings(w.Context(), began, all))
}

func (w *fixtures) findings(f payment.FindingFilter) []payment.Finding {
	p, err := w.Ledger.Findings(w.Context(), f, pageNo(1, anyCount))
	require.NoError(w, err)
	assert.Equal(w, len(p.Items), p.Total)
	return p.Items
}

// unnumbered returns the findings without their numbers, which must be descending.
func (w *fixtures) unnumbered(all []payment.Finding) []payment.Finding {
	all = append([]payment.Finding{}, all...)
	last := payment.FindingID(1 << 62)
	for n := range all {
		assert.Less(w, all[n].ID, last)
		assert.Positive(w, all[n].ID)
		last, all[n].ID = all[n].ID, 0
	}
	return all
}

func storeFindings(w *fixtures) {
	o := w.charge(order(w.newUser(), noon))
	detail := payment.Detail{Line: 7, Number: "'% 茶", Amount: -1, Currency: "CNY", By: "<app>", Of: "t1", Staff: 5, Note: "\""}
	one := payment.Finding{Day: billDay, Kind: payment.FoundRefund, TransactionID: "t1", RefundNo: "refund-1", Expected: detail, Found: detail}
	others := []payment.Finding{one, one, one, one}
	others[0].Day, others[1].Kind, others[2].TransactionID, others[3].RefundNo = nextDay, payment.FoundAmount, "t2", ""
	w.finds(noon)
	assert.Empty(w, w.findings(payment.FindingFilter{}))
	w.finds(noon, one)
	first := w.findings(payment.FindingFilter{})
	assert.Equal(w, []payment.Finding{one}, w.unnumbered(first))
	w.finds(noon, others...)
	assert.ElementsMatch(w, append(others, one), w.unnumbered(w.findings(payment.FindingFilter{})))

	one.Order, one.Expected, one.Found, one.Resolved = o.ID, payment.Detail{}, payment.Detail{Note: "301"}, noon.Add(time.Microsecond)
	w.finds(noon.Add(time.Second), one)
	all := w.findings(payment.FindingFilter{})
	require.Len(w, all, 5)
	one.ID = first[0].ID
	assert.Equal(w, one, all[4])
	assertComplete(w, all)
	one.Resolved = time.Time{}
	w.finds(noon.Add(time.Second), one)
	assert.Equal(w, one, w.findings(payment.FindingFilter{})[4], "it is open again")
}

func endReconciliation(w *fixtures) {
	began := noon.Add(time.Minute)
	find := func(transaction string, at time.Time, change func(*payment.Finding)) {
		f := payment.Finding{Day: billDay, Kind: payment.FoundAmount, TransactionID: transaction}
		if change != nil {
			change(&f)
		}
		w.finds(at, f)
	}
	find("gone", noon, nil)
	find("stays", began, nil)
	find("was found by a later one", began.Add(time.Second), nil)
	find("was found by a later one", noon, nil)
	find("another day", noon, func(f *payment.Finding) { f.Day = nextDay })
	find("was resolved", noon, func(f *payment.Finding) { f.Resolved = noon })
	require.NoError(w, w.Ledger.EndReconciliation(w.Context(), billDay, began, noon.Add(time.Hour)))
	resolved := map[string]time.Time{}
	for _, f := range w.findings(payment.FindingFilter{}) {
		resolved[f.TransactionID] = f.Resolved
	}
	assert.Equal(w, map[string]time.Time{
		"gone": noon.Add(time.Hour), "stays": {}, "was found by a later one": {}, "another day": {}, "was resolved": noon,
	}, resolved)
}

func (w *fixtures) claimsDay(d payment.Day, now time.Time) bool {
	isMine, err := w.Ledger.ClaimReconciliation(w.Context(), d, now, now.Add(time.Hour))
	require.NoError(w, err)
	return isMine
}

func claimReconciliation(w *fixtures) {
	ends := func(d payment.Day, now time.Time) {
		require.NoError(w, w.Ledger.EndReconciliation(w.Context(), d, now, now))
	}
	_, over := billDay.Bounds()
	assert.True(w, w.claimsDay(billDay, over))
	assert.False(w, w.claimsDay(billDay, over.Add(time.Hour-time.Microsecond)))
	assert.True(w, w.claimsDay(nextDay, over), "another day")
	assert.True(w, w.claimsDay(billDay, over.Add(time.Hour)), "the lease has ended")
	ends(billDay, over.Add(-time.Microsecond))
	assert.True(w, w.claimsDay(billDay, over.Add(2*time.Hour)), "the day was not over")
	ends(billDay, over)
	assert.False(w, w.claimsDay(billDay, over.Add(240*time.Hour)))
	ends(billDay, over.Add(time.Hour))
	assert.False(w, w.claimsDay(billDay, over.Add(240*time.Hour)))
	unclaimed := payment.Day{Date: nextDay.AddDays(1)}
	ends(unclaimed, over.Add(240*time.Hour))
	assert.False(w, w.claimsDay(unclaimed, over.Add(240*time.Hour)))
}

func claimReconciliationAtOnce(w *fixtures) {
	assertOneWins(w, atOnce(many, func(int) error {
		isMine, err := w.Ledger.ClaimReconciliation(w.Context(), billDay, noon, noon.Add(time.Hour))
		if err == nil && !isMine {
			return errBoom
		}
		return err
	}), errBoom)
}
