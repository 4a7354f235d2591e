package payment_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

func refundable() payment.RefundAccount {
	return payment.RefundAccount{
		Payment: payment.Payment{ID: 71, Order: 7, TransactionID: "t", TradeNo: "order-7", State: payment.Applied, Amount: 990, Currency: "CNY",
			Received: noon},
		App: payment.OfficialAccount,
	}
}

func partOf(amount int64) payment.RefundDraft {
	return payment.RefundDraft{Payment: 71, Amount: &amount, Reason: " Cold tea ", Origin: payment.RefundByStaff, Staff: 5}
}

func reportOf(a payment.RefundAccount, r payment.Refund, s payment.RefundState) payment.RefundReport {
	return payment.RefundReport{No: r.No, WalletID: "5030", TransactionID: a.Payment.TransactionID, State: s, Amount: r.Amount,
		Currency: r.Currency}
}

func TestPAY14_fields_of_a_refund(t *testing.T) {
	for name, c := range map[string]struct {
		draft payment.RefundDraft
		wrong []string
	}{
		"no amount: the rest": {payment.RefundDraft{Reason: "x"}, nil},
		"the longest reason":  {payment.RefundDraft{Reason: strings.Repeat("x", 80)}, nil},
		"zero":                {payment.RefundDraft{Amount: new(int64(0)), Reason: "x"}, []string{"amount"}},
		"less":                {payment.RefundDraft{Amount: new(int64(-1)), Reason: "x"}, []string{"amount"}},
		"no reason":           {payment.RefundDraft{Reason: " \u200b"}, []string{"reason"}},
		"a long reason":       {payment.RefundDraft{Reason: strings.Repeat("茶", 27)}, []string{"reason"}},
		"everything":          {payment.RefundDraft{Amount: new(int64(0))}, []string{"amount", "reason"}},
	} {
		fields := fault.FieldsOf(c.draft.Check())
		assert.Len(t, fields, len(c.wrong), name)
		for _, f := range c.wrong {
			assert.Contains(t, fields, f, name)
		}
	}
}

func TestPAY14_never_more_than_was_paid(t *testing.T) {
	a := refundable()
	require.NoError(t, a.Request(partOf(300), "refund-1", noon))
	require.NoError(t, a.Request(partOf(600), "refund-2", noon))
	err := a.Request(partOf(91), "refund-3", noon)
	assert.True(t, fault.Is(err, fault.Conflict))
	assert.ErrorContains(t, err, "Only 90 ")
	require.NoError(t, a.Request(payment.RefundDraft{Reason: "x", Origin: payment.RefundByCommand}, "refund-3", noon))
	assert.EqualValues(t, 90, a.Refunds[2].Amount, "the rest")
	assert.ErrorIs(t, a.Request(partOf(1), "refund-4", noon), payment.ErrNothingLeft)
	assert.ErrorIs(t, a.Request(payment.RefundDraft{Reason: "x"}, "refund-4", noon), payment.ErrNothingLeft)
	assert.Equal(t, payment.Refund{
		Payment: 71, No: "refund-1", Amount: 300, Currency: "CNY", Reason: "Cold tea", Origin: payment.RefundByStaff, Staff: 5,
		State: payment.RefundProcessing, Created: noon, Updated: noon, NextCheck: noon,
	}, a.Refunds[0])
	for state, left := range map[payment.RefundState]int64{
		payment.RefundProcessing: 0, payment.RefundSucceeded: 0, payment.RefundAbnormal: 0, payment.RefundClosed: 600,
	} {
		b := a
		b.Refunds = append([]payment.Refund{}, a.Refunds...)
		b.RecordReport("refund-2", reportOf(a, a.Refunds[1], state), time.Minute, noon)
		assert.Equal(t, 990-left, b.Refunded(), state)
	}
}

