package contract

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/adapters/wallet/sandbox"
	"plaza/domain/payment"
)

var polledSales = []sale{
	{"PAY-11 a lost notification is found by asking", lostNotice, everyStore},
	{"PAY-11 payments are listed for the back office", listedPayments, everyStore},
}

// failingSales use a wallet that fails.
var failingSales = []sale{
	{"PAY-13 a wallet that talks nonsense", walletGarbled, oneStore},
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
	assert.Equal(t, []string{"data", "pagination"}, all.names())
	assert.Equal(t, []any{"applied", "disputed", "applied", "disputed", "applied"}, all.each("data", "state"), "the newest first")
	all.hasFields("data.0", []string{"id", "order", "transaction_id", "state", "amount", "currency", "received_at", "refunded", "user",
		"subject"})
	sameJSON(t, pagination(2, 5, 3, 2, 3, 1), staff.get(t, payments+"?page_size=2&page=2").is(200).at("pagination"))
	sameJSON(t, pagination(20, 3, 1, 1, nil, nil), staff.get(t, payments+"?state=applied").is(200).at("pagination"))
	assert.Empty(t, staff.get(t, payments+"?state=refund_due").is(200).list("data"))
	staff.get(t, payments+"?state=paid").invalid("state")
	staff.get(t, payments+"?page=2").fails(404, "RESOURCE_NOT_FOUND")
	staff.get(t, payments+"?page=x&state=y").invalid("page", "state")
	s.member(t).get(t, payments).fails(403, "PERMISSION_DENIED")
	s.anyone().get(t, payments).fails(401, "NOT_AUTHENTICATED")
}

// unharmed asserts that after a failure nothing is charged, the order is open, and the
// same call succeeds when it is repeated, with one trade at the wallet.
func (s *till) unharmed(t *testing.T, ada person, order int) {
	t.Helper()
	ada.stands(t, order, payment.Open)
	assert.Empty(t, s.received(t, "").list("data"))
	ada.post(t, pay, paymentWith(object{"order_id": order})).is(200)
	mine := 0
	for _, trade := range s.box.Ledger() {
		if trade.State != sandbox.Closed {
			mine++
		}
	}
	assert.Equal(t, 1, mine)
	s.hears(t, letter(s.notice(s.isPaid(t), nil), walletKey)).isTaken()
	ada.stands(t, order, payment.Paid)
}

func walletGarbled(t *testing.T, s *till) {
	ada, order := s.sells(t)
	for _, trick := range []sandbox.Trick{sandbox.Garbage, sandbox.Forge} {
		s.misbehaves(t, sandbox.Misbehaviour{On: sandbox.UnifiedOrder, Do: trick})
		ada.post(t, pay, paymentWith(byCode)).fails(502, "GATEWAY_ERROR")
	}
	s.unharmed(t, ada, order)
}
