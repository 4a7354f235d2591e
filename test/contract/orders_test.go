package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var orderSales = []sale{
	{"PAY-12 the back office creates orders", ordersCreated, everyStore},
	{"PAY-12 people see their own orders", ownOrdersListed, everyStore},
	{"PAY-12 one's order and nobody else's", ownOrderRead, oneStore},
}

const (
	ownOrders = "/api/pay/order/"
	newOrder  = "/api/pay-admin/v1/order/"
)

// draftFor is a valid new order.
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
	for _, query := range []string{"", "?state=open", fmt.Sprint("?user=", ada.id), fmt.Sprintf("?state=open&user=%d", ada.id)} {
		sameJSON(t, []any{made}, staff.get(t, newOrder+query).is(200).at("data"))
	}
	for _, query := range []string{"?state=paid", fmt.Sprint("?user=", staff.id)} {
		sameJSON(t, []any{}, staff.get(t, newOrder+query).is(200).at("data"))
	}
	for _, nobody := range []string{"x", "0", "-1"} {
		staff.get(t, newOrder+"?state=lost&user="+nobody).invalid("state", "user")
	}
	ada.get(t, newOrder).fails(403, "PERMISSION_DENIED")
	least := staff.post(t, newOrder, object{"user": ada.id, "subject": "Tea", "amount": 990}).is(201)
	assert.Equal(t, []string{"CNY", "2026-11-20T14:00:00.000000Z"}, []string{least.text("data.currency"), least.text("data.expires_at")})

	for _, edge := range []object{{"amount": 1}, {"amount": 10_000_000}, {"expires_in": 1}, {"subject": strings.Repeat("茶", 42) + "x"},
		{"user": staff.id}} {
		body := draftFor(ada)
		for name, value := range edge {
			body[name] = value
		}
		staff.post(t, newOrder, body).is(201)
	}
	ada.post(t, newOrder, draftFor(ada)).fails(403, "PERMISSION_DENIED")
	s.anyone().post(t, newOrder, draftFor(ada)).fails(401, "NOT_AUTHENTICATED")
	disabled := s.member(t)
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), disabled.id, true))
	staff.post(t, newOrder, draftFor(disabled)).is(201) // who may be enabled again
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
	all.hasFields("data.0", []string{"id", "subject", "amount", "currency", "state", "created_at", "expires_at", "paid_at", "transaction_id"})
	page := ada.get(t, ownOrders+"?page=2&page_size=2").is(200)
	sameJSON(t, mine[2:4], page.each("data", "id"))
	sameJSON(t, pagination(2, 5, 3, 2, 3, 1), page.at("pagination"))
	assert.Len(t, ada.get(t, ownOrders+"?state=open").is(200).list("data"), 4)
	sameJSON(t, mine[2:3], ada.get(t, ownOrders+"?state=closed").is(200).each("data", "id"))
	assert.Empty(t, ada.get(t, ownOrders+"?state=paid").is(200).list("data"))
	ada.get(t, ownOrders+"?state=lost").invalid("state")
	ada.get(t, ownOrders+"?page=9").fails(404, "RESOURCE_NOT_FOUND")
	s.with(s.issue(t, ada, 0, "xfile_event")).get(t, ownOrders).fails(403, "PERMISSION_DENIED")
	s.anyone().get(t, ownOrders).fails(401, "NOT_AUTHENTICATED")
	assert.Empty(t, s.staff(t).get(t, ownOrders).is(200).list("data"), "staff see their own there")
}

func ownOrderRead(t *testing.T, s *till) {
	ada, order := s.sells(t)
	path := fmt.Sprintf("%s%d/", ownOrders, order)
	ada.get(t, path).is(200)
	for _, other := range []person{s.member(t), s.staff(t)} {
		other.get(t, path).fails(404, "RESOURCE_NOT_FOUND")
	}
	for _, none := range []string{"0/", "-1/", "x/", "99999/", "pay/"} {
		ada.get(t, ownOrders+none).fails(404, "RESOURCE_NOT_FOUND")
	}
}