func TestPAY14_a_payment_has_fifty_refunds(t *testing.T) {
	a := refundable()
	for n := range payment.MaxRefunds {
		require.NoError(t, a.Request(partOf(1), payment.RefundNo(fmt.Sprint("refund-", n)), noon))
	}
	assert.ErrorIs(t, a.Request(partOf(1), "refund-50", noon), payment.ErrTooManyRefunds)
	a.RecordReport("refund-7", reportOf(a, a.Refunds[7], payment.RefundClosed), time.Minute, noon)
	assert.NoError(t, a.Request(partOf(1), "refund-50", noon), "closed ones don't count")
}

func TestPAY14_an_automatic_refund_is_the_first_of_a_payment_that_is_due(t *testing.T) {
	automatic := payment.RefundDraft{Reason: "x", Origin: payment.RefundByAutomatic}
	a := refundable()
	assert.ErrorIs(t, a.Request(automatic, "refund-1", noon), payment.ErrNothingLeft, "it paid its order")
	a.Payment.State = payment.RefundDue
	require.NoError(t, a.Request(automatic, "refund-1", noon))
	a.RecordReport("refund-1", reportOf(a, a.Refunds[0], payment.RefundClosed), time.Minute, noon)
	assert.ErrorIs(t, a.Request(automatic, "refund-2", noon), payment.ErrNothingLeft, "staff decides")
}

func TestPAY14_refunds_of_a_payment_take_turns(t *testing.T) {
	a := refundable()
	require.NoError(t, a.Request(partOf(1), "refund-1", noon))
	require.NoError(t, a.Request(partOf(2), "refund-2", noon))
	first, sends := a.BeginSending("refund-1", time.Minute, noon)
	assert.True(t, sends)
	assert.Equal(t, payment.RefundSending{RefundRequest: payment.RefundRequest{
		No: "refund-1", App: payment.OfficialAccount, TransactionID: "t", Amount: 1, Total: 990, Currency: "CNY", Reason: "Cold tea",
	}, At: noon}, first)
	assert.Equal(t, noon, a.Refunds[0].Sent)
	assert.Equal(t, noon.Add(time.Minute), a.Refunds[0].NextCheck)
	_, sends = a.BeginSending("refund-2", time.Minute, noon.Add(time.Second))
	assert.False(t, sends)
	assert.Equal(t, noon.Add(payment.RefundSpacing), a.Refunds[1].NextCheck)
	second, sends := a.BeginSending("refund-2", time.Minute, noon.Add(payment.RefundSpacing))
	assert.True(t, sends)
	assert.False(t, second.IsRepeated)
	again, sends := a.BeginSending("refund-1", time.Minute, noon.Add(3*time.Minute))
	assert.True(t, sends)
	assert.Equal(t, payment.RefundSending{RefundRequest: first.RefundRequest, At: noon.Add(3 * time.Minute), IsRepeated: true}, again,
		"the same request")
	a.RecordReport("refund-1", reportOf(a, a.Refunds[0], payment.RefundProcessing), time.Minute, noon)
	_, sends = a.BeginSending("refund-1", time.Minute, noon.Add(time.Hour))
	assert.False(t, sends, "the wallet has it")
	_, sends = a.BeginSending("unknown", time.Minute, noon.Add(time.Hour))
	assert.False(t, sends)
}

