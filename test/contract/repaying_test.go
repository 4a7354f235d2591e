package contract

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/payment"
)

var repeatedSales = []sale{
	{"PAY-09 the same way to pay finds the same prepayment", sameAgain, everyStore},
	{"PAY-09 calls at once make one prepayment", paidAtOnce, everyStore},
	{"PAY-09 another way to pay closes the former prepayment first", otherWay, everyStore},
	{"PAY-09 with an Idempotency-Key the answer is the same to the last byte", replayed, everyStore},
	{"PAY-09 an Idempotency-Key belongs to one request of one account", keyOfOne, everyStore},
	{"PAY-09 what an Idempotency-Key was answered with is no longer good", keyOver, everyStore},
}

func (a answer) retryAfter() time.Duration {
	a.t.Helper()
	n, err := strconv.Atoi(a.header.Get("Retry-After"))
	require.NoError(a.t, err, "Retry-After")
	return time.Duration(n) * time.Second
}

func sameAgain(t *testing.T, s *till) {
	for i, way := range []object{byCode, byApp, byBrowser, byWeb} {
		ada, _ := s.sells(t)
		first := ada.post(t, pay, paymentWith(way)).is(200)
		s.clock.advance(time.Minute)
		again := ada.post(t, pay, paymentWith(way)).is(200)
		require.Len(t, s.box.Trades(), i+1)
		assert.Equal(t, 1, s.trade(t).Requests, "the wallet is not even asked")
		if i == 0 || i == 3 {
			assert.Equal(t, string(first.body), string(again.body))
		}
	}
}

func paidAtOnce(t *testing.T, s *till) {
	ada, order := s.sells(t)
	bodies := make([]string, 50)
	atOnce(len(bodies), func(i int) {
		a := ada.post(t, pay, paymentWith(object{"order_id": order}))
		assert.Equal(t, 200, a.status, "%s", a.body)
		bodies[i] = string(a.body)
	})
	assert.Len(t, slices.Compact(bodies), 1)
	assert.Len(t, s.box.Trades(), 1)
}

func otherWay(t *testing.T, s *till) {
	ada, order := s.sells(t)
	ada.post(t, pay, paymentWith(byCode)).is(200)
	former := s.trade(t)
	s.clock.advance(time.Minute)
	early := ada.post(t, pay, paymentWith(byBrowser)).fails(409, "CONFLICT")
	assert.Equal(t, 4*time.Minute, early.retryAfter(), "the wallet closes nothing sooner")
	ada.post(t, pay, paymentWith(byCode)).is(200) // the former one is still good
	require.Len(t, s.box.Trades(), 1)

	s.clock.advance(4 * time.Minute)
	ada.post(t, pay, paymentWith(byBrowser)).is(200)
	all := s.box.Trades()
	require.Len(t, all, 2)
	assert.Equal(t, ledger.Closed, all[0].State)
	assert.NotEqual(t, former.OutTradeNo, all[1].OutTradeNo)
	_, err := s.box.Pay(former.OutTradeNo)
	require.ErrorIs(t, err, ledger.ErrClosed)

	other := object{"end_type": 200, "extra_params": object{"open_id": "another payer"}}
	s.clock.advance(5 * time.Minute)
	ada.post(t, pay, paymentWith(other)).is(200)
	assert.Len(t, s.box.Trades(), 3, "for somebody else is another way, too")
	ada.stands(t, order, payment.Open)
}

const keyHeader = "Idempotency-Key"

func replayed(t *testing.T, s *till) {
	ada, order := s.sells(t)
	keyed := ada.saying(keyHeader, "one")
	first := keyed.post(t, pay, paymentWith(byApp)).is(200)
	s.clock.advance(time.Minute)
	again := keyed.post(t, pay, paymentWith(byApp)).is(200)
	assert.Equal(t, string(first.body), string(again.body), "the nonce, too")
	assert.Equal(t, fmt.Sprint(order), again.header.Get("X-Order-ID"))
	other := ada.saying(keyHeader, "two").post(t, pay, paymentWith(byApp)).is(200)
	assert.NotEqual(t, string(first.body), string(other.body))
	assert.Len(t, s.box.Trades(), 1)
}

func keyOfOne(t *testing.T, s *till) {
	ada, order := s.sells(t)
	bob, _ := s.sells(t)
	staff := s.staff(t)
	ada.saying(keyHeader, "one").post(t, pay, paymentWith(byCode)).is(200)
	for _, other := range []object{byApp, byWeb, {"order_id": order}} {
		ada.saying(keyHeader, "one").post(t, pay, paymentWith(other)).fails(409, "CONFLICT")
	}
	bob.saying(keyHeader, "one").post(t, pay, paymentWith(byCode)).is(200)
	staff.saying(keyHeader, "one").post(t, newOrder, draftFor(ada)).is(201)
	staff.saying(keyHeader, "one").post(t, newOrder, with(draftFor(ada), object{"amount": 991})).fails(409, "CONFLICT")
	assert.Len(t, s.box.Trades(), 2)
}

func keyOver(t *testing.T, s *till) {
	ada, _ := s.sells(t)
	web := ada.saying(keyHeader, "web")
	web.post(t, pay, paymentWith(byWeb)).is(200)
	s.clock.advance(5 * time.Minute)
	web.post(t, pay, paymentWith(byWeb)).fails(409, "CONFLICT") // the address has ended
	app := ada.saying(keyHeader, "app")
	app.post(t, pay, paymentWith(byApp)).is(200)
	s.clock.advance(5 * time.Minute)
	ada.post(t, pay, paymentWith(byCode)).is(200)
	app.post(t, pay, paymentWith(byApp)).fails(409, "CONFLICT") // its prepayment is closed
	code := ada.saying(keyHeader, "code")
	code.post(t, pay, paymentWith(byCode)).is(200)
	s.hears(t, letter(s.notice(s.isPaid(t), nil), walletKey)).isTaken()
	code.post(t, pay, paymentWith(byCode)).fails(409, "CONFLICT") // the order is paid
}
