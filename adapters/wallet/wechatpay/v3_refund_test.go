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

const refundNoV3 = payment.RefundNo("refund-7_1|*@")

func refundRequestV3() payment.RefundRequest {
	return payment.RefundRequest{
		No: refundNoV3, App: payment.OfficialAccount, TransactionID: "4200000001", Amount: 300, Total: 990, Currency: "CNY", Reason: "Cold <tea>",
	}
}

// refundFields is a refund, as the wallet reports it.
func refundFieldsV3() map[string]any {
	return map[string]any{
		"refund_id": "5030000001", "out_refund_no": string(refundNoV3), "transaction_id": "4200000001", "out_trade_no": string(number),
		"channel": "ORIGINAL", "status": "PROCESSING", "create_time": "2026-11-20T20:01:02+08:00",
		"amount": map[string]any{"total": 990, "refund": 300, "payer_refund": 250, "currency": "CNY"},
	}
}

func refundReportedV3() payment.RefundReport {
	return payment.RefundReport{
		No: refundNoV3, WalletID: "5030000001", TransactionID: "4200000001", State: payment.RefundProcessing, Amount: 300, Currency: "CNY",
	}
}

func refundV3(t *testing.T, w payment.Gateway) error {
	t.Helper()
	report, err := w.Refund(t.Context(), refundRequestV3())
	if err != nil {
		assert.Zero(t, report)
	}
	return err
}

func queryRefundV3(t *testing.T, w payment.Gateway) error {
	t.Helper()
	report, err := w.QueryRefund(t.Context(), payment.OfficialAccount, refundNoV3)
	if err != nil {
		assert.Zero(t, report)
	}
	return err
}

func TestPAY14_what_the_wallet_hears_of_a_refund(t *testing.T) {
	w := newWalletV3(t, saysV3(t, 200, fieldsV3(t, refundFieldsV3())))
	report, err := w.Refund(t.Context(), refundRequestV3())
	require.NoError(t, err)
	assert.Equal(t, refundReportedV3(), report)
	report, err = w.QueryRefund(t.Context(), payment.OfficialAccount, refundNoV3)
	require.NoError(t, err)
	assert.Equal(t, refundReportedV3(), report)
	assert.Equal(t, []string{heardV3(t, "refund"), heardV3(t, "refund-query")}, w.requests())
}

func TestPAY14_how_a_refund_stands(t *testing.T) {
	for state, want := range map[string]payment.RefundState{
		"PROCESSING": payment.RefundProcessing, "SUCCESS": payment.RefundSucceeded, "CLOSED": payment.RefundClosed, "ABNORMAL": payment.RefundAbnormal,
	} {
		w := newWalletV3(t, saysV3(t, 200, fieldsV3(t, refundFieldsV3(), "status", state, "success_time", "2026-11-20T20:02:02+08:00")))
		report, err := w.QueryRefund(t.Context(), payment.OfficialAccount, refundNoV3)
		require.NoError(t, err)
		expected := refundReportedV3()
		if expected.State = want; want == payment.RefundSucceeded {
			expected.Succeeded = noon.Add(2*time.Minute + 2*time.Second)
		}
		assert.Equal(t, expected, report)
	}
	for name, body := range map[string]string{
		"an unknown state":           fieldsV3(t, refundFieldsV3(), "status", "ODD"),
		"a success without its time": fieldsV3(t, refundFieldsV3(), "status", "SUCCESS"),
		"another refund":             fieldsV3(t, refundFieldsV3(), "out_refund_no", "refund-8"),
		"without an id":              fieldsV3(t, refundFieldsV3(), "refund_id", nil),
		"without an amount":          fieldsV3(t, refundFieldsV3(), "amount", nil),
	} {
		for _, do := range []ports.WalletCall{refundV3, queryRefundV3} {
			assertOnlyV3(t, payment.ErrWalletBadResponse, do(t, newWalletV3(t, saysV3(t, 200, body))))
			_ = name
		}
	}
}

