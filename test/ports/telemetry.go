package ports

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/telemetry"
	"plaza/domain/imported"
	"plaza/domain/localisation"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/payment"
)

// Telemetry is the suite of telemetry.Sampler, and of imported.Store.Complete.
func Telemetry(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"payments are counted by state", samplePayments},
		{"open findings are counted by kind, and the last bill that was compared is known", sampleFindings},
		{"the oldest prepayment is that of those alive", samplePrepayments},
		{"the deletion queue is counted, due or not", sampleDeletions},
		{"the spending is the translator's on the day", sampleSpending},
		{"Recent counts open orders, prepayments in doubt, refunds that are processing and reports that are not decided", recentWaiting},
		{"Complete keeps the import that ended last", sampleImport},
	})
}

func (w *fixtures) sample() telemetry.Sample {
	sample, err := w.Telemetry.Sample(w.Context(), telemetry.Query{})
	require.NoError(w, err)
	return sample
}

func (w *fixtures) recent(days ...time.Time) telemetry.Recent {
	recent, err := w.Telemetry.Recent(w.Context(), days)
	require.NoError(w, err)
	return recent
}

func recentWaiting(w *fixtures) {
	who := w.newUser()
	o := w.charge(order(who, noon))
	w.pays(o.ID, "paid", "t", noon)
	doubtful, alive := w.charge(order(who, noon)), w.charge(order(who, noon))
	w.begins(alive.ID, byCode, "alive", noon)
	w.begins(doubtful.ID, byCode, "doubtful", noon)
	assert.Equal(w, telemetry.Recent{OpenOrders: 2, Days: []telemetry.Day{{Day: noon, Joined: 1}}}, w.recent(noon, noon.AddDate(0, 0, 1)))
	w.trade(doubtful.ID, func(t *payment.Trade) { t.RecordFailed("doubtful", payment.ErrWalletTimeout, noon) })
	assert.Equal(w, 1, w.recent(noon, noon.AddDate(0, 0, 1)).InDoubt)
	refund := w.refunds(w.traded(o.ID).Payments[0].ID, 1, "refund-1", noon)
	assert.Equal(w, 1, w.recent(noon, noon.AddDate(0, 0, 1)).Refunds)
	w.refundEnds(refund, payment.RefundSucceeded, noon)
	assert.Zero(w, w.recent(noon, noon.AddDate(0, 0, 1)).Refunds)
	r := w.complain(w.newUser(), moderation.Thing{Kind: moderation.Person, ID: int64(who)}, who)
	assert.Equal(w, 1, w.recent(noon, noon.AddDate(0, 0, 1)).OpenReports)
	_, err := w.Moderation.Decide(w.Context(), r.Case, noon)
	require.NoError(w, err)
	assert.Zero(w, w.recent(noon, noon.AddDate(0, 0, 1)).OpenReports)
}

func samplePayments(w *fixtures) {
	assert.Zero(w, w.sample(), "a store without data")
	who := w.newUser()
	for i := range 3 {
		o := w.charge(order(who, noon))
		no := payment.TradeNo(fmt.Sprint("n", i))
		w.pays(o.ID, no, fmt.Sprint("t", i), noon)
		if i == 0 { // paid twice
			w.trade(o.ID, func(t *payment.Trade) { t.Settle(receiptOf(t.Order, "again", no, noon), noon) })
		}
	}
	w.addUnmatched("a", noon)
	w.addUnmatched("b", noon)
	sample := w.sample()
	assert.Equal(w, 1, sample.RefundDue)
	assert.Equal(w, 2, sample.Disputed)
}

