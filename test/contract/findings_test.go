package contract

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var findingSales = []sale{
	{"PAY-15 a bill that agrees leaves no finding", billAgrees, everyStore},
	{"PAY-15 staff lists findings by kind, state and day", findingsListed, everyStore},
}

const findings = "/api/pay-admin/v1/finding/"

// billed is the day of the payments of a till.
var billed = payment.DayOf(epoch)

// reconciles passes the time until the wallet has made the bill of the day, and compares it.
func (s *till) reconciles(t *testing.T) []any {
	t.Helper()
	_, over := billed.Bounds()
	if wait := over.Add(payment.BillReady).Sub(s.clock.Now()); wait > 0 {
		s.clock.advance(wait)
	} else {
		s.clock.advance(time.Second) // a comparison is known by when it began
	}
	_, err := s.app.Reconciling.Reconcile(t.Context(), billed)
	require.NoError(t, err)
	return s.staff(t).get(t, findings).is(200).list("data")
}

// refundsPart refunds a part of the payment, which the wallet confirms.
func (s *till) refundsPart(t *testing.T, paid int) {
	t.Helper()
	s.staff(t).post(t, refunds, object{"payment": paid, "amount": 300, "reason": "Cold"}).is(201)
}

func billAgrees(t *testing.T, s *till) {
	_, _, paid := s.bought(t)
	s.refundsPart(t, paid)
	ada, _ := s.sells(t)
	ada.post(t, pay, paymentWith(byCode)).is(200) // it is never paid
	assert.Empty(t, s.reconciles(t))
	assert.NotContains(t, s.log.String(), "needs review")
	assert.Equal(t, 1, s.received(t, "").int("pagination.total_count"))
}

func findingsListed(t *testing.T, s *till) {
	var all []payment.Finding
	for n, kind := range payment.FindingKinds() {
		f := payment.Finding{Day: billed, Kind: kind, TransactionID: fmt.Sprint("t", n), Expected: "1 CNY", Found: "2 CNY"}
		if n%2 == 0 {
			f.Resolved = epoch
		}
		all = append(all, f)
	}
	all[3].Day = billed.Before()
	require.NoError(t, s.app.Stores.Ledger.StoreFindings(t.Context(), epoch, all))
	staff := s.staff(t)
	a := staff.get(t, findings).is(200)
	assert.Equal(t, []any{"t3", "t2", "t1", "t0"}, a.each("data", "transaction_id"), "the newest first")
	a.hasFields("data.0", []string{"id", "day", "kind", "transaction_id", "order", "expected", "found", "resolved_at"})
	for query, want := range map[string][]any{
		"?kind=amount": {"t2"}, "?state=open": {"t3", "t1"}, "?state=resolved": {"t2", "t0"}, "?day=2026-11-19": {"t3"},
		"?state=open&day=2026-11-20": {"t1"}, "?page_size=2&page=2": {"t1", "t0"}, "?day=2026-11-20&kind=unknown_there&state=open": {"t1"},
	} {
		assert.Equal(t, want, staff.get(t, findings+query).is(200).each("data", "transaction_id"), query)
	}
	assert.Empty(t, staff.get(t, findings+"?day=2026-01-01").is(200).list("data"))
	staff.get(t, findings+"?kind=x&state=closed&day=2026-11-31&page=0").invalid("kind", "state", "day", "page")
	staff.get(t, findings+"?page=2").fails(404, "RESOURCE_NOT_FOUND")
	s.member(t).get(t, findings).fails(403, "PERMISSION_DENIED")
	s.anyone().get(t, findings).fails(401, "NOT_AUTHENTICATED")
}
