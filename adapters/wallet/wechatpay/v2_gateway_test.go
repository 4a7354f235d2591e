package wechatpay

import (
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
	"plaza/test/ports"
)

var prepare, query, closeIt = ports.WalletCalls["prepare"], ports.WalletCalls["query"], ports.WalletCalls["close"]

// assertOnly asserts that the error is this one and no other of them.
func assertOnlyV2(t *testing.T, want, err error) {
	t.Helper()
	ports.AssertWalletFault(t, want, err)
	assertDiscreetV2(t, err)
}

// assertDiscreet asserts that the error contains no secret.
func assertDiscreetV2(t *testing.T, err error) {
	t.Helper()
	for _, private := range []string{keyV2, payer, "oPayer", "sign=", "<sign>", "BCF43F5A", "F97C"} {
		assert.NotContains(t, err.Error(), private)
	}
	assert.NotRegexp(t, `[0-9A-F]{32}`, err.Error(), "a signature")
}

func TestPAY13_what_the_wallets_codes_mean(t *testing.T) {
	ours := []string{
		"NOAUTH", "APPID_NOT_EXIST", "MCHID_NOT_EXIST", "APPID_MCHID_NOT_MATCH", "SIGNERROR", "LACK_PARAMS", "PARAM_ERROR",
		"XML_FORMAT_ERROR", "POST_DATA_EMPTY", "REQUIRE_POST_METHOD", "NOT_UTF8",
	}
	for name, c := range map[string]struct {
		call  ports.WalletCall
		codes map[string]error
		ours  error
	}{
		"prepare": {prepare, map[string]error{
			"ORDERPAID": payment.ErrWalletPaid, "ORDERCLOSED": payment.ErrWalletClosed, "OUT_TRADE_NO_USED": payment.ErrWalletOtherOrder,
			"INVALID_REQUEST": payment.ErrWalletOtherOrder, "NOTENOUGH": payment.ErrInsufficientFunds, "FREQUENCY_LIMITED": payment.ErrWalletBusy,
			"NEVER_HEARD_OF": payment.ErrWalletBadResponse, "": payment.ErrWalletBadResponse, keyV2: payment.ErrWalletBadResponse, "< odd >": payment.ErrWalletBadResponse,
		}, payment.ErrWalletRefused},
		"query": {query, map[string]error{
			"ORDERNOTEXIST": payment.ErrWalletNotFound, "FREQUENCY_LIMITED": payment.ErrWalletBusy, "ORDERPAID": payment.ErrWalletBadResponse,
			"INVALID_REQUEST": payment.ErrWalletBadResponse,
		}, payment.ErrWalletRefused},
		"close": {closeIt, map[string]error{
			"ORDERPAID": payment.ErrWalletPaid, "ORDERCLOSED": payment.ErrWalletClosed, "ORDERNOTEXIST": payment.ErrWalletNotFound,
			"FREQUENCY_LIMITED": payment.ErrWalletNotClosed, "NEVER_HEARD_OF": payment.ErrWalletNotClosed, "": payment.ErrWalletNotClosed,
			"INVALID_REQUEST": payment.ErrWalletNotClosed,
		}, payment.ErrWalletNotClosed},
	} {
		for _, code := range ours {
			c.codes[code] = c.ours
		}
		for code, want := range c.codes {
			t.Run(name+" "+code, func(t *testing.T) {
				w := newWalletV2(t, saysV2("result_code", "FAIL", "err_code", code, "err_code_des", keyV2+payer))
				assertOnlyV2(t, want, c.call(t, w))
				assert.Len(t, w.requests(), 1, "asked once")
			})
		}
	}
}

func TestPAY13_a_request_that_the_wallet_does_not_look_at(t *testing.T) {
	refused := func(text string) http.HandlerFunc {
		return writesV2("<xml><return_code>FAIL</return_code><return_msg><![CDATA[" + text + "]]></return_msg></xml>")
	}
	for text, hint := range map[string]string{"签名错误 " + keyV2: "signature", "appid参数长度有误": "appid", payer: "request"} {
		for want, c := range map[error]ports.WalletCall{payment.ErrWalletRefused: prepare, payment.ErrWalletNotClosed: closeIt} {
			w := newWalletV2(t, refused(text))
			err := c(t, w)
			assertOnlyV2(t, want, err)
			assert.ErrorContains(t, err, hint)
			assert.Len(t, w.requests(), 1)
		}
	}
	w := newWalletV2(t, refused("系统繁忙"))
	assertOnlyV2(t, payment.ErrWalletTimeout, prepare(t, w))
	assert.Len(t, w.requests(), 3)
}

