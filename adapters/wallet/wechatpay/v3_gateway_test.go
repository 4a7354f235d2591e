package wechatpay

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
	"plaza/test/ports"
)

// assertOnly asserts that the error is this one and no other of them.
func assertOnlyV3(t *testing.T, want, err error) {
	t.Helper()
	ports.AssertWalletFault(t, want, err)
	assertDiscreetV3(t, err)
}

// assertDiscreet asserts that the error contains no secret.
func assertDiscreetV3(t *testing.T, err error) {
	t.Helper()
	for _, private := range []string{keyV3, payer, "oPayer", "PRIVATE", "signature=", merchantV3} {
		assert.NotContains(t, err.Error(), private)
	}
	assert.NotRegexp(t, `[0-9A-Za-z+/]{40}`, err.Error(), "a signature")
}

// refusal is the body of an answer that refuses a request.
func refusalV3(t *testing.T, code string) string {
	t.Helper()
	return encoded(t, map[string]any{"code": code, "message": keyV3 + payer, "detail": map[string]any{"value": payer}})
}

func TestPAY13_what_the_wallets_codes_mean_v3(t *testing.T) {
	ours := []string{"SIGN_ERROR", "NO_AUTH", "PARAM_ERROR"}
	odd := []string{"NEVER_HEARD_OF", "", keyV3}
	for name, c := range map[string]struct {
		codes     map[string]error
		ours, odd error
	}{
		"prepare": {map[string]error{
			"ORDERPAID": payment.ErrWalletPaid, "ORDER_PAID": payment.ErrWalletPaid, "ORDER_CLOSED": payment.ErrWalletClosed,
			"OUT_TRADE_NO_USED": payment.ErrWalletOtherOrder, "INVALID_REQUEST": payment.ErrWalletOtherOrder,
			"NOT_ENOUGH": payment.ErrInsufficientFunds, "FREQUENCY_LIMITED": payment.ErrWalletBusy, "RATELIMIT_EXCEEDED": payment.ErrWalletBusy,
			"ORDER_NOT_EXIST": payment.ErrWalletBadResponse,
		}, payment.ErrWalletRefused, payment.ErrWalletBadResponse},
		"query": {map[string]error{
			"ORDER_NOT_EXIST": payment.ErrWalletNotFound, "ORDERNOTEXIST": payment.ErrWalletNotFound, "FREQUENCY_LIMITED": payment.ErrWalletBusy,
			"ORDERPAID": payment.ErrWalletBadResponse, "INVALID_REQUEST": payment.ErrWalletBadResponse,
		}, payment.ErrWalletRefused, payment.ErrWalletBadResponse},
		"close": {map[string]error{
			"ORDERPAID": payment.ErrWalletPaid, "ORDER_PAID": payment.ErrWalletPaid, "ORDER_CLOSED": payment.ErrWalletClosed,
			"ORDER_NOT_EXIST": payment.ErrWalletNotFound, "ORDERNOTEXIST": payment.ErrWalletNotFound,
			"FREQUENCY_LIMITED": payment.ErrWalletNotClosed, "INVALID_REQUEST": payment.ErrWalletNotClosed, "RULE_LIMIT": payment.ErrWalletNotClosed,
		}, payment.ErrWalletNotClosed, payment.ErrWalletNotClosed},
	} {
		for _, code := range ours {
			c.codes[code] = c.ours
		}
		for _, code := range odd {
			c.codes[code] = c.odd
		}
		for code, want := range c.codes {
			t.Run(name+" "+code, func(t *testing.T) {
				w := newWalletV3(t, saysV3(t, 400, refusalV3(t, code)))
				assertOnlyV3(t, want, ports.WalletCalls[name](t, w))
				assert.Len(t, w.requests(), 1, "asked once")

				w = newWalletV3(t, writesV3(400, refusalV3(t, code), nil))
				assertOnlyV3(t, payment.ErrWalletBadResponse, ports.WalletCalls[name](t, w))
			})
		}
	}
}

func TestPAY13_too_many_requests(t *testing.T) {
	for name, want := range map[string]error{
		"prepare": payment.ErrWalletBusy, "query": payment.ErrWalletBusy, "close": payment.ErrWalletNotClosed,
	} {
		assertOnlyV3(t, want, ports.WalletCalls[name](t, newWalletV3(t, saysV3(t, 429, `{"code":"NEVER_HEARD_OF"}`))))
		assertOnlyV3(t, payment.ErrWalletBadResponse, ports.WalletCalls[name](t, newWalletV3(t, writesV3(429, `{"code":"FREQUENCY_LIMITED"}`, nil))))
	}
}

