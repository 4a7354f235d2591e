package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
)

var refundSales = []sale{
	{"PAY-14 staff refunds a payment in parts, and the rest of it", refundedInParts, everyStore},
	{"PAY-14 all that is wrong with a refund is told together", wrongRefunds, oneStore},
	{"PAY-14 refunds are listed by state and payment", refundsListed, everyStore},
	{"PAY-14 a refund ends as the wallet says", refundsEnd, everyStore},
	{"PAY-14 a refund notification is a reason to ask", refundNotified, oneStore},
}

const refunds = "/api/pay-admin/v1/refund/"

// bought is a payment that was applied, with its order.
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

func (s *till) refundState(t *testing.T, id int) string {
	t.Helper()
	for _, r := range s.staff(t).get(t, refunds+"?page_size=100").is(200).list("data") {
		if r.(object)["id"] == json.Number(strconv.Itoa(id)) {
			return r.(object)["state"].(string)
		}
	}
	t.Fatalf("no refund %d", id)
	return ""
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
	ada, _, paid := s.bought(t)
	staff := s.staff(t)
	for _, c := range []struct {
		body   object
		fields []string
	}{
		{object{}, []string{"payment", "reason"}},
		{object{"payment": paid, "amount": 0, "reason": " "}, []string{"amount", "reason"}},
		{object{"payment": "x", "amount": 1.5, "reason": 5}, []string{"payment", "amount", "reason"}},
		{object{"payment": paid, "amount": -1, "reason": "x"}, []string{"amount"}},
		{object{"payment": paid, "reason": strings.Repeat("茶", 27)}, []string{"reason"}},
		{object{"payment": paid, "reason": "nul\x00"}, []string{"reason"}},
	} {
		staff.post(t, refunds, c.body).invalid(c.fields...)
	}
	for _, nobodys := range []int{0, -1, paid + 1, 1 << 40} {
		staff.post(t, refunds, object{"payment": nobodys, "reason": "x"}).fails(404, "RESOURCE_NOT_FOUND")
	}
	staff.post(t, refunds, object{"payment": paid, "amount": int64(1) << 62, "reason": "x"}).fails(409, "CONFLICT")
	ada.post(t, refunds, object{"payment": paid, "reason": "x"}).fails(403, "PERMISSION_DENIED")
	s.anyone().post(t, refunds, object{"payment": paid, "reason": "x"}).fails(401, "NOT_AUTHENTICATED")
	staff.get(t, refunds+"?state=lost&payment=x").invalid("state", "payment")
	assert.Empty(t, s.box.Refunds())
}

func refundsListed(t *testing.T, s *till) {
	staff := s.staff(t)
	_, _, first := s.bought(t)
	s.clock.advance(time.Second)
	_, _, second := s.bought(t)
	var ids []any
	for _, paid := range []int{first, second, first} {
		ids = append([]any{staff.post(t, refunds, object{"payment": paid, "amount": 100, "reason": "x"}).is(201).at("data.id")}, ids...)
		s.clock.advance(time.Minute)
	}
	require.NoError(t, s.box.RefundOutcome(s.box.Refunds()[0].No, sandbox.RefundSucceeded))
	s.follows(t, time.Hour)
	assert.Equal(t, ids, staff.get(t, refunds).is(200).each("data", "id"), "the newest first")
	assert.Equal(t, []any{ids[0], ids[2]}, staff.get(t, fmt.Sprintf("%s?payment=%d", refunds, first)).is(200).each("data", "id"))
	assert.Equal(t, []any{ids[2]}, staff.get(t, refunds+"?state=succeeded").is(200).each("data", "id"))
	assert.Empty(t, staff.get(t, refunds+"?state=abnormal").is(200).list("data"))
	assert.Equal(t, 3, staff.get(t, refunds+"?page_size=2&page=2").is(200).int("pagination.total_count"))
}

func refundsEnd(t *testing.T, s *till) {
	for outcome, state := range map[sandbox.RefundState]string{
		sandbox.RefundSucceeded: "succeeded", sandbox.RefundClosed: "closed", sandbox.RefundAbnormal: "abnormal",
	} {
		_, _, paid := s.bought(t)
		id := s.staff(t).post(t, refunds, object{"payment": paid, "reason": "x"}).is(201).int("data.id")
		all := s.box.Refunds()
		require.NoError(t, s.box.RefundOutcome(all[len(all)-1].No, outcome))
		s.follows(t, time.Hour)
		assert.Equal(t, state, s.refundState(t, id))
		left := map[string]int{"succeeded": 990, "closed": 0, "abnormal": 990}[state]
		assert.Equal(t, left, s.received(t, "").int("data.0.refunded"), state)
		s.sampled(t, map[string]float64{`plaza_refunds{state="abnormal"}`: map[bool]float64{true: 1}[strings.Contains(s.log.String(), "abnormal refund needs review")]})
		s.clock.advance(time.Second)
	}
}

func refundNotified(t *testing.T, s *till) {
	_, _, paid := s.bought(t)
	id := s.staff(t).post(t, refunds, object{"payment": paid, "reason": "x"}).is(201).int("data.id")
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, s.box.Run(ctx)) })
	require.NoError(t, s.box.RefundOutcome(s.box.Refunds()[0].No, sandbox.RefundSucceeded))
	assert.Eventually(t, func() bool { return s.box.Refunds()[0].Notified }, 10*time.Second, 10*time.Millisecond)
	stop()
	running.Wait()
	assert.Equal(t, "processing", s.refundState(t, id), "the notification itself proves nothing")
	s.follows(t, 0)
	assert.Equal(t, "succeeded", s.refundState(t, id), "it makes the refund due")
}