func TestPAY14_reports(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*payment.RefundReport)
		state  payment.RefundState
		next   time.Duration // zero: never
		noted  payment.Noted
	}{
		"processing": {func(*payment.RefundReport) {}, payment.RefundProcessing, 15 * time.Minute, ""},
		"succeeded": {func(r *payment.RefundReport) { r.State = payment.RefundSucceeded }, payment.RefundSucceeded, 0,
			payment.NotedRefundSucceeded},
		"closed": {func(r *payment.RefundReport) { r.State = payment.RefundClosed }, payment.RefundClosed, 0, payment.NotedRefundClosed},
		"abnormal": {
			func(r *payment.RefundReport) { r.State = payment.RefundAbnormal }, payment.RefundAbnormal, payment.AbnormalInterval,
			payment.NotedRefundAbnormal,
		},
		"another amount": {
			func(r *payment.RefundReport) { r.State, r.Amount = payment.RefundSucceeded, 301 }, payment.RefundAbnormal, payment.AbnormalInterval,
			payment.NotedRefundAbnormal,
		},
		"another currency": {
			func(r *payment.RefundReport) { r.Currency = "USD" }, payment.RefundAbnormal, payment.AbnormalInterval, payment.NotedRefundAbnormal,
		},
		"another payment": {
			func(r *payment.RefundReport) { r.TransactionID = "u" }, payment.RefundAbnormal, payment.AbnormalInterval, payment.NotedRefundAbnormal,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := refundable()
			require.NoError(t, a.Request(partOf(300), "refund-1", noon))
			a.Entries = nil
			report := reportOf(a, a.Refunds[0], payment.RefundProcessing)
			c.change(&report)
			now := noon.Add(time.Hour)
			a.RecordReport("refund-1", report, time.Minute, now)
			r := a.Refunds[0]
			assert.Equal(t, c.state, r.State)
			assert.Equal(t, "5030", r.WalletID)
			assert.Equal(t, now, r.Updated)
			if c.next == 0 {
				assert.True(t, r.NextCheck.IsZero())
			} else {
				assert.Equal(t, now.Add(c.next), r.NextCheck)
			}
			if c.noted == "" {
				assert.Empty(t, a.Entries)
			} else {
				require.Len(t, a.Entries, 1)
				assert.Equal(t, c.noted, a.Entries[0].Noted)
			}
		})
	}
}

func TestPAY14_an_outcome_stays_and_an_abnormal_refund_may_still_end(t *testing.T) {
	a := refundable()
	require.NoError(t, a.Request(partOf(300), "refund-1", noon))
	a.RecordReport("refund-1", reportOf(a, a.Refunds[0], payment.RefundAbnormal), time.Minute, noon)
	a.RecordReport("refund-1", reportOf(a, a.Refunds[0], payment.RefundSucceeded), time.Minute, noon)
	assert.Equal(t, payment.RefundSucceeded, a.Refunds[0].State)
	a.RecordReport("refund-1", reportOf(a, a.Refunds[0], payment.RefundClosed), time.Minute, noon)
	assert.NoError(t, a.RecordFailure(payment.RefundSending{RefundRequest: payment.RefundRequest{No: "refund-1"}}, payment.ErrRefundTooMuch,
		time.Minute, noon))
	assert.Equal(t, payment.RefundSucceeded, a.Refunds[0].State)
}

func TestPAY14_failures(t *testing.T) {
	for cause, closes := range map[error]bool{
		payment.ErrRefundTooMuch: true, payment.ErrWalletNotFound: true, payment.ErrWalletRefused: true, payment.ErrRefundsOff: true,
		payment.ErrWalletBusy: false, payment.ErrMerchantFunds: false, payment.ErrRefundDiffers: false, payment.ErrWalletTimeout: false,
		payment.ErrWalletBadResponse: false, errors.New("reset"): false, payment.ErrNoWallet: false,
	} {
		a := refundable()
		require.NoError(t, a.Request(partOf(300), "refund-1", noon))
		sending, sends := a.BeginSending("refund-1", time.Minute, noon)
		require.True(t, sends)
		err := a.RecordFailure(sending, fmt.Errorf("a call: %w", cause), time.Minute, noon)
		if closes {
			assert.ErrorIs(t, err, cause)
			assert.Equal(t, payment.RefundClosed, a.Refunds[0].State, cause)
			assert.True(t, a.Refunds[0].NextCheck.IsZero())
			continue
		}
		assert.NoError(t, err)
		assert.Equal(t, payment.RefundProcessing, a.Refunds[0].State, cause)
		assert.Equal(t, noon.Add(time.Minute), a.Refunds[0].NextCheck)
		noted := len(a.Entries)
		sending, sends = a.BeginSending("refund-1", time.Minute, noon.Add(time.Hour))
		require.True(t, sends)
		require.NoError(t, a.RecordFailure(sending, cause, time.Minute, noon.Add(time.Hour)))
		assert.Len(t, a.Entries, noted, "the journal does not grow with each try")
		assert.Equal(t, noon.Add(time.Hour+15*time.Minute), a.Refunds[0].NextCheck, "less often with time")
	}
}