func TestPAY14_what_the_wallets_codes_mean_for_refunds(t *testing.T) {
	for code, want := range map[string]error{
		"NOT_ENOUGH": payment.ErrMerchantFunds, "RESOURCE_NOT_EXISTS": payment.ErrWalletNotFound, "USER_ACCOUNT_ABNORMAL": payment.ErrWalletRefused,
		"FREQUENCY_LIMITED": payment.ErrWalletBusy, "NO_AUTH": payment.ErrWalletRefused, "PARAM_ERROR": payment.ErrWalletRefused,
		"SIGN_ERROR": payment.ErrWalletRefused, "NEVER_HEARD_OF": payment.ErrWalletBadResponse,
	} {
		w := newWalletV3(t, saysV3(t, 400, refusalV3(t, code)))
		assertOnlyV3(t, want, refundV3(t, w))
		assert.Len(t, w.requests(), 1, code)
		assertOnlyV3(t, payment.ErrWalletBadResponse, refundV3(t, newWalletV3(t, writesV3(400, refusalV3(t, code), nil))))
	}
	for code, want := range map[string]error{
		"RESOURCE_NOT_EXISTS": payment.ErrRefundNotFound, "FREQUENCY_LIMITED": payment.ErrWalletBusy, "NO_AUTH": payment.ErrWalletRefused,
		"INVALID_REQUEST": payment.ErrWalletBadResponse, "NOT_ENOUGH": payment.ErrWalletBadResponse,
	} {
		assertOnlyV3(t, want, queryRefundV3(t, newWalletV3(t, saysV3(t, 404, refusalV3(t, code)))))
	}
	for _, do := range []ports.WalletCall{refundV3, queryRefundV3} {
		assertOnlyV3(t, payment.ErrWalletBadResponse, do(t, newWalletV3(t, saysV3(t, 500, refusalV3(t, "SYSTEM_ERROR")))))
		assertOnlyV3(t, payment.ErrWalletTimeout, do(t, newWalletV3(t, breaks)))
	}
}

// The wallet has one code for several broken rules, so it is asked whether the number was used before.
func TestPAY14_a_rule_of_refunds_that_is_broken(t *testing.T) {
	broken := saysV3(t, 400, refusalV3(t, "INVALID_REQUEST"))
	for name, c := range map[string]struct {
		then http.HandlerFunc
		want error
	}{
		"no refund has the number": {saysV3(t, 404, refusalV3(t, "RESOURCE_NOT_EXISTS")), payment.ErrRefundTooMuch},
		"the same refund":          {saysV3(t, 200, fieldsV3(t, refundFieldsV3())), nil},
		"another amount":           {saysV3(t, 200, fieldsV3(t, refundFieldsV3(), "amount", map[string]any{"refund": 301})), payment.ErrRefundDiffers},
		"another currency":         {saysV3(t, 200, fieldsV3(t, refundFieldsV3(), "amount", map[string]any{"refund": 300, "currency": "USD"})), payment.ErrRefundDiffers},
		"another payment":          {saysV3(t, 200, fieldsV3(t, refundFieldsV3(), "transaction_id", "4200000002")), payment.ErrRefundDiffers},
		"no answer":                {breaks, payment.ErrWalletTimeout},
		"nonsense":                 {saysV3(t, 200, "{}"), payment.ErrWalletBadResponse},
	} {
		w := newWalletV3(t, broken, c.then)
		err := refundV3(t, w)
		if c.want == nil {
			require.NoError(t, err, name)
			continue
		}
		assertOnlyV3(t, c.want, err)
		assert.Contains(t, w.requests()[1], "GET /v3/refund/domestic/refunds/refund-7_1", name)
	}
	w := newWalletV3(t, saysV3(t, 200, fieldsV3(t, refundFieldsV3(), "amount", map[string]any{"refund": 301})))
	assertOnlyV3(t, payment.ErrRefundDiffers, refundV3(t, w))
}

// A notification is a reason to ask, never a fact: what it says of the state is left.
func TestPAY14_a_refund_notification_v3(t *testing.T) {
	g := newV3(t, "https://wallet.example")
	changed := func(changes ...any) string {
		return fieldsV3(t, map[string]any{"mchid": merchantV3, "out_refund_no": string(refundNoV3), "refund_status": "SUCCESS"}, changes...)
	}
	notice := func(kind, resource string) (payment.Notice, error) {
		return g.Receive(notifiedV3(t, eventV3(t, kind, sealed(t, keyV3, resource, "refund"))))
	}
	for _, kind := range []string{"REFUND.SUCCESS", "REFUND.ABNORMAL", "REFUND.CLOSED"} {
		n, err := notice(kind, changed())
		require.NoError(t, err)
		assert.Equal(t, payment.Notice{Refund: refundNoV3}, n)
	}
	for _, resource := range []string{
		changed("out_refund_no", nil), changed("out_refund_no", "a/../b"), changed("mchid", "1900000110"), changed("mchid", nil), "refund",
	} {
		n, err := notice("REFUND.SUCCESS", resource)
		require.ErrorIs(t, err, payment.ErrForged)
		assert.Zero(t, n)
	}
}
