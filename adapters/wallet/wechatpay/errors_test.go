package wechatpay

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
	"plaza/test/ports"
)

// The codes of mistakes that are the merchant's own, and of too many requests.
const (
	ours = "NOAUTH APPID_NOT_EXIST MCHID_NOT_EXIST APPID_MCHID_NOT_MATCH SIGNERROR LACK_PARAMS PARAM_ERROR XML_FORMAT_ERROR " +
		"POST_DATA_EMPTY REQUIRE_POST_METHOD NOT_UTF8 SIGN_ERROR NO_AUTH MCH_NOT_EXISTS "
	busy = "FREQUENCY_LIMITED RATELIMIT_EXCEEDED "
)

// codesOf are the codes of refusals, separated by spaces, by call and by what they mean.
var codesOf = map[string]map[error]string{
	"prepare": {
		payment.ErrWalletPaid: "ORDERPAID ORDER_PAID", payment.ErrWalletClosed: "ORDERCLOSED ORDER_CLOSED",
		payment.ErrWalletOtherOrder: "OUT_TRADE_NO_USED INVALID_REQUEST", payment.ErrInsufficientFunds: "NOTENOUGH NOT_ENOUGH",
		payment.ErrWalletBusy: busy, payment.ErrWalletRefused: ours, payment.ErrWalletBadResponse: "ORDER_NOT_EXIST NEVER_HEARD_OF",
	},
	"query": {
		payment.ErrWalletNotFound: "ORDERNOTEXIST ORDER_NOT_EXIST", payment.ErrWalletBusy: busy, payment.ErrWalletRefused: ours,
		payment.ErrWalletBadResponse: "ORDERPAID INVALID_REQUEST NEVER_HEARD_OF",
	},
	"close": {
		payment.ErrWalletPaid: "ORDERPAID ORDER_PAID", payment.ErrWalletClosed: "ORDERCLOSED ORDER_CLOSED",
		payment.ErrWalletNotFound:  "ORDERNOTEXIST ORDER_NOT_EXIST",
		payment.ErrWalletNotClosed: ours + busy + "INVALID_REQUEST RULE_LIMIT NEVER_HEARD_OF",
	},
	"refund": {
		payment.ErrRefundDiffers: "REFUND_FEE_MISMATCH", payment.ErrMerchantFunds: "NOTENOUGH NOT_ENOUGH",
		payment.ErrRefundTooMuch:  "INVALID_REQUEST TRADE_OVERDUE", // version 3 asks for the refund then
		payment.ErrWalletNotFound: "ORDERNOTEXIST INVALID_TRANSACTIONID RESOURCE_NOT_EXISTS",
		payment.ErrWalletBusy:     busy + "INVALID_REQ_TOO_MUCH",
		payment.ErrWalletRefused:  ours + "CERT_ERROR USER_ACCOUNT_ABNORMAL", payment.ErrWalletBadResponse: "NEVER_HEARD_OF",
	},
	"refund query": {
		payment.ErrRefundNotFound: "REFUNDNOTEXIST RESOURCE_NOT_EXISTS", payment.ErrWalletBusy: busy, payment.ErrWalletRefused: ours,
		payment.ErrWalletBadResponse: "INVALID_REQUEST NOT_ENOUGH NEVER_HEARD_OF",
	},
}

func TestPAY13_what_the_wallets_codes_mean(t *testing.T) {
	forVersions(t, func(t *testing.T, v version) {
		for name, call := range calls {
			for want, codes := range codesOf[name] {
				all := strings.Fields(codes)
				switch {
				case slices.Contains(all, "NEVER_HEARD_OF"):
					all = append(all, "", v.key, "< odd >")
				case v.name == "v3" && want == payment.ErrRefundTooMuch:
					all = nil
				}
				for _, code := range all {
					t.Run(name+" "+code, func(t *testing.T) {
						w := v.wallet(t, v.refuses(code, true))
						assertOnly(t, want, call(t, w))
						assert.Len(t, w.requests(), 1, "asked once")
						assertOnly(t, payment.ErrWalletBadResponse, call(t, v.wallet(t, v.refuses(code, false))))
					})
				}
			}
		}
	})
}