// definite are causes after which the wallet has begun nothing that this request ordered.
var definite = []error{payment.ErrRefundTooMuch, payment.ErrWalletNotFound, payment.ErrWalletRefused, payment.ErrRefundsOff}

// sends begins another sending, which must be possible.
func sends(t *testing.T, a *payment.RefundAccount, now time.Time) payment.RefundSending {
	t.Helper()
	s, isSent := a.BeginSending("refund-1", time.Minute, now)
	require.True(t, isSent)
	return s
}

func TestPAY14_a_refusal_says_nothing_about_the_request_before_it(t *testing.T) {
	for name, before := range map[string]func(*payment.RefundAccount, payment.RefundSending){
		"no answer": func(a *payment.RefundAccount, s payment.RefundSending) {
			require.NoError(t, a.RecordFailure(s, payment.ErrWalletTimeout, time.Minute, noon))
		},
		"the server crashed": func(*payment.RefundAccount, payment.RefundSending) {},
	} {
		for _, cause := range definite {
			a := refundable()
			require.NoError(t, a.Request(partOf(600), "refund-1", noon))
			before(&a, sends(t, &a, noon))
			noted := len(a.Entries)
			for _, at := range []time.Duration{time.Minute, time.Hour, payment.RefundDoubt - time.Microsecond} {
				require.NoError(t, a.RecordFailure(sends(t, &a, noon.Add(at)), cause, time.Minute, noon.Add(at)), name)
				assert.Equal(t, payment.RefundProcessing, a.Refunds[0].State, "%s, then %v", name, cause)
				assert.True(t, a.Refunds[0].NextCheck.After(noon.Add(at)), "it is followed")
				assert.Error(t, a.Request(partOf(600), "refund-2", noon), "the amount may have been returned")
			}
			assert.Len(t, a.Entries, noted)
			a.RecordReport("refund-1", reportOf(a, a.Refunds[0], payment.RefundSucceeded), time.Minute, noon.Add(payment.RefundDoubt))
			assert.Equal(t, payment.RefundSucceeded, a.Refunds[0].State)
		}
	}
}

func TestPAY14_a_refund_that_stays_unknown_and_is_refused_for_a_day_is_for_staff(t *testing.T) {
	for _, cause := range definite {
		a := refundable()
		require.NoError(t, a.Request(partOf(600), "refund-1", noon))
		sends(t, &a, noon)
		at := noon.Add(payment.RefundDoubt)
		a.Entries = nil
		require.NoError(t, a.RecordFailure(sends(t, &a, at), cause, time.Minute, at))
		r := a.Refunds[0]
		if cause == payment.ErrWalletRefused || cause == payment.ErrRefundsOff {
			assert.Equal(t, payment.RefundProcessing, r.State, "settings that are repaired let it go on")
			continue
		}
		assert.Equal(t, payment.RefundAbnormal, r.State)
		assert.Equal(t, at, r.Updated)
		assert.Equal(t, at.Add(payment.AbnormalInterval), r.NextCheck, "it is still asked after")
		require.Len(t, a.Entries, 1)
		assert.Equal(t, payment.NotedRefundAbnormal, a.Entries[0].Noted)
		assert.Error(t, a.Request(partOf(600), "refund-2", at), "the amount stays reserved")
		a.RecordReport("refund-1", reportOf(a, r, payment.RefundSucceeded), time.Minute, at)
		assert.Equal(t, payment.RefundSucceeded, a.Refunds[0].State)
	}
}