// The wallet does not sign its answer to a request whose signature it does not accept.
func TestPAY13_the_wallet_rejects_the_signature(t *testing.T) {
	for name, want := range map[string]error{
		"prepare": payment.ErrWalletRefused, "query": payment.ErrWalletRefused, "close": payment.ErrWalletNotClosed,
	} {
		w := newWalletV3(t, writesV3(401, refusalV3(t, "SIGN_ERROR"), nil))
		err := ports.WalletCalls[name](t, w)
		assertOnlyV3(t, want, err)
		require.ErrorContains(t, err, "check the clock, the private key and the serial number")

		for _, off := range []time.Duration{10 * time.Minute, -10 * time.Minute} {
			w = newWalletV3(t, writesV3(401, refusalV3(t, "SIGN_ERROR"), map[string]string{"Date": noon.Add(off).Format(http.TimeFormat)}))
			require.ErrorContains(t, ports.WalletCalls[name](t, w), "this server's clock differs from the wallet's by 10m0s")
		}
		w = newWalletV3(t, writesV3(401, refusalV3(t, "SIGN_ERROR"), map[string]string{"Date": noon.Format(http.TimeFormat)}))
		assert.NotContains(t, ports.WalletCalls[name](t, w).Error(), "differs")

		w = newWalletV3(t, writesV3(401, refusalV3(t, "ORDERPAID"), nil))
		assertOnlyV3(t, payment.ErrWalletBadResponse, ports.WalletCalls[name](t, w))
		w = newWalletV3(t, writesV3(401, "<html>", nil))
		assertOnlyV3(t, payment.ErrWalletBadResponse, ports.WalletCalls[name](t, w))
		w = newWalletV3(t, writesV3(401, refusalV3(t, "SIGN_ERROR"), map[string]string{"Wechatpay-Serial": keyID}))
		assertOnlyV3(t, payment.ErrWalletBadResponse, ports.WalletCalls[name](t, w))
	}
}

func TestPAY13_certificates_that_do_not_come(t *testing.T) {
	w := newWalletV3For(t, func(c *ConfigV3) { byCertificates(c); c.Deadline = 100 * time.Millisecond })
	w.answers = []http.HandlerFunc{w.unpaidAs(t, firstCertificate())}
	w.change(func() { w.onFetch = hangs })
	assertOnlyV3(t, payment.ErrWalletTimeout, query(t, w))
}

func TestPAY11_how_a_payment_stands_v3(t *testing.T) {
	refunded := paidReceiptV3()
	refunded.Refunded = true
	for state, want := range map[string]payment.Report{
		"SUCCESS": {State: payment.WalletPaid, Receipt: paidReceiptV3()}, "REFUND": {State: payment.WalletPaid, Receipt: refunded},
		"NOTPAY": {State: payment.WalletUnpaid}, "USERPAYING": {State: payment.WalletUnpaid}, "PAYERROR": {State: payment.WalletUnpaid},
		"CLOSED": {State: payment.WalletClosed}, "REVOKED": {State: payment.WalletClosed},
	} {
		usual := unpaidFieldsV3()
		if want.State == payment.WalletPaid {
			usual = paidFieldsV3()
		}
		w := newWalletV3(t, saysV3(t, 200, fieldsV3(t, usual, "trade_state", state)))
		report, err := w.Query(t.Context(), payment.OfficialAccount, number)
		require.NoError(t, err, state)
		assert.Equal(t, want, report)
	}
	for name, body := range map[string]string{
		"an unknown state":       fieldsV3(t, paidFieldsV3(), "trade_state", "ODD"),
		"no state":               fieldsV3(t, paidFieldsV3(), "trade_state", nil),
		"another payment":        fieldsV3(t, paidFieldsV3(), "out_trade_no", "plaza-8"),
		"another merchant":       fieldsV3(t, paidFieldsV3(), "mchid", "1900000110"),
		"without a transaction":  fieldsV3(t, paidFieldsV3(), "transaction_id", nil),
		"an amount in a text":    fieldsV3(t, paidFieldsV3(), "amount", map[string]any{"total": "990"}),
		"a negative amount":      fieldsV3(t, paidFieldsV3(), "amount", map[string]any{"total": -990}),
		"without a time":         fieldsV3(t, paidFieldsV3(), "success_time", nil),
		"a time of version 2":    fieldsV3(t, paidFieldsV3(), "success_time", "20261120200102"),
		"names in other letters": fieldsV3(t, paidFieldsV3(), "trade_state", nil, "Trade_State", "SUCCESS"),
	} {
		w := newWalletV3(t, saysV3(t, 200, body))
		report, err := w.Query(t.Context(), payment.OfficialAccount, number)
		assertOnlyV3(t, payment.ErrWalletBadResponse, err)
		assert.Zero(t, report, name)
	}
}