func TestPAY13_a_request_that_the_wallet_does_not_look_at(t *testing.T) {
	refused := func(text string) http.HandlerFunc {
		return writesV2("<xml><return_code>FAIL</return_code><return_msg><![CDATA[" + text + "]]></return_msg></xml>")
	}
	for text, hint := range map[string]string{"签名错误 " + keyV2: "signature", "appid参数长度有误": "appid", payer: "request"} {
		for want, c := range map[error]ports.WalletCall{payment.ErrWalletRefused: prepare, payment.ErrWalletNotClosed: closeIt} {
			w := newWalletV2(t, refused(text))
			err := c(t, w)
			assertOnly(t, want, err)
			assert.ErrorContains(t, err, hint)
			assert.Len(t, w.requests(), 1)
		}
	}
	w := newWalletV2(t, refused("系统繁忙"))
	assertOnly(t, payment.ErrWalletTimeout, prepare(t, w))
	assert.Len(t, w.requests(), 3)
}

func TestPAY13_what_nobody_knows_is_asked_again_in_the_same_words(t *testing.T) {
	good := saysV2(changed(versions[0].unpaid, "trade_type", "JSAPI", "prepay_id", "p1")...)
	trouble := saysV2("result_code", "FAIL", "err_code", "SYSTEMERROR")
	for name, c := range ports.WalletCalls {
		t.Run(name, func(t *testing.T) {
			w := newWalletV2(t, trouble, breaks, good)
			require.NoError(t, c(t, w))
			heard := w.requests()
			require.Len(t, heard, 3)
			assert.Len(t, slices.Compact(heard), 1)
			for _, bad := range []http.HandlerFunc{trouble, breaks, cutOff} {
				w = newWalletV2(t, bad, bad, bad, good)
				assertOnly(t, payment.ErrWalletTimeout, c(t, w))
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
	for _, c := range []struct {
		call string
		want error
		code string
	}{
		{"prepare", payment.ErrWalletTimeout, "FREQUENCY_LIMITED NOAUTH NOTENOUGH"}, {"prepare", payment.ErrWalletPaid, "ORDERPAID"},
		{"prepare", payment.ErrWalletClosed, "ORDERCLOSED"}, {"prepare", payment.ErrWalletOtherOrder, "OUT_TRADE_NO_USED"},
		{"close", payment.ErrWalletTimeout, "NEVER_HEARD_OF"}, {"close", payment.ErrWalletClosed, "ORDERCLOSED"},
		{"refund", payment.ErrWalletTimeout, "INVALID_REQUEST NOTENOUGH REFUND_FEE_MISMATCH"},
		{"refund query", payment.ErrRefundNotFound, "REFUNDNOTEXIST"},
	} {
		for _, code := range strings.Fields(c.code) {
			assertOnly(t, c.want, calls[c.call](t, newWalletV2(t, breaks, saysV2("result_code", "FAIL", "err_code", code))))
		}
	}
}

func TestPAY13_what_the_status_means(t *testing.T) {
	for name, call := range calls {
		busy := payment.ErrWalletBusy
		if name == "close" {
			busy = payment.ErrWalletNotClosed
		}
		assertOnly(t, busy, call(t, newWalletV3(t, saysV3(429, `{"code":"NEVER_HEARD_OF"}`))))
		assertOnly(t, payment.ErrWalletBadResponse, call(t, newWalletV3(t, writesV3(429, `{"code":"FREQUENCY_LIMITED"}`, nil))))
		assertOnly(t, payment.ErrWalletBadResponse, call(t, newWalletV3(t, saysV3(500, refusalV3("SYSTEM_ERROR")))))
		assertOnly(t, payment.ErrWalletTimeout, call(t, newWalletV3(t, breaks)))
	}
}

// The wallet does not sign its answer to a request whose signature it does not accept.
func TestPAY13_the_wallet_rejects_the_signature(t *testing.T) {
	for name, want := range map[string]error{
		"prepare": payment.ErrWalletRefused, "query": payment.ErrWalletRefused, "close": payment.ErrWalletNotClosed,
	} {
		says := func(text string, header map[string]string) error {
			return calls[name](t, newWalletV3(t, writesV3(401, text, header)))
		}
		err := says(refusalV3("SIGN_ERROR"), map[string]string{"Date": noon.Format(http.TimeFormat)})
		assertOnly(t, want, err)
		require.ErrorContains(t, err, "check the clock, the private key and the serial number")
		assert.NotContains(t, err.Error(), "differs")
		early := says(refusalV3("SIGN_ERROR"), map[string]string{"Date": noon.Add(10 * time.Minute).Format(http.TimeFormat)})
		require.ErrorContains(t, early, "this server's clock differs from the wallet's by 10m0s")
		assertOnly(t, payment.ErrWalletBadResponse, says(refusalV3("ORDERPAID"), nil))
		assertOnly(t, payment.ErrWalletBadResponse, says("<html>", nil))
		assertOnly(t, payment.ErrWalletBadResponse, says(refusalV3("SIGN_ERROR"), map[string]string{"Wechatpay-Serial": keyID}))
	}
}
