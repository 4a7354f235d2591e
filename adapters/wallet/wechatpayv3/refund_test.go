package wechatpayv3

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
	"plaza/test/ports"
)

const refundNo = payment.RefundNo("refund-7_1|*@")

func refundRequest() payment.RefundRequest {
	return payment.RefundRequest{
		No: refundNo, App: payment.OfficialAccount, TransactionID: "4200000001", Amount: 300, Total: 990, Currency: "CNY", Reason: "Cold <tea>",
	}
}

// refundFields is a refund, as the wallet reports it.
func refundFields() map[string]any {
	return map[string]any{
		"refund_id": "5030000001", "out_refund_no": string(refundNo), "transaction_id": "4200000001", "out_trade_no": string(number),
		"channel": "ORIGINAL", "status": "PROCESSING", "create_time": "2026-11-20T20:01:02+08:00",
		"amount": map[string]any{"total": 990, "refund": 300, "payer_refund": 250, "currency": "CNY"},
	}
}

func refundReported() payment.RefundReport {
	return payment.RefundReport{
		No: refundNo, WalletID: "5030000001", TransactionID: "4200000001", State: payment.RefundProcessing, Amount: 300, Currency: "CNY",
	}
}

func refund(t *testing.T, w payment.Gateway) error {
	t.Helper()
	report, err := w.Refund(t.Context(), refundRequest())
	if err != nil {
		assert.Zero(t, report)
	}
	return err
}

func queryRefund(t *testing.T, w payment.Gateway) error {
	t.Helper()
	report, err := w.QueryRefund(t.Context(), payment.OfficialAccount, refundNo)
	if err != nil {
		assert.Zero(t, report)
	}
	return err
}

func TestPAY14_what_the_wallet_hears_of_a_refund(t *testing.T) {
	w := newWallet(t, says(t, 200, fields(t, refundFields())))
	report, err := w.Refund(t.Context(), refundRequest())
	require.NoError(t, err)
	assert.Equal(t, refundReported(), report)
	report, err = w.QueryRefund(t.Context(), payment.OfficialAccount, refundNo)
	require.NoError(t, err)
	assert.Equal(t, refundReported(), report)
	assert.Equal(t, []string{heard(t, "refund"), heard(t, "refund-query")}, w.requests())
}

