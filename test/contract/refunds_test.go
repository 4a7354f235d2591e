package contract

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/payment"
)

var refundSales = []sale{
	{"PAY-14 staff refunds a payment in parts, and the rest of it", refundedInParts, everyStore},
	{"PAY-14 all that is wrong with a refund is told together", wrongRefunds, oneStore},
	{"PAY-14 a refund ends as the wallet says", refundsEnd, everyStore},
	{"PAY-14 a refund notification is a reason to ask", refundNotified, oneStore},
	{"PAY-12 the back office creates orders", ordersCreated, everyStore},
	{"PAY-12 people see their own orders", ownOrdersListed, everyStore},
}

const refunds = "/api/pay-admin/v1/refund/"

func (s *till) bought(t *testing.T) (ada person, order, paid int) {
	t.Helper()
	ada, order, trade := s.settled(t)
	s.hears(t, letter(s.notice(trade, nil), walletKey)).isTaken()
	return ada, order, s.received(t, "").int("data.0.id")
}

// follows lets a server continue the refunds whose time has come after a while.
func (s *till) follows(t *testing.T, after time.Duration) {
	t.Helper()
	s.clock.advance(after)
	_, err := s.app.Refunding.Follow(t.Context())
	require.NoError(t, err)
}

func refundedInParts(t *testing.T, s *till) {
	ada, order, paid := s.bought(t)
	staff := s.staff(t)
	a := staff.post(t, refunds, object{"payment": paid, "amount": 300, "reason": " Cold "}).is(201)
	wallet := s.box.Refunds()
	require.Len(t, wallet, 1)
	sameJSON(t, object{"data": object{
		"id": a.int("data.id"), "payment": paid, "amount": 300, "currency": "CNY", "reason": "Cold", "state": "processing",
		"wallet_refund_id": wallet[0].ID, "created_at": "2026-11-20T12:00:00.000000Z", "updated_at": "2026-11-20T12:00:00.000000Z",
	}}, a.json())
	assert.Equal(t, int64(300), wallet[0].Amount)
	assert.Equal(t, 300, s.received(t, "").int("data.0.refunded"))
	left := staff.post(t, refunds, object{"payment": paid, "amount": 691, "reason": "x"}).fails(409, "CONFLICT")
	assert.Contains(t, string(left.body), "Only 690 ")
	rest := staff.post(t, refunds, object{"payment": paid, "reason": "x"}).is(201)
	assert.Equal(t, 690, rest.int("data.amount"))
	staff.post(t, refunds, object{"payment": paid, "reason": "x"}).fails(409, "CONFLICT")
	s.follows(t, time.Minute) // the wallet takes one refund of a payment in a minute
	require.Len(t, s.box.Refunds(), 2)
	received := s.received(t, "")
	assert.Equal(t, "applied", received.text("data.0.state"), "a payment keeps its state")
	assert.Equal(t, 990, received.int("data.0.refunded"))
	ada.stands(t, order, "paid")
	assert.Contains(t, s.log.String(), "refund")
}

func wrongRefunds(t *testing.T, s *till) {
	_, _, paid := s.bought(t)
	staff := s.staff(t)
	for _, c := range []struct {
		body   object
		fields []string
	}{
		{object{}, []string{"payment", "reason"}},
		{object{"payment": paid, "amount": 0, "reason": " "}, []string{"amount", "reason"}},
		{object{"payment": "x", "amount": 1.5, "reason": 5}, []string{"payment", "amount", "reason"}},
		{object{"payment": paid, "reason": strings.Repeat("茶", 27)}, []string{"reason"}},
	} {
		staff.post(t, refunds, c.body).invalid(c.fields...)
	}
	for _, nobodys := range []int{0, -1, paid + 1} {
		staff.post(t, refunds, object{"payment": nobodys, "reason": "x"}).fails(404, "RESOURCE_NOT_FOUND")
	}
	staff.post(t, refunds, object{"payment": paid, "amount": int64(1) << 62, "reason": "x"}).fails(409, "CONFLICT")
	staff.get(t, refunds+"?state=lost&payment=x").invalid("state", "payment")
	assert.Empty(t, s.box.Refunds())
}

func refundsEnd(t *testing.T, s *till) {
	for outcome, state := range map[ledger.RefundState]string{
		ledger.RefundSucceeded: "succeeded", ledger.RefundClosed: "closed", ledger.RefundAbnormal: "abnormal",
	} {
		_, _, paid := s.bought(t)
		s.staff(t).post(t, refunds, object{"payment": paid, "reason": "x"}).is(201)
		all := s.box.Refunds()
		require.NoError(t, s.box.EndRefund(all[len(all)-1].No, outcome))
		s.follows(t, time.Hour)
		assert.Equal(t, state, s.staff(t).get(t, refunds).is(200).text("data.0.state"))
		left := map[string]int{"succeeded": 990, "closed": 0, "abnormal": 990}[state]
		assert.Equal(t, left, s.received(t, "").int("data.0.refunded"), state)
		s.sampled(t, map[string]float64{`plaza_refunds{state="abnormal"}`: map[bool]float64{true: 1}[strings.Contains(s.log.String(), "abnormal refund needs review")]})
		s.clock.advance(time.Second)
	}
}

