package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/domain/payment"
)

var noticedSales = []sale{
	{"PAY-10 a notification of the wallet pays the order", noticed, everyStore},
	{"PAY-10 a forged notification changes nothing and is logged", forgedNotices, oneStore},
	{"PAY-10 what is no notification is not acknowledged", noNotices, oneStore},
	{"PAY-10 a notification that disagrees is disputed", disputes, everyStore},
	{"PAY-10 money for no order that we know is disputed", unmatchedPayments, everyStore},
	{"PAY-10 a payment that failed is nothing to do", nothingPaid, oneStore},
	{"PAY-10 the sandbox notifies by itself", notifiedBySandbox, oneStore},
}

const payments = "/api/pay-admin/v1/payment/"

// received are the payments as the back office lists them.
func (s *till) received(t *testing.T, query string) answer {
	t.Helper()
	return s.staff(t).get(t, payments+query).is(200)
}

// settled is a user whose order was paid at the wallet, which has not notified of it.
func (s *till) settled(t *testing.T) (person, int, sandbox.Trade) {
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
		"id": a.int("data.0.id"), "order": order, "transaction_id": trade.TransactionID, "state": "applied", "amount": 990,
		"currency": "CNY", "received_at": "2026-11-20T12:00:01.000000Z", "refunded": 0,
		"user": ada.id, "subject": "Tea",
	}}, a.at("data"))
	ada.post(t, pay, paymentWith(object{"order_id": order})).fails(409, "CONFLICT")
	ada.post(t, pay, paymentWith(nil)).fails(404, "RESOURCE_NOT_FOUND")
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
		"no key":           letter(said, ""),
		"no signature":     unsigned + "</xml>",
		"a changed field":  strings.Replace(good, "[990]", "[99]", 1),
		"one field more":   strings.Replace(good, "<xml>", "<xml><attach>x</attach>", 1),
		"another merchant": letter(s.notice(trade, map[string]string{"mch_id": "1900000110"}), walletKey),
		"MD5 by no key":    letter(s.notice(trade, map[string]string{"sign_type": "MD5"}), ""),
		"MD5 said alone":   strings.Replace(good, "HMAC-SHA256", "MD5", 1),
		"64 KiB more":      strings.Replace(good, "<xml>", "<xml>"+strings.Repeat(" ", 64<<10), 1),
	}
	for name, text := range forged {
		require.NotEqual(t, good, text, name)
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
	for _, text := range []string{
		"", " ", "{}", `{"return_code": "SUCCESS"}`, "<xml>", "<xml></xml>", "<xml/>", "\x00", "\xff\xfe<xml></xml>", "null",
		"<html><body>Bad Gateway</body></html>", "<xml>" + strings.Repeat("<a>", 10_000), "<xml>" + strings.Repeat("x", 64<<10) + "</xml>",
		strings.Repeat("<!-- -->", 100_000),
	} {
		s.hears(t, text).isNotTaken()
	}
	s.anyone().get(t, notify).fails(405, "METHOD_NOT_ALLOWED")
	assert.Empty(t, s.received(t, "").list("data"))
}

func disputes(t *testing.T, s *till) {
	for name, change := range map[string]map[string]string{
		"amount":      {"total_fee": "1"},
		"currency":    {"fee_type": "USD"},
		"application": {"appid": svcAppID},
		"stranger":    {"appid": "wx9999999999999999"},
	} {
		ada, order, trade := s.settled(t)
		text := letter(s.notice(trade, change), walletKey)
		s.hears(t, text).isTaken() // it is stored
		s.hears(t, text).isTaken()
		ada.stands(t, order, payment.Open)
		a := s.received(t, "?state=disputed&page_size=1")
		assert.Equal(t, trade.TransactionID, a.text("data.0.transaction_id"), name)
		assert.Equal(t, order, a.int("data.0.order"), name)
		if name == "amount" {
			assert.Equal(t, 1, a.int("data.0.amount"), "what came, not what we wanted")
		}
		if name == "currency" {
			assert.Equal(t, "USD", a.text("data.0.currency"))
		}
		s.clock.advance(time.Second)
	}
	assert.Equal(t, 4, s.received(t, "").int("pagination.total_count"))
	assert.Contains(t, s.log.problems(), "unapplied payment needs review")
}

func unmatchedPayments(t *testing.T, s *till) {
	_, _, trade := s.settled(t)
	trade.OutTradeNo, trade.TransactionID = "nobodys-number", "4200000000202611200000000009"
	text := letter(s.notice(trade, nil), walletKey)
	s.hears(t, text).isTaken()
	s.hears(t, text).isTaken()
	a := s.received(t, "?state=disputed")
	require.Equal(t, 1, a.int("pagination.total_count"))
	assert.Nil(t, a.at("data.0.order"))
}

func nothingPaid(t *testing.T, s *till) {
	ada, order, trade := s.settled(t)
	s.hears(t, letter(s.notice(trade, map[string]string{"result_code": "FAIL", "err_code": "SYSTEMERROR"}), walletKey)).isTaken()
	ada.stands(t, order, payment.Open)
	assert.Empty(t, s.received(t, "").list("data"))
}

// notifiedBySandbox has the wallet's side send what it sends: late, twice at once, and
// the later payment first.
func notifiedBySandbox(t *testing.T, s *till) {
	ran := make(chan error, 1)
	go func() { ran <- s.box.Run(t.Context()) }()
	t.Cleanup(func() { assert.NoError(t, <-ran) })
	ada, first, _ := s.settled(t)
	s.misbehaves(t, sandbox.Misbehaviour{On: sandbox.Notify, Do: sandbox.Repeat, Copies: 5})
	bob, second, _ := s.settled(t)
	for _, of := range []struct {
		who   person
		order int
	}{{ada, first}, {bob, second}} {
		path := fmt.Sprintf("%s%d/", ownOrders, of.order)
		require.Eventually(t, func() bool { return of.who.get(t, path).is(200).text("data.state") == "paid" },
			20*time.Second, 20*time.Millisecond, "the sandbox sent no notification")
	}
	assert.Equal(t, []any{"applied", "applied"}, s.received(t, "").each("data", "state"))
}
