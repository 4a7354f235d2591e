package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/payment"
)

var noticedSales = []sale{
	{"PAY-10 a notification of the wallet pays the order", noticed, everyStore},
	{"NTF-03 the payer is told once that the order is paid", paidIsTold, everyStore},
	{"PAY-10 a forged notification changes nothing and is logged", forgedNotices, oneStore},
	{"PAY-10 what is no notification is not acknowledged", noNotices, oneStore},
	{"PAY-10 a notification that disagrees is disputed", disputes, everyStore},
	{"PAY-10 a payment that failed is nothing to do", nothingPaid, oneStore},
	{"PAY-11 a lost notification is found by asking", lostNotice, everyStore},
	{"PAY-11 payments are listed for the back office", listedPayments, everyStore},
	{"PAY-13 a wallet that talks nonsense", walletGarbled, oneStore},
	{"PAY-15 a bill that agrees leaves no finding", billAgrees, everyStore},
	{"PAY-15 staff lists findings by kind, state and day", findingsListed, everyStore},
}

const payments = "/api/pay-admin/v1/payment/"

func (s *till) received(t *testing.T, query string) answer {
	t.Helper()
	return s.staff(t).get(t, payments+query).is(200)
}

func (s *till) settled(t *testing.T) (person, int, ledger.Trade) {
	t.Helper()
	ada, order := s.sells(t)
	ada.post(t, pay, paymentWith(byCode)).is(200)
	return ada, order, s.isPaid(t)
}

func noticed(t *testing.T, s *till) {
	ada, order, trade := s.settled(t)
	ada.stands(t, order, payment.Open)
	s.clock.advance(time.Second)
	s.hears(t, letter(s.notice(trade, nil), walletKey)).isTaken()
	paid := ada.stands(t, order, payment.Paid)
	assert.Equal(t, trade.TransactionID, paid.text("data.transaction_id"))
	assert.Equal(t, "2026-11-20T12:00:00.000000Z", paid.text("data.paid_at"), "as the wallet says")
	a := s.received(t, "")
	sameJSON(t, []any{object{
		"id": a.int("data.0.id"), "order": order, "transaction_id": trade.TransactionID, "state": "applied", "amount": 990, "currency": "CNY",
		"received_at": "2026-11-20T12:00:01.000000Z", "refunded": 0, "user": ada.id, "subject": "Tea",
	}}, a.at("data"))
	ada.post(t, pay, paymentWith(object{"order_id": order})).fails(409, "CONFLICT")
	ada.post(t, pay, paymentWith(nil)).fails(404, "RESOURCE_NOT_FOUND")
}

func paidIsTold(t *testing.T, s *till) {
	ada, order, trade := s.settled(t)
	assert.Empty(t, ada.get(t, notifications).is(200).list("data"))
	for range 2 {
		s.hears(t, letter(s.notice(trade, nil), walletKey)).isTaken()
		told := ada.get(t, notifications).is(200)
		sameJSON(t, []any{object{
			"id": told.int("data.0.id"), "kind": "order_paid", "subject": object{"kind": "order", "id": order}, "user": nil, "event": nil,
			"comment": nil, "reason": nil, "outcome": nil, "is_read": false, "created_at": "2026-11-20T12:00:00.000000Z",
		}}, told.at("data"))
		assert.Equal(t, 1, told.int("unread_count"))
	}
}

func forgedNotices(t *testing.T, s *till) {
	ada, order, trade := s.settled(t)
	said := s.notice(trade, nil)
	unsigned := "<xml>"
	for name, value := range said {
		unsigned += fmt.Sprintf("<%s>%s</%[1]s>", name, value)
	}
	good := letter(said, walletKey)
	forged := map[string]string{
		"another's key":    letter(said, strings.Repeat("x", 32)),
		"no signature":     unsigned + "</xml>",
		"a changed field":  strings.Replace(good, "[990]", "[99]", 1),
		"another merchant": letter(s.notice(trade, map[string]string{"mch_id": "1900000110"}), walletKey),
		"64 KiB more":      strings.Replace(good, "<xml>", "<xml>"+strings.Repeat(" ", 64<<10), 1),
	}
	for name, text := range forged {
		a := s.hears(t, text)
		assert.NotContains(t, string(a.body), "SUCCESS", name)
		assert.NotContains(t, string(a.body), walletKey, name)
	}
	ada.stands(t, order, payment.Open)
	assert.Empty(t, s.received(t, "").list("data"))
	assert.Equal(t, 1, strings.Count(s.log.String(), "payment notification rejected"), "one line a minute")
	assert.NotContains(t, s.log.String(), walletKey)
}

func noNotices(t *testing.T, s *till) {
	for _, text := range []string{"", "{}", "<xml></xml>", "\x00", "\xff\xfe<xml></xml>", "<xml>" + strings.Repeat("<a>", 10_000)} {
		s.hears(t, text).isNotTaken()
	}
	assert.Empty(t, s.received(t, "").list("data"))
}

func disputes(t *testing.T, s *till) {
	ada, order, trade := s.settled(t)
	text := letter(s.notice(trade, map[string]string{"total_fee": "1"}), walletKey)
	for range 2 {
		s.hears(t, text).isTaken() // it is stored
	}
	ada.stands(t, order, payment.Open)
	a := s.received(t, "?state=disputed").shows(object{
		"0.transaction_id": trade.TransactionID, "0.order": order, "0.amount": 1, // what came, not what we wanted
	})
	assert.Equal(t, 1, a.int("pagination.total_count"))
	assert.Contains(t, s.log.problems(), "unapplied payment needs review")
}

