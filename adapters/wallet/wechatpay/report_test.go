package wechatpay

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

func TestPAY11_how_a_payment_stands(t *testing.T) {
	refunded := paidReceipt()
	refunded.Refunded = true
	odd := map[string][][]any{
		"v2": {
			{"total_fee", nil}, {"total_fee", "-990"}, {"total_fee", "+990"}, {"total_fee", "9.90"}, {"total_fee", "99999999999999999999"},
			{"time_end", nil}, {"time_end", "2026-11-20"}, {"time_end", "20261320200102"},
		},
		"v3": {
			{"mchid", "1900000110"}, {"amount", map[string]any{"total": "990"}}, {"amount", map[string]any{"total": -990}},
			{"success_time", nil}, {"success_time", "20261120200102"}, {"trade_state", nil, "Trade_State", "SUCCESS"},
		},
	}
	forVersions(t, func(t *testing.T, v version) {
		for state, want := range map[string]payment.Report{
			"SUCCESS": {State: payment.WalletPaid, Receipt: paidReceipt()}, "REFUND": {State: payment.WalletPaid, Receipt: refunded},
			"NOTPAY": {State: payment.WalletUnpaid}, "USERPAYING": {State: payment.WalletUnpaid}, "PAYERROR": {State: payment.WalletUnpaid},
			"CLOSED": {State: payment.WalletClosed}, "REVOKED": {State: payment.WalletClosed},
		} {
			usual := v.unpaid
			if want.State == payment.WalletPaid {
				usual = v.paid
			}
			w := v.wallet(t, v.says(changed(usual, "trade_state", state)...))
			report, err := w.Query(t.Context(), payment.OfficialAccount, number)
			require.NoError(t, err, state)
			assert.Equal(t, want, report, state)
		}
		for _, fields := range append(odd[v.name], [][]any{
			{"trade_state", nil}, {"trade_state", "ODD"}, {"out_trade_no", "plaza-8"}, {"out_trade_no", nil}, {"transaction_id", nil},
		}...) {
			assertOnly(t, payment.ErrWalletBadResponse, query(t, v.wallet(t, v.says(changed(v.paid, fields...)...))))
		}
	})
}

func TestPAY11_the_other_application_is_asked_after_as_itself(t *testing.T) {
	w := newWalletV2(t, saysV2("appid", service, "trade_state", "CLOSED", "out_trade_no", string(number)))
	report, err := w.Query(t.Context(), payment.SvcIOSApp, number)
	require.NoError(t, err)
	assert.Equal(t, payment.WalletClosed, report.State)
	assert.Contains(t, w.requests()[0], "<appid>"+service+"</appid>")
}