func TestPAY13_what_nobody_knows_is_asked_again_in_the_same_words(t *testing.T) {
	good := map[string]http.HandlerFunc{
		"prepare": saysV2("trade_type", "JSAPI", "prepay_id", "p1"),
		"query":   saysV2("trade_state", "NOTPAY", "out_trade_no", string(number)),
		"close":   saysV2(),
	}
	trouble := saysV2("result_code", "FAIL", "err_code", "SYSTEMERROR")
	for name, c := range map[string]ports.WalletCall{"prepare": prepare, "query": query, "close": closeIt} {
		t.Run(name, func(t *testing.T) {
			w := newWalletV2(t, trouble, breaks, good[name])
			require.NoError(t, c(t, w))
			heard := w.requests()
			require.Len(t, heard, 3)
			assert.Len(t, slices.Compact(heard), 1)
			for _, bad := range []http.HandlerFunc{trouble, breaks, cutOff} {
				w = newWalletV2(t, bad, bad, bad, good[name])
				assertOnlyV2(t, payment.ErrWalletTimeout, c(t, w))
				assert.Len(t, w.requests(), 3)
			}
		})
	}
}

// cutOff announces a longer body and closes the connection.
func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, "<xml>")
}

func TestPAY13_a_refusal_after_a_lost_request_says_nothing_about_that(t *testing.T) {
	fails := func(code string) http.HandlerFunc { return saysV2("result_code", "FAIL", "err_code", code) }
	for code, want := range map[string]error{
		"FREQUENCY_LIMITED": payment.ErrWalletTimeout, "NOAUTH": payment.ErrWalletTimeout, "NOTENOUGH": payment.ErrWalletTimeout,
		"ORDERPAID": payment.ErrWalletPaid, "ORDERCLOSED": payment.ErrWalletClosed, "OUT_TRADE_NO_USED": payment.ErrWalletOtherOrder,
	} {
		assertOnlyV2(t, want, prepare(t, newWalletV2(t, breaks, fails(code))))
	}
	assertOnlyV2(t, payment.ErrWalletTimeout, closeIt(t, newWalletV2(t, breaks, fails("NEVER_HEARD_OF"))))
	assertOnlyV2(t, payment.ErrWalletClosed, closeIt(t, newWalletV2(t, breaks, fails("ORDERCLOSED"))))
}

func TestPAY02_a_ticket_without_what_the_payer_needs(t *testing.T) {
	for _, c := range []struct {
		intent payment.Intent
		kind   string
	}{{byCode, "NATIVE"}, {byPage, "MWEB"}} {
		w := newWalletV2(t, saysV2("trade_type", c.kind, "prepay_id", "p1"))
		request, err := w.BuildRequest(ports.WalletOrder(noon), c.intent, number)
		require.NoError(t, err)
		_, err = w.Prepare(t.Context(), request)
		assertOnlyV2(t, payment.ErrWalletBadResponse, err)
	}
}

func TestPAY11_how_a_payment_stands(t *testing.T) {
	paid := []string{"transaction_id", "t1", "total_fee", "990", "fee_type", "CNY", "time_end", "20261120200102", "coupon_fee_0", "9"}
	receipt := payment.Receipt{
		TransactionID: "t1", TradeNo: number, App: payment.OfficialAccount, Amount: 990, Currency: "CNY",
		Paid: noon.Add(time.Minute + 2*time.Second),
	}
	back := receipt
	back.Refunded = true
	for state, want := range map[string]payment.Report{
		"SUCCESS": {State: payment.WalletPaid, Receipt: receipt}, "REFUND": {State: payment.WalletPaid, Receipt: back},
		"CLOSED": {State: payment.WalletClosed}, "REVOKED": {State: payment.WalletClosed},
		"NOTPAY": {State: payment.WalletUnpaid}, "USERPAYING": {State: payment.WalletUnpaid}, "PAYERROR": {State: payment.WalletUnpaid},
	} {
		w := newWalletV2(t, saysV2(append(paid, "trade_state", state, "out_trade_no", string(number))...))
		report, err := w.Query(t.Context(), payment.OfficialAccount, number)
		require.NoError(t, err, state)
		assert.Equal(t, want, report, state)
	}
	for _, odd := range [][]string{
		{"trade_state", ""}, {"trade_state", "ODD"}, {"out_trade_no", "plaza-8"}, {"out_trade_no", ""}, {"transaction_id", ""},
		{"total_fee", ""}, {"total_fee", "-990"}, {"total_fee", "+990"}, {"total_fee", "9.90"}, {"total_fee", "99999999999999999999"},
		{"time_end", ""}, {"time_end", "2026-11-20"}, {"time_end", "20261320200102"},
	} {
		w := newWalletV2(t, saysV2(append(append(paid, "trade_state", "SUCCESS", "out_trade_no", string(number)), odd...)...))
		assertOnlyV2(t, payment.ErrWalletBadResponse, query(t, w))
	}
}

func TestPAY11_the_other_application_is_asked_after_as_itself(t *testing.T) {
	w := newWalletV2(t, saysV2("appid", service, "trade_state", "CLOSED", "out_trade_no", string(number)))
	report, err := w.Query(t.Context(), payment.SvcIOSApp, number)
	require.NoError(t, err)
	assert.Equal(t, payment.WalletClosed, report.State)
	assert.Contains(t, w.requests()[0], "<appid>"+service+"</appid>")
}