func nothingPaid(t *testing.T, s *till) {
	ada, order, trade := s.settled(t)
	s.hears(t, letter(s.notice(trade, map[string]string{"result_code": "FAIL", "err_code": "SYSTEMERROR"}), walletKey)).isTaken()
	ada.stands(t, order, payment.Open)
	assert.Empty(t, s.received(t, "").list("data"))
}

func lostNotice(t *testing.T, s *till) {
	ada, order, trade := s.settled(t)
	assert.Zero(t, s.tend(t), "not so soon")
	s.clock.advance(30 * time.Second)
	assert.Equal(t, 1, s.tend(t))
	assert.Equal(t, trade.TransactionID, ada.stands(t, order, payment.Paid).text("data.transaction_id"))
	s.clock.advance(24 * time.Hour)
	assert.Zero(t, s.tend(t), "it is final")
	s.hears(t, letter(s.notice(trade, nil), walletKey)).isTaken() // late
	assert.Len(t, s.received(t, "").list("data"), 1)
}

func listedPayments(t *testing.T, s *till) {
	for n := range 5 {
		_, _, trade := s.settled(t)
		change := map[string]string{}
		if n%2 == 1 {
			change["total_fee"] = fmt.Sprint(n)
		}
		s.hears(t, letter(s.notice(trade, change), walletKey)).isTaken()
		s.clock.advance(time.Minute)
	}
	staff := s.staff(t)
	all := staff.get(t, payments).is(200)
	assert.Equal(t, []any{"applied", "disputed", "applied", "disputed", "applied"}, all.each("data", "state"), "the newest first")
	sameJSON(t, pagination(2, 5, 3, 2, 3, 1), staff.get(t, payments+"?page_size=2&page=2").is(200).at("pagination"))
	sameJSON(t, pagination(20, 3, 1, 1, nil, nil), staff.get(t, payments+"?state=applied").is(200).at("pagination"))
	assert.Empty(t, staff.get(t, payments+"?state=refund_due").is(200).list("data"))
	staff.get(t, payments+"?state=paid").invalid("state")
}

func walletGarbled(t *testing.T, s *till) {
	ada, order := s.sells(t)
	for _, trick := range []sandbox.Trick{sandbox.Garbage, sandbox.Forge} {
		s.misbehaves(t, sandbox.Misbehaviour{On: sandbox.UnifiedOrder, Do: trick})
		ada.post(t, pay, paymentWith(byCode)).fails(502, "GATEWAY_ERROR")
	}
	ada.stands(t, order, payment.Open)
	assert.Empty(t, s.received(t, "").list("data"))
	ada.post(t, pay, paymentWith(object{"order_id": order})).is(200)
	assert.Len(t, slices.DeleteFunc(s.box.Trades(), func(trade ledger.Trade) bool { return trade.State == ledger.Closed }), 1)
	s.hears(t, letter(s.notice(s.isPaid(t), nil), walletKey)).isTaken()
	ada.stands(t, order, payment.Paid)
}

const findings = "/api/pay-admin/v1/finding/"

// billed is the day of the payments of a till.
var billed = payment.DayOf(epoch)

func billAgrees(t *testing.T, s *till) {
	_, _, paid := s.bought(t)
	s.staff(t).post(t, refunds, object{"payment": paid, "amount": 300, "reason": "Cold"}).is(201)
	ada, _ := s.sells(t)
	ada.post(t, pay, paymentWith(byCode)).is(200) // it is never paid
	_, over := billed.Bounds()
	s.clock.advance(over.Add(payment.BillReady).Sub(s.clock.Now()))
	_, err := s.app.Reconciling.Reconcile(t.Context(), billed)
	require.NoError(t, err)
	assert.Empty(t, s.staff(t).get(t, findings).is(200).list("data"))
	assert.NotContains(t, s.log.String(), "needs review")
	assert.Equal(t, 1, s.received(t, "").int("pagination.total_count"))
}

func findingsListed(t *testing.T, s *till) {
	var all []payment.Finding
	for n, kind := range payment.FindingKinds() {
		f := payment.Finding{Day: billed, Kind: kind, TransactionID: fmt.Sprint("t", n)}
		f.Expected, f.Found = payment.Detail{Amount: 1, Currency: "CNY"}, payment.Detail{Amount: 2, Currency: "CNY"}
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
	for query, want := range map[string][]any{
		"?kind=amount": {"t2"}, "?state=open": {"t3", "t1"}, "?state=resolved": {"t2", "t0"}, "?day=2026-11-19": {"t3"},
		"?state=open&day=2026-11-20": {"t1"}, "?from=0001-01-01&to=9999-12-31": {"t3", "t2", "t1", "t0"},
		"?page_size=2&page=2": {"t1", "t0"}, "?day=2026-11-20&kind=unknown_there&state=open": {"t1"},
	} {
		assert.Equal(t, want, staff.get(t, findings+query).is(200).each("data", "transaction_id"), query)
	}
	assert.Equal(t, []any{"t3", "t2", "t1", "t0"}, staff.inParts(t, findings+"?state=", "transaction_id"))
	assert.Equal(t, []any{"t1", "t3"}, staff.inParts(t, findings+"?state=open&sort=oldest", "transaction_id"))
	assert.Empty(t, staff.get(t, findings+"?day=2026-01-01").is(200).list("data"))
	staff.get(t, findings+"?kind=x&state=closed&day=2026-11-31&page=0").invalid("kind", "state", "day", "page")
	staff.get(t, findings+"?page=2").fails(404, "RESOURCE_NOT_FOUND")
}