// A slow server's answer comes when the lease has ended and another server has sent the request again.
func TestPAY14_a_refusal_that_comes_late_says_nothing_about_the_request_after_it(t *testing.T) {
	for _, cause := range definite {
		a := refundable()
		require.NoError(t, a.Request(partOf(600), "refund-1", noon))
		slow := sends(t, &a, noon)
		sends(t, &a, noon.Add(time.Hour))
		require.NoError(t, a.RecordFailure(slow, cause, time.Minute, noon.Add(time.Hour)))
		assert.Equal(t, payment.RefundProcessing, a.Refunds[0].State, cause)
	}
}

func TestPAY14_the_journal_names_who_ordered_the_refund_and_no_reason(t *testing.T) {
	a := refundable()
	require.NoError(t, a.Request(partOf(300), "refund-1", noon))
	d := partOf(1)
	d.Origin, d.Staff = payment.RefundByCommand, 0
	require.NoError(t, a.Request(d, "refund-2", noon))
	assert.Equal(t, payment.Entry{
		At: noon, Noted: payment.NotedRefundRequested, TradeNo: "order-7",
		Detail: payment.Detail{Number: "refund-1", Amount: 300, Currency: "CNY", Of: "t", Staff: 5},
	}, a.Entries[0])
	assert.Equal(t, "refund-2: 1 CNY of t, by the command line", a.Entries[1].Detail.String())
	for _, e := range a.Entries {
		assert.NotContains(t, e.Detail.String(), "Cold")
	}
}

// After any random steps the refunds that are not closed do not exceed the payment, and a refund that has an
// outcome keeps it.
func TestPAY14_random_refunds(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 11))
	for range 300 {
		a := refundable()
		now := noon
		ended := map[payment.RefundNo]payment.RefundState{}
		sent := map[payment.RefundNo][]payment.RefundSending{}
		for step := range 60 {
			now = now.Add(time.Duration(random.Int64N(int64(time.Hour))))
			no := payment.RefundNo(fmt.Sprint("refund-", random.IntN(step+1)))
			switch random.IntN(4) {
			case 0:
				_ = a.Request(partOf(random.Int64N(1200)), payment.RefundNo(fmt.Sprint("refund-", step)), now)
			case 1:
				if s, sends := a.BeginSending(no, time.Minute, now); sends {
					sent[no] = append(sent[no], s)
				}
			case 2:
				if r, err := a.ByNo(no); err == nil {
					a.RecordReport(no, reportOf(a, r, payment.RefundStates()[random.IntN(4)]), time.Minute, now)
				}
			case 3:
				if all := sent[no]; len(all) > 0 {
					cause := []error{payment.ErrRefundTooMuch, payment.ErrWalletTimeout, payment.ErrMerchantFunds}[random.IntN(3)]
					if a.RecordFailure(all[random.IntN(len(all))], cause, time.Minute, now) != nil {
						require.Len(t, all, 1, "closed although another request was sent")
					}
				}
			}
			require.LessOrEqual(t, a.Refunded(), a.Payment.Amount)
			for _, r := range a.Refunds {
				require.Positive(t, r.Amount)
				if was, is := ended[r.No]; is {
					require.Equal(t, was, r.State)
				}
				if r.IsFinal() {
					ended[r.No] = r.State
					require.True(t, r.NextCheck.IsZero())
				} else if now.Sub(r.Created) < payment.RefundLife {
					require.False(t, r.NextCheck.IsZero(), "it is followed")
				}
			}
		}
	}
}

func TestPAY14_a_payment_that_is_being_refunded_does_not_become_applied(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.ActionSend, noon)
	wrong := receipt("t", "a")
	wrong.Amount++
	tr.Settle(wrong, noon)
	tr.Payments[0].Refunded = 1
	assert.Equal(t, payment.Disputed, tr.Settle(receipt("t", "a"), noon).State)
	assert.Equal(t, payment.Open, tr.Order.State)
	tr.Payments[0].Refunded = 0
	assert.Equal(t, payment.Applied, tr.Settle(receipt("t", "a"), noon).State)
}