func TestPAY14_how_a_refund_stands(t *testing.T) {
	for state, want := range map[string]payment.RefundState{
		"PROCESSING": payment.RefundProcessing, "SUCCESS": payment.RefundSucceeded, "CLOSED": payment.RefundClosed, "ABNORMAL": payment.RefundAbnormal,
	} {
		w := newWallet(t, says(t, 200, fields(t, refundFields(), "status", state, "success_time", "2026-11-20T20:02:02+08:00")))
		report, err := w.QueryRefund(t.Context(), payment.OfficialAccount, refundNo)
		require.NoError(t, err)
		expected := refundReported()
		if expected.State = want; want == payment.RefundSucceeded {
			expected.Succeeded = noon.Add(2*time.Minute + 2*time.Second)
		}
		assert.Equal(t, expected, report)
	}
	for name, body := range map[string]string{
		"an unknown state":           fields(t, refundFields(), "status", "ODD"),
		"a success without its time": fields(t, refundFields(), "status", "SUCCESS"),
		"another refund":             fields(t, refundFields(), "out_refund_no", "refund-8"),
		"without an id":              fields(t, refundFields(), "refund_id", nil),
		"without an amount":          fields(t, refundFields(), "amount", nil),
	} {
		for _, do := range []ports.WalletCall{refund, queryRefund} {
			assertOnly(t, payment.ErrWalletBadResponse, do(t, newWallet(t, says(t, 200, body))))
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
		w := newWallet(t, says(t, 400, refusal(t, code)))
		assertOnly(t, want, refund(t, w))
		assert.Len(t, w.requests(), 1, code)
		assertOnly(t, payment.ErrWalletBadResponse, refund(t, newWallet(t, writes(400, refusal(t, code), nil))))
	}
	for code, want := range map[string]error{
		"RESOURCE_NOT_EXISTS": payment.ErrRefundNotFound, "FREQUENCY_LIMITED": payment.ErrWalletBusy, "NO_AUTH": payment.ErrWalletRefused,
		"INVALID_REQUEST": payment.ErrWalletBadResponse, "NOT_ENOUGH": payment.ErrWalletBadResponse,
	} {
		assertOnly(t, want, queryRefund(t, newWallet(t, says(t, 404, refusal(t, code)))))
	}
	for _, do := range []ports.WalletCall{refund, queryRefund} {
		assertOnly(t, payment.ErrWalletBadResponse, do(t, newWallet(t, says(t, 500, refusal(t, "SYSTEM_ERROR")))))
		assertOnly(t, payment.ErrWalletTimeout, do(t, newWallet(t, breaks)))
	}
}

// The wallet has one code for several broken rules, so it is asked whether the number was used before.
func TestPAY14_a_rule_of_refunds_that_is_broken(t *testing.T) {
	broken := says(t, 400, refusal(t, "INVALID_REQUEST"))
	for name, c := range map[string]struct {
		then http.HandlerFunc
		want error
	}{
		"no refund has the number": {says(t, 404, refusal(t, "RESOURCE_NOT_EXISTS")), payment.ErrRefundTooMuch},
		"the same refund":          {says(t, 200, fields(t, refundFields())), nil},
		"another amount":           {says(t, 200, fields(t, refundFields(), "amount", map[string]any{"refund": 301})), payment.ErrRefundDiffers},
		"another currency":         {says(t, 200, fields(t, refundFields(), "amount", map[string]any{"refund": 300, "currency": "USD"})), payment.ErrRefundDiffers},
		"another payment":          {says(t, 200, fields(t, refundFields(), "transaction_id", "4200000002")), payment.ErrRefundDiffers},
		"no answer":                {breaks, payment.ErrWalletTimeout},
		"nonsense":                 {says(t, 200, "{}"), payment.ErrWalletBadResponse},
	} {
		w := newWallet(t, broken, c.then)
		err := refund(t, w)
		if c.want == nil {
			require.NoError(t, err, name)
			continue
		}
		assertOnly(t, c.want, err)
		assert.Contains(t, w.requests()[1], "GET /v3/refund/domestic/refunds/refund-7_1", name)
	}
	w := newWallet(t, says(t, 200, fields(t, refundFields(), "amount", map[string]any{"refund": 301})))
	assertOnly(t, payment.ErrRefundDiffers, refund(t, w))
}

// A notification is a reason to ask, never a fact: what it says of the state is left.
func TestPAY14_a_refund_notification(t *testing.T) {
	g := newGateway(t, "https://wallet.example")
	changed := func(changes ...any) string {
		return fields(t, map[string]any{"mchid": merchant, "out_refund_no": string(refundNo), "refund_status": "SUCCESS"}, changes...)
	}
	notice := func(kind, resource string) (payment.Notice, error) {
		return g.Receive(notified(t, event(t, kind, sealed(t, testKey, resource, "refund"))))
	}
	for _, kind := range []string{"REFUND.SUCCESS", "REFUND.ABNORMAL", "REFUND.CLOSED"} {
		n, err := notice(kind, changed())
		require.NoError(t, err)
		assert.Equal(t, payment.Notice{Refund: refundNo}, n)
	}
	for _, resource := range []string{
		changed("out_refund_no", nil), changed("out_refund_no", "a/../b"), changed("mchid", "1900000110"), changed("mchid", nil), "refund",
	} {
		n, err := notice("REFUND.SUCCESS", resource)
		require.ErrorIs(t, err, payment.ErrForged)
		assert.Zero(t, n)
	}
}