func refundNotified(t *testing.T, s *till) {
	_, _, paid := s.bought(t)
	s.staff(t).post(t, refunds, object{"payment": paid, "reason": "x"}).is(201)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, s.box.Run(ctx)) })
	require.NoError(t, s.box.EndRefund(s.box.Refunds()[0].No, ledger.RefundSucceeded))
	assert.Eventually(t, func() bool { return s.box.Refunds()[0].Notified }, 10*time.Second, 10*time.Millisecond)
	stop()
	running.Wait()
	assert.Equal(t, "processing", s.staff(t).get(t, refunds).is(200).text("data.0.state"), "the notification itself proves nothing")
	s.follows(t, 0)
	assert.Equal(t, "succeeded", s.staff(t).get(t, refunds).is(200).text("data.0.state"), "it makes the refund due")
}

const (
	ownOrders = "/api/pay/order/"
	newOrder  = "/api/pay-admin/v1/order/"
)

func draftFor(who person) object {
	return object{"user": who.id, "subject": "Tea", "amount": 990, "currency": "CNY", "expires_in": 7200}
}

func ordersCreated(t *testing.T, s *till) {
	ada, staff := s.member(t), s.staff(t)
	a := staff.post(t, newOrder, draftFor(ada)).is(201)
	id := a.int("data.id")
	made := object{
		"id": id, "subject": "Tea", "amount": 990, "currency": "CNY", "state": "open", "created_at": "2026-11-20T12:00:00.000000Z",
		"expires_at": "2026-11-20T14:00:00.000000Z", "paid_at": nil, "transaction_id": nil,
	}
	sameJSON(t, object{"data": made}, a.json())
	sameJSON(t, object{"data": made}, ada.get(t, fmt.Sprintf("%s%d/", ownOrders, id)).is(200).json())
	ada.post(t, pay, paymentWith(object{"order_id": id})).is(200)
	assert.Equal(t, int64(990), s.trade(t).Amount)

	made["user"] = ada.id
	for query, found := range map[string][]any{
		"": {made}, fmt.Sprintf("?state=open&user=%d", ada.id): {made}, "?state=paid": {}, fmt.Sprint("?user=", staff.id): {},
	} {
		sameJSON(t, found, staff.get(t, newOrder+query).is(200).at("data"))
	}
	staff.get(t, newOrder+"?state=lost&user=-1").invalid("state", "user")
	least := staff.post(t, newOrder, object{"user": ada.id, "subject": "Tea", "amount": 990}).is(201)
	assert.Equal(t, []string{"CNY", "2026-11-20T14:00:00.000000Z"}, []string{least.text("data.currency"), least.text("data.expires_at")})
	for _, edge := range []object{{"amount": 1}, {"amount": 10_000_000}, {"expires_in": 1}, {"subject": strings.Repeat("茶", 42) + "x"},
		{"user": staff.id}} {
		staff.post(t, newOrder, with(draftFor(ada), edge)).is(201)
	}
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), ada.id, true))
	staff.post(t, newOrder, draftFor(ada)).is(201) // who may be enabled again
}

func ownOrdersListed(t *testing.T, s *till) {
	ada, bob := s.member(t), s.member(t)
	var mine []any
	for n := range 5 {
		s.orders(t, bob)
		id := s.orders(t, ada, func(o *payment.Order) {
			if n == 2 {
				o.State = payment.Closed
			}
		})
		mine = append([]any{id}, mine...)
		s.clock.advance(time.Minute)
	}
	all := ada.get(t, ownOrders).is(200)
	sameJSON(t, mine, all.each("data", "id"))
	sameJSON(t, mine[2:4], ada.get(t, ownOrders+"?page=2&page_size=2").is(200).each("data", "id"))
	assert.Len(t, ada.get(t, ownOrders+"?state=open").is(200).list("data"), 4)
	sameJSON(t, mine[2:3], ada.get(t, ownOrders+"?state=closed").is(200).each("data", "id"))
	assert.Empty(t, ada.get(t, ownOrders+"?state=paid").is(200).list("data"))
	assert.Empty(t, s.staff(t).get(t, ownOrders).is(200).list("data"), "staff see their own there")
}
