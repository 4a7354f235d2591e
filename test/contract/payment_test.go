package contract

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

var paymentRows = []row{
	{"PAY-01 pay_method must be the mobile wallet", payMethods, oneStore},
	{"PAY-01 end_type is one of four", endTypes, oneStore},
	{"PAY-01 what is wrong with a payment is told together", wrongPayments, oneStore},
	{"PAY-01 a payment needs the scope", paymentNeedsScope, oneStore},
	{"PAY-04 the wallet's browser needs the open_id", openIDs, oneStore},
	{"PAY-06 wallet_app_type belongs to the end_type", walletApps, oneStore},
	{"PAY-07 an order is named", namedOrder, everyStore},
	{"PAY-07 whatever fits is refused without a wallet", noWallet, oneStore},
}

const pay = "/api/pay/order/pay/"

// orders gives the person an open order, good for an hour, and returns its number.
func (s *server) orders(t *testing.T, of person, change ...func(*payment.Order)) int {
	t.Helper()
	o := payment.NewOrder(of.id, "Tea", 990, time.Hour, s.clock.Now())
	for _, c := range change {
		c(&o)
	}
	o, err := s.app.Stores.Ledger.AddOrder(t.Context(), o, nil)
	require.NoError(t, err)
	return int(o.ID)
}

// paymentWith is a valid body with changes; a change to dropped leaves the field out.
func paymentWith(change object) object {
	body := object{"pay_method": 200, "end_type": 0}
	maps.Copy(body, change)
	maps.DeleteFunc(body, func(_ string, v any) bool { return v == dropped })
	return body
}

const dropped = "dropped"

// goesThrough asserts that all is well with a payment but that there is no wallet.
func (a answer) goesThrough(order string) {
	a.t.Helper()
	a.fails(503, "SERVICE_UNAVAILABLE")
	assert.Equal(a.t, order, a.header.Get("X-Order-ID"))
}

func payMethods(t *testing.T, s *server) {
	ada := s.member(t)
	order := fmt.Sprint(s.orders(t, ada))
	for _, other := range []any{0, 100, "0", "100"} {
		a := ada.post(t, pay, paymentWith(object{"pay_method": other})).invalid("pay_method")
		assert.Contains(t, a.text("data.pay_method.0"), "200", "it says what this takes")
	}
	for _, no := range []any{1, -1, 201, 300, 2000, 200.5, "", "wallet", "200.0", nil, true, []any{200}, object{}, dropped, 1e30} {
		ada.post(t, pay, paymentWith(object{"pay_method": no})).invalid("pay_method")
	}
	for _, yes := range []any{200, "200"} {
		ada.post(t, pay, paymentWith(object{"pay_method": yes})).goesThrough(order)
	}
}

func endTypes(t *testing.T, s *server) {
	ada := s.member(t)
	order := fmt.Sprint(s.orders(t, ada))
	for _, no := range []any{1, -100, 400, 99, "", "native", 0.5, nil, false, []any{}, object{}, dropped} {
		ada.post(t, pay, paymentWith(object{"end_type": no})).invalid("end_type")
		ada.post(t, pay, paymentWith(object{"end_type": no, "extra_params": object{"wallet_app_type": "svc_ios_app"}})).invalid("end_type")
	}
	for endType, extra := range map[any]object{
		0: {}, "0": {}, 100: {"wallet_app_type": "svc_ios_app"}, "100": {"wallet_app_type": "svc_ios_app"},
		200: {"open_id": "oUpF8"}, 300: {"wallet_app_type": "official_account"},
	} {
		ada.post(t, pay, paymentWith(object{"end_type": endType, "extra_params": extra})).goesThrough(order)
	}
}

func wrongPayments(t *testing.T, s *server) {
	ada := s.member(t)
	for _, c := range []struct {
		body   any
		fields []string
	}{
		{object{}, []string{"pay_method", "end_type"}},
		{object{"pay_method": 100, "end_type": 1}, []string{"pay_method", "end_type"}},
		{object{"pay_method": 0, "end_type": 200}, []string{"pay_method", "extra_params.open_id"}},
		{object{"pay_method": 5, "end_type": 200, "extra_params": object{"wallet_app_type": "svc_ios_app"}},
			[]string{"pay_method", "extra_params.wallet_app_type", "extra_params.open_id"}},
		{object{"pay_method": "x", "end_type": "y"}, []string{"pay_method", "end_type"}},
		{paymentWith(object{"extra_params": "x"}), []string{"extra_params"}},
		{paymentWith(object{"extra_params": []any{}}), []string{"extra_params"}},
		{paymentWith(object{"extra_params": nil}), []string{"extra_params"}},
		{paymentWith(object{"extra_params": object{"wallet_app_type": 5}}), []string{"extra_params.wallet_app_type"}},
		{paymentWith(object{"extra_params": object{"open_id": 5}}), []string{"extra_params.open_id"}},
		{paymentWith(object{"order_id": "x"}), []string{"order_id"}},
		{paymentWith(object{"order_id": 1.5}), []string{"order_id"}},
		{paymentWith(object{"order_id": true}), []string{"order_id"}},
		{"{", []string{"non_field_errors"}},
		{"[]", []string{"non_field_errors"}},
	} {
		refused := ada.post(t, pay, c.body).invalid(c.fields...) // before it is found that there is no order
		assert.Empty(t, refused.header.Get("X-Order-ID"))
	}
}

