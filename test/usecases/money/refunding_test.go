package money_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/memory"
	"plaza/application/refunding"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
	"plaza/test/usecases"
)

var refundingLimits = refunding.Limits{Call: 5 * time.Second, Interval: 30 * time.Second}

type refundingFixture struct {
	*refunding.Refunding
	ledger payment.Ledger
	wallet *refundingWallet
	staff  user.ID
	now    time.Time
	log    *bytes.Buffer
}

func newRefundingFixture(t *testing.T) *refundingFixture {
	t.Helper()
	store := memory.New()
	w := &refundingFixture{
		ledger: store.Ledger(), wallet: newRefundingWallet(payment.Protocol("v2")), now: usecases.Noon, log: &bytes.Buffer{},
	}
	w.staff = usecases.OpenActor(t, store, "+86-13900000001").ID
	w.restart(payment.Gateways{Current: w.wallet}, refundingLimits)
	return w
}

// restart replaces the server.
func (w *refundingFixture) restart(g payment.Gateways, l refunding.Limits) {
	log := slog.New(slog.NewTextHandler(w.log, nil))
	w.Refunding = refunding.New(w.ledger, g, l, func() time.Time { return w.now }, func(context.Context) *slog.Logger { return log })
}

// paid stores a paid order of 990 and returns its payment. The second payment of the order is RefundDue.
func (w *refundingFixture) paid(t *testing.T, transactions ...string) (all []payment.Payment) {
	t.Helper()
	o, err := w.ledger.AddOrder(t.Context(), payment.NewOrder(w.staff, "Tea", 990, time.Hour, usecases.Noon), nil)
	require.NoError(t, err)
	no := payment.TradeNo(fmt.Sprint("order-", o.ID))
	require.NoError(t, w.ledger.Change(t.Context(), o.ID, func(tr *payment.Trade) error {
		_, err := tr.Begin(payment.BeginRequest{
			Intent: nativeIntent, TradeNo: no, Protocol: payment.Protocol("v2"), Lease: time.Second,
			BuildRequest: func(payment.Order, payment.Intent, payment.TradeNo) ([]byte, error) { return nil, nil },
		}, usecases.Noon)
		for _, transaction := range transactions {
			tr.Settle(payment.Receipt{TransactionID: transaction, TradeNo: no, App: payment.OfficialAccount, Amount: 990, Currency: "CNY",
				Paid: usecases.Noon}, usecases.Noon)
		}
		return err
	}))
	require.NoError(t, w.ledger.Change(t.Context(), o.ID, func(tr *payment.Trade) error {
		all = tr.Payments
		return nil
	}))
	return all
}

func (w *refundingFixture) draft(p payment.Payment, amount int64) payment.RefundDraft {
	return payment.RefundDraft{Payment: p.ID, Amount: &amount, Reason: "Cold", Origin: payment.RefundByStaff, Staff: w.staff}
}

func (w *refundingFixture) stored(t *testing.T, id payment.RefundID) payment.Refund {
	t.Helper()
	r, err := w.ledger.Refund(t.Context(), id)
	require.NoError(t, err)
	return r
}

// follow continues all refunds that are due then.
func (w *refundingFixture) follow(t *testing.T, after time.Duration) {
	t.Helper()
	w.now = w.now.Add(after)
	_, err := w.Follow(t.Context())
	require.NoError(t, err)
}

func TestPAY14_a_refund_is_followed_until_it_ends(t *testing.T) {
	for _, state := range []payment.RefundState{payment.RefundSucceeded, payment.RefundClosed, payment.RefundAbnormal} {
		w := newRefundingFixture(t)
		p := w.paid(t, "t")[0]
		r, err := w.Request(t.Context(), w.draft(p, 300), nil, nil)
		require.NoError(t, err)
		assert.Equal(t, payment.RefundProcessing, r.State)
		assert.Equal(t, "W"+string(r.No), r.WalletID)
		assert.Positive(t, r.ID)
		w.follow(t, time.Hour)
		assert.Equal(t, payment.RefundProcessing, w.stored(t, r.ID).State)
		w.wallet.ends(state)
		w.follow(t, time.Hour)
		assert.Equal(t, state, w.stored(t, r.ID).State)
		assert.Equal(t, 1, w.wallet.asked("refund"))
		assert.Equal(t, state == payment.RefundAbnormal, bytes.Contains(w.log.Bytes(), []byte("needs review")))
		queries := w.wallet.asked("query")
		w.follow(t, time.Hour)
		assert.Equal(t, queries, w.wallet.asked("query"), "it has ended, or waits for staff")
	}
}