func sampleFindings(w *fixtures) {
	for n, kind := range []payment.FindingKind{payment.FoundAmount, payment.FoundRefund, payment.FoundRefund, payment.FoundUnknownHere,
		payment.FoundUnknownThere, payment.FoundUnknownThere, payment.FoundUnknownThere} {
		f := payment.Finding{Day: billDay, Kind: kind, TransactionID: fmt.Sprint("t", n)}
		if kind == payment.FoundUnknownHere {
			f.Resolved = noon
		}
		w.finds(noon, f)
	}
	assert.Equal(w, map[payment.FindingKind]int{payment.FoundAmount: 1, payment.FoundRefund: 2, payment.FoundUnknownThere: 3},
		w.sample().OpenFindings)
	_, over := nextDay.Bounds()
	assert.True(w, w.claimsDay(nextDay, over))
	assert.Zero(w, w.sample().Reconciled)
	for _, c := range []struct {
		day      payment.Day
		at, want time.Duration
	}{{billDay, time.Hour, time.Hour}, {nextDay, 0, 0}, {billDay, 2 * time.Hour, 0}} {
		require.NoError(w, w.Ledger.EndReconciliation(w.Context(), c.day, noon, over.Add(c.at)))
		assert.Equal(w, over.Add(c.want).UTC(), w.sample().Reconciled)
	}
}

func samplePrepayments(w *fixtures) {
	who := w.newUser()
	w.pays(w.charge(order(who, noon)).ID, "paid", "t", noon)
	assert.Zero(w, w.sample().OldestPrepayment, "none is alive")
	assert.Empty(w, w.sample().OldestProtocol)
	older, newer := w.charge(order(who, noon)), w.charge(order(who, noon))
	w.begins(newer.ID, byCode, "newer", noon.Add(2*time.Minute))
	assert.Equal(w, noon.Add(2*time.Minute), w.sample().OldestPrepayment)
	assert.Equal(w, payment.Protocol("v3"), w.sample().OldestProtocol)
	w.trade(older.ID, func(t *payment.Trade) {
		former := opening(byCode, "older")
		former.Protocol = "v2"
		_, err := t.Begin(former, noon.Add(time.Minute))
		assert.NoError(w, err)
	})
	assert.Equal(w, payment.Protocol("v2"), w.sample().OldestProtocol)
	for name, change := range map[string]func(*payment.Trade){
		"preparing": func(*payment.Trade) {},
		"unknown":   func(t *payment.Trade) { t.RecordFailed("older", payment.ErrWalletTimeout, noon.Add(time.Minute)) },
	} {
		w.trade(older.ID, change)
		assert.Equal(w, noon.Add(time.Minute), w.sample().OldestPrepayment, name)
	}
	w.trade(older.ID, func(t *payment.Trade) { t.RecordFailed("older", payment.ErrWalletClosed, noon.Add(time.Minute)) })
	assert.Equal(w, noon.Add(2*time.Minute), w.sample().OldestPrepayment)
}

func sampleDeletions(w *fixtures) {
	who := w.newUser()
	w.avatar(who, avatarOf("a"))
	assert.Zero(w, w.sample().Deletions)
	w.avatar(who, media.Picture{})
	assert.Equal(w, 2, w.sample().Deletions)
	keys := w.dueDeletions(noon)
	assert.Equal(w, 2, w.sample().Deletions, "they wait until they are done")
	require.NoError(w, w.Deletions.Done(w.Context(), keys[:1]))
	assert.Equal(w, 1, w.sample().Deletions)
	require.NoError(w, w.Deletions.Reserve(w.Context(), media.Reservation{Key: keys[0].Trash(), Until: noon}))
	assert.Equal(w, 1, w.sample().Deletions, "the trash has its time")
}

func sampleSpending(w *fixtures) {
	assert.True(w, w.spends(spending(7), 10))
	for q, want := range map[telemetry.Query]int64{
		{Translator: "pseudo", Day: localisation.DayOf(noon)}:                  7,
		{Translator: "pseudo", Day: localisation.DayOf(noon).AddDate(0, 0, 1)}: 0,
		{Translator: "other", Day: localisation.DayOf(noon)}:                   0,
		{}: 0,
	} {
		sample, err := w.Telemetry.Sample(w.Context(), q)
		require.NoError(w, err)
		assert.Equal(w, want, sample.Spent, "%v", q)
	}
}

func sampleImport(w *fixtures) {
	first := imported.Completion{Began: noon, Ended: noon.Add(time.Minute)}
	later := imported.Completion{Began: noon.Add(-time.Hour), Ended: noon.Add(time.Hour)}
	for _, c := range []struct{ completed, recorded imported.Completion }{{first, first}, {later, later}, {first, later}} {
		require.NoError(w, w.Imports.Complete(w.Context(), c.completed))
		assert.Equal(w, c.recorded, w.sample().Import)
	}
}