func paymentNeedsScope(t *testing.T, s *server) {
	ada := s.member(t)
	order := fmt.Sprint(s.orders(t, ada))
	s.anyone().post(t, pay, "{").fails(401, "NOT_AUTHENTICATED")
	s.with("x").post(t, pay, paymentWith(nil)).fails(401, "AUTHENTICATION_FAILED")
	s.with(s.issue(t, ada, 0, "xfile_event", "writing_bundle")).post(t, pay, "{").fails(403, "PERMISSION_DENIED")
	s.with(s.issue(t, ada, 0, "pay_trade_order")).post(t, pay, paymentWith(nil)).goesThrough(order)
	staff := s.staff(t)
	staff.post(t, pay, paymentWith(object{"order_id": order})).fails(404, "RESOURCE_NOT_FOUND")
}

func openIDs(t *testing.T, s *server) {
	ada := s.member(t)
	order := fmt.Sprint(s.orders(t, ada))
	for _, extra := range []any{dropped, object{}, object{"open_id": ""}, object{"open_id": " "}, object{"open_id": nil},
		object{"open_id": "nul\x00"}} {
		ada.post(t, pay, paymentWith(object{"end_type": 200, "extra_params": extra})).invalid("extra_params.open_id")
	}
	ada.post(t, pay, paymentWith(object{"end_type": 200, "extra_params": object{"open_id": "oUpF8"}})).goesThrough(order)
	for _, endType := range []int{0, 300} {
		ada.post(t, pay, paymentWith(object{"end_type": endType, "extra_params": object{"open_id": "oUpF8"}})).goesThrough(order)
	}
}

func walletApps(t *testing.T, s *server) {
	ada := s.member(t)
	order := fmt.Sprint(s.orders(t, ada))
	takes := map[int]string{0: "official_account", 100: "svc_ios_app", 200: "official_account", 300: "official_account"}
	for endType, takes := range takes {
		for _, app := range []string{"official_account", "svc_ios_app"} {
			a := ada.post(t, pay, paymentWith(object{"end_type": endType, "extra_params": object{"wallet_app_type": app, "open_id": "oUpF8"}}))
			if app == takes {
				a.goesThrough(order)
				continue
			}
			a.invalid("extra_params.wallet_app_type")
			told := a.at("data").(object)["extra_params.wallet_app_type"]
			assert.Contains(t, fmt.Sprint(told), takes, "it says which it takes")
		}
	}
	for _, none := range []object{{}, {"open_id": "oUpF8"}} {
		ada.post(t, pay, paymentWith(object{"extra_params": none})).goesThrough(order)
		ada.post(t, pay, paymentWith(object{"end_type": 100, "extra_params": none})).invalid("extra_params.wallet_app_type")
	}
	for _, other := range []any{"svc_android_app", "Official_Account", "0", nil, true} {
		for endType := range takes {
			extra := object{"wallet_app_type": other, "open_id": "oUpF8"}
			ada.post(t, pay, paymentWith(object{"end_type": endType, "extra_params": extra})).invalid("extra_params.wallet_app_type")
		}
	}
}

func namedOrder(t *testing.T, s *server) {
	ada := s.member(t)
	ada.post(t, pay, paymentWith(nil)).fails(404, "RESOURCE_NOT_FOUND")
	first, second := s.orders(t, ada), s.orders(t, ada)
	ada.post(t, pay, paymentWith(nil)).fails(409, "CONFLICT") // which of them?
	for _, id := range []any{first, second, fmt.Sprint(first)} {
		ada.post(t, pay, paymentWith(object{"order_id": id})).goesThrough("") // it was named already
	}
}

func noWallet(t *testing.T, s *server) {
	ada := s.member(t)
	order := s.orders(t, ada)
	for range 2 {
		ada.post(t, pay, paymentWith(nil)).goesThrough(fmt.Sprint(order))
	}
	kept, err := s.app.Stores.Ledger.Order(t.Context(), payment.OrderID(order))
	require.NoError(t, err)
	assert.Equal(t, payment.Open, kept.State)
}