func TestPAY14_a_refund_whose_answer_was_lost_is_found_by_asking(t *testing.T) {
	for name, cause := range map[string]error{
		"silence": payment.ErrWalletTimeout, "nonsense": payment.ErrWalletBadResponse, "a reset": errors.New("reset"),
		"another": payment.ErrRefundDiffers,
	} {
		w := newRefundingFixture(t)
		p := w.paid(t, "t")[0]
		w.wallet.after = cause
		r, err := w.Request(t.Context(), w.draft(p, 300), nil, nil)
		require.NoError(t, err, name)
		assert.Equal(t, payment.RefundProcessing, r.State)
		assert.Empty(t, r.WalletID)
		w.wallet.hidden = true
		w.follow(t, 31*time.Second)
		assert.Equal(t, 1, w.wallet.asked("refund"), "the wallet may still deny it")
		w.wallet.hidden = false
		w.wallet.ends(payment.RefundSucceeded)
		w.follow(t, time.Hour)
		assert.Equal(t, payment.RefundSucceeded, w.stored(t, r.ID).State)
		assert.Equal(t, 1, w.wallet.asked("refund"))
	}
}

func TestPAY14_a_refund_that_never_arrived_is_sent_again_under_its_number(t *testing.T) {
	w := newRefundingFixture(t)
	p := w.paid(t, "t")[0]
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

// The wallet has the refund, denies it for a while, and refuses what is sent again.
func TestPAY14_what_the_wallet_may_have_returned_is_not_returned_again(t *testing.T) {
	for name, lost := range map[string]func(w *refundingFixture, p payment.Payment){
		"no answer": func(w *refundingFixture, p payment.Payment) {
			w.wallet.after = payment.ErrWalletTimeout
			_, err := w.Request(t.Context(), w.draft(p, 600), nil, nil)
			require.NoError(t, err)
		},
		"the server crashed": func(w *refundingFixture, p payment.Payment) {
			_, err := w.ledger.ChangeRefunds(t.Context(), p.ID, func(a *payment.RefundAccount) error {
				require.NoError(t, a.Request(w.draft(p, 600), "refund-of-a-crash", w.now))
				sending, _ := a.BeginSending("refund-of-a-crash", time.Minute, w.now)
				_, err := w.wallet.Refund(t.Context(), sending.RefundRequest)
				return err
			})
			require.NoError(t, err)
		},
	} {
		for _, cause := range []error{payment.ErrRefundTooMuch, payment.ErrWalletRefused, payment.ErrRefundsOff, payment.ErrWalletNotFound} {
			w := newRefundingFixture(t)
			p := w.paid(t, "t")[0]
			lost(w, p)
			w.wallet.hidden, w.wallet.before = true, cause
			w.follow(t, time.Hour)
			require.Equal(t, 2, w.wallet.asked("refund"), name)
			assert.Equal(t, payment.RefundProcessing, w.stored(t, 1).State, "%s, then %v", name, cause)
			_, err := w.Request(t.Context(), w.draft(p, 600), nil, nil)
			assert.True(t, fault.Is(err, fault.Conflict), "the amount is reserved")

			w.wallet.hidden = false
			w.wallet.ends(payment.RefundSucceeded)
			w.follow(t, time.Hour)
			assert.Equal(t, payment.RefundSucceeded, w.stored(t, 1).State)
			assert.Len(t, w.wallet.ledger(), 1)
		}
	}
}

func TestPAY14_what_the_wallet_refuses_for_a_day_and_may_have_is_for_staff(t *testing.T) {
	w := newRefundingFixture(t)
	p := w.paid(t, "t")[0]
	w.wallet.after = payment.ErrWalletTimeout
	r, err := w.Request(t.Context(), w.draft(p, 990), nil, nil)
	require.NoError(t, err)
	w.wallet.hidden = true
	for w.stored(t, r.ID).State == payment.RefundProcessing {
		require.Less(t, w.now.Sub(usecases.Noon), 2*payment.RefundDoubt)
		assert.NotContains(t, w.log.String(), "needs review")
		w.wallet.before = payment.ErrRefundTooMuch
		w.follow(t, 2*time.Hour)
	}
	assert.Equal(t, payment.RefundAbnormal, w.stored(t, r.ID).State)
	assert.Contains(t, w.log.String(), "abnormal refund needs review")
	w.wallet.hidden, w.wallet.before = false, nil
	w.wallet.ends(payment.RefundSucceeded)
	w.follow(t, payment.AbnormalInterval)
	assert.Equal(t, payment.RefundSucceeded, w.stored(t, r.ID).State)
	assert.Len(t, w.wallet.ledger(), 1)
}

func TestPAY14_what_the_wallet_refuses_is_closed_and_may_be_refunded_anew(t *testing.T) {
	for _, cause := range []error{payment.ErrRefundTooMuch, payment.ErrWalletRefused, payment.ErrRefundsOff, payment.ErrWalletNotFound} {
		w := newRefundingFixture(t)
		p := w.paid(t, "t")[0]
		w.wallet.before = cause
		_, err := w.Request(t.Context(), w.draft(p, 990), nil, nil)
		require.ErrorIs(t, err, cause)
		all, err := w.Refunds(t.Context(), payment.RefundFilter{State: payment.RefundClosed, Payment: p.ID}, page.Request{})
		require.NoError(t, err)
		require.Len(t, all.Items, 1)
		w.now = usecases.Noon.Add(time.Hour)
		_, err = w.Request(t.Context(), w.draft(p, 990), nil, nil)
		assert.NoError(t, err)
	}
}

func TestPAY14_what_may_be_sent_again_stays(t *testing.T) {
	for _, cause := range []error{payment.ErrMerchantFunds, payment.ErrWalletBusy} {
		w := newRefundingFixture(t)
		p := w.paid(t, "t")[0]
		w.wallet.before = cause
		r, err := w.Request(t.Context(), w.draft(p, 990), nil, nil)
		require.NoError(t, err)
		assert.Equal(t, payment.RefundProcessing, r.State)
		w.follow(t, time.Hour)
		assert.NotEmpty(t, w.stored(t, r.ID).WalletID)
	}
}

func TestPAY14_refunds_of_one_payment_are_spaced(t *testing.T) {
	w := newRefundingFixture(t)
	p := w.paid(t, "t")[0]
	_, err := w.Request(t.Context(), w.draft(p, 300), nil, nil)
	require.NoError(t, err)
	second, err := w.Request(t.Context(), w.draft(p, 300), nil, nil)
	require.NoError(t, err)
	assert.Empty(t, second.WalletID)
	assert.Equal(t, 1, w.wallet.asked("refund"))
	w.follow(t, 59*time.Second)
	assert.Equal(t, 1, w.wallet.asked("refund"))
	w.follow(t, time.Second)
	assert.Equal(t, 2, w.wallet.asked("refund"))
	assert.NotEmpty(t, w.stored(t, second.ID).WalletID)
}

func TestPAY14_a_repeated_request_makes_one_refund(t *testing.T) {
	w := newRefundingFixture(t)
	p := w.paid(t, "t")[0]
	draft := w.draft(p, 300)
	request := func() (payment.Refund, error) {
		k, err := idempotency.NewKey(w.staff, "k", payment.RefundContent(draft))
		require.NoError(t, err)
		return w.Request(t.Context(), draft, k, nil)
	}
	r, err := request()
	require.NoError(t, err)
	w.wallet.ends(payment.RefundSucceeded)
	w.follow(t, time.Hour)
	again, err := request()
	require.NoError(t, err)
	assert.Equal(t, r.ID, again.ID)
	assert.Equal(t, payment.RefundSucceeded, again.State, "as it is by then")
	draft.Amount = nil
	_, err = request()
	assert.ErrorIs(t, err, idempotency.ErrKeyReused)
	assert.Len(t, w.wallet.ledger(), 1)
}

func TestPAY14_all_wrong_fields_are_told_and_unknown_payments(t *testing.T) {
	w := newRefundingFixture(t)
	_, err := w.Request(t.Context(), payment.RefundDraft{Amount: new(int64(0))}, nil, fault.Field("payment", "A valid integer is required."))
	assert.Len(t, fault.FieldsOf(err), 3)
	_, err = w.Request(t.Context(), payment.RefundDraft{Payment: 99, Reason: "x"}, nil, nil)
	assert.ErrorIs(t, err, payment.ErrNoPayment)
}

func TestPAY14_without_a_gateway_of_the_payments_protocol_nothing_is_stored(t *testing.T) {
	w := newRefundingFixture(t)
	p := w.paid(t, "t")[0]
	for _, g := range []payment.Gateways{{}, {Current: newRefundingWallet(payment.Protocol("v3"))}} {
		w.restart(g, refundingLimits)
		_, err := w.Request(t.Context(), w.draft(p, 300), nil, nil)
		assert.ErrorIs(t, err, payment.ErrNoWallet)
	}
	all, err := w.Refunds(t.Context(), payment.RefundFilter{}, page.Request{})
	require.NoError(t, err)
	assert.Empty(t, all.Items)
}

func TestPAY14_a_refund_goes_over_the_protocol_of_its_payment(t *testing.T) {
	w := newRefundingFixture(t)
	current := newRefundingWallet(payment.Protocol("v3"))
	w.restart(payment.Gateways{Current: current, Others: []payment.Gateway{w.wallet}}, refundingLimits)
	_, err := w.Request(t.Context(), w.draft(w.paid(t, "t")[0], 300), nil, nil)
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
	assert.Equal(t, []int{1, 1}, []int{w.wallet.asked("query"), current.asked("query")})
}

func TestPAY14_what_is_due_is_refunded_by_itself_if_that_is_set(t *testing.T) {
	w := newRefundingFixture(t)
	all := w.paid(t, "t", "twice")
	n, err := w.RefundDue(t.Context())
	require.NoError(t, err)
	assert.Zero(t, n, "staff refunds")

	automatic := refundingLimits
	automatic.Automatic = true
	w.restart(payment.Gateways{Current: w.wallet}, automatic)
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
	w := newRefundingFixture(t)
	w.paid(t, "t", "twice")
	automatic := refundingLimits
	automatic.Automatic = true
	w.restart(payment.Gateways{Current: w.wallet}, automatic)
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
