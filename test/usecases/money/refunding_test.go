package money_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/test/usecases"
)

// paid stores a paid order of 990 and returns its payments. The second one is RefundDue.
func (w *fixture) paid(transactions ...string) []payment.Payment {
	w.Helper()
	return w.settles(w.opens(1, usecases.Noon), transactions...)
}

func (w *fixture) draft(p payment.Payment, amount int64) payment.RefundDraft {
	return payment.RefundDraft{Payment: p.ID, Amount: &amount, Reason: "Cold", Origin: payment.RefundByStaff, Staff: w.ann.ID}
}

func (w *fixture) stored(t *testing.T, id payment.RefundID) payment.Refund {
	t.Helper()
	r, err := w.ledger.Refund(t.Context(), id)
	require.NoError(t, err)
	return r
}

// follow continues all refunds that are due then.
func (w *fixture) follow(t *testing.T, after time.Duration) {
	t.Helper()
	w.now = w.now.Add(after)
	_, err := w.Follow(t.Context())
	require.NoError(t, err)
}

func TestPAY14_what_the_wallet_may_have_returned_is_neither_returned_again_nor_forgotten(t *testing.T) {
	w := newFixture(t)
	p := w.paid("t")[0]
	w.wallet.after = payment.ErrWalletTimeout
	r, err := w.Request(t.Context(), w.draft(p, 600), nil, nil)
	require.NoError(t, err)
	assert.Empty(t, r.WalletID)
	w.wallet.hidden = true
	w.follow(t, 31*time.Second)
	assert.Equal(t, 1, w.wallet.asked("refund"), "the wallet may still deny it")
	for _, after := range []time.Duration{time.Hour, 2 * payment.RefundDoubt} {
		assert.Equal(t, payment.RefundProcessing, w.stored(t, r.ID).State)
		assert.NotContains(t, w.log.String(), "needs review")
		w.wallet.before = payment.ErrRefundTooMuch
		w.follow(t, after)
		_, err = w.Request(t.Context(), w.draft(p, 600), nil, nil)
		assert.True(t, fault.Is(err, fault.Conflict), "the amount is reserved")
	}
	assert.Equal(t, 3, w.wallet.asked("refund"))
	assert.Equal(t, payment.RefundAbnormal, w.stored(t, r.ID).State)
	assert.Contains(t, w.log.String(), "abnormal refund needs review")
	w.follow(t, payment.AbnormalInterval)
	asked := w.wallet.asked("refund query")
	w.follow(t, payment.AbnormalInterval-time.Second)
	assert.Equal(t, asked, w.wallet.asked("refund query"))
	w.wallet.hidden = false
	w.wallet.ends(payment.RefundSucceeded)
	w.follow(t, payment.AbnormalInterval)
	assert.Equal(t, payment.RefundSucceeded, w.stored(t, r.ID).State)
	assert.Len(t, w.wallet.ledger(), 1)
}

func TestPAY14_a_refund_that_never_arrived_is_sent_again_under_its_number(t *testing.T) {
	w := newFixture(t)
	p := w.paid("t")[0]
	w.wallet.before = payment.ErrWalletTimeout
	r, err := w.Request(t.Context(), w.draft(p, 300), nil, nil)
	require.NoError(t, err)
	w.follow(t, 30*time.Second)
	assert.Equal(t, 1, w.wallet.asked("refund"), "too early")
	w.follow(t, time.Hour)
	require.Len(t, w.wallet.sent, 2)
	assert.Equal(t, w.wallet.sent[0], w.wallet.sent[1])
	w.wallet.ends(payment.RefundSucceeded)
	w.follow(t, time.Hour)
	assert.Equal(t, payment.RefundSucceeded, w.stored(t, r.ID).State)
	assert.Len(t, w.wallet.ledger(), 1)
}

func TestPAY14_without_a_gateway_of_the_payments_protocol_nothing_is_stored(t *testing.T) {
	w := newFixture(t)
	p := w.paid("t")[0]
	for _, g := range []payment.Gateways{{}, {Current: newWallet("v3")}} {
		w.restart(g)
		_, err := w.Request(t.Context(), w.draft(p, 300), nil, nil)
		assert.ErrorIs(t, err, payment.ErrNoWallet)
	}
	all, err := w.Refunds(t.Context(), payment.RefundFilter{}, page.Request{})
	require.NoError(t, err)
	assert.Empty(t, all.Items)
}

func TestPAY14_a_refund_goes_over_the_protocol_of_its_payment(t *testing.T) {
	w := newFixture(t)
	current := newWallet("v3")
	w.restart(payment.Gateways{Current: current, Others: []payment.Gateway{w.wallet}})
	_, err := w.Request(t.Context(), w.draft(w.paid("t")[0], 300), nil, nil)
	require.NoError(t, err)
	stray, err := w.ledger.AddUnmatched(t.Context(), payment.UnmatchedPayment(
		payment.Receipt{TransactionID: "u", TradeNo: "of-no-order", App: payment.SvcIOSApp, Amount: 50, Currency: "CNY", Paid: usecases.Noon},
		payment.Protocol("v3"), usecases.Noon))
	require.NoError(t, err)
	_, err = w.Request(t.Context(), w.draft(stray, 50), nil, nil)
	require.NoError(t, err)
	assert.Len(t, w.wallet.sent, 1)
	require.Len(t, current.sent, 1)
	assert.Equal(t, payment.SvcIOSApp, current.sent[0].App)
	w.follow(t, time.Hour)
	assert.Equal(t, []int{1, 1}, []int{w.wallet.asked("refund query"), current.asked("refund query")})
}

func TestPAY14_what_is_due_is_refunded_by_itself_if_that_is_set(t *testing.T) {
	w := newFixture(t)
	all := w.paid("t", "twice")
	n, err := w.RefundDue(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n, "staff refunds")

	w.automatic = true
	w.restart(payment.Gateways{Current: w.wallet})
	for range 3 {
		_, err = w.RefundDue(t.Context())
		require.NoError(t, err)
	}
	require.Len(t, w.wallet.sent, 1)
	assert.Equal(t, "twice", w.wallet.sent[0].TransactionID)
	assert.EqualValues(t, 990, w.wallet.sent[0].Amount)
	refunds, err := w.Refunds(t.Context(), payment.RefundFilter{Payment: all[1].ID}, page.Request{})
	require.NoError(t, err)
	assert.Equal(t, payment.RefundByAutomatic, refunds.Items[0].Origin)
}

func TestPAY14_what_could_not_be_refunded_by_itself_is_left_to_staff(t *testing.T) {
	w := newFixture(t)
	w.paid("t", "twice")
	w.automatic = true
	w.restart(payment.Gateways{Current: w.wallet})
	w.wallet.before = payment.ErrRefundTooMuch
	n, err := w.RefundDue(t.Context())
	assert.ErrorIs(t, err, payment.ErrRefundTooMuch)
	assert.Zero(t, n)
	w.now = usecases.Noon.AddDate(0, 0, 1)
	n, err = w.RefundDue(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.Len(t, w.wallet.sent, 1)
}
