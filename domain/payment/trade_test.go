package payment_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

const lease = 10 * time.Second

var (
	native = payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}
	h5     = payment.Intent{EndType: payment.H5, App: payment.OfficialAccount}
	ticket = payment.Ticket{PrepayID: "p", CodeURL: "weixin://pay"}
)

func newTrade() *payment.Trade {
	o := payment.NewOrder(1, "Tea", 990, time.Hour, noon)
	o.ID = 7
	return &payment.Trade{Order: o}
}

func opening(i payment.Intent, no payment.TradeNo) payment.BeginRequest {
	return payment.BeginRequest{Intent: i, TradeNo: no, Lease: lease, BuildRequest: func(o payment.Order, i payment.Intent,
		no payment.TradeNo, _ netip.Addr) ([]byte, error) {
		return fmt.Append(nil, o.ID, i, no), nil
	}}
}

// begin calls Begin and asserts the action of the step.
func begin(t *testing.T, tr *payment.Trade, i payment.Intent, no payment.TradeNo, want payment.Action, now time.Time) payment.Prepayment {
	t.Helper()
	step, err := tr.Begin(opening(i, no), now)
	require.NoError(t, err)
	require.Equal(t, want, step.Action)
	return step.Prepayment
}

func receipt(transaction string, no payment.TradeNo) payment.Receipt {
	return payment.Receipt{
		TransactionID: transaction, TradeNo: no, App: payment.OfficialAccount, Amount: 990, Currency: payment.CNY, Paid: noon.Add(time.Minute),
	}
}

func TestPAY09_the_same_way_to_pay_finds_the_same_prepayment_again(t *testing.T) {
	tr := newTrade()
	first := begin(t, tr, native, "a", payment.ActionSend, noon)
	assert.Equal(t, payment.Preparing, first.State)
	assert.NotEmpty(t, first.Request)
	again := begin(t, tr, native, "b", payment.ActionWait, noon.Add(lease-1))
	assert.Equal(t, first.TradeNo, again.TradeNo)
	assert.Equal(t, noon.Add(lease), again.LeasedUntil)
	tr.RecordSent("a", ticket, noon.Add(time.Second))
	again = begin(t, tr, native, "b", payment.ActionUse, noon.Add(2*time.Second))
	assert.Equal(t, ticket, again.Ticket)
	assert.Len(t, tr.Prepayments, 1)
	assert.Equal(t, payment.NotedLive, tr.Entries[len(tr.Entries)-1].Noted)
}

func TestPAY09_a_ticket_that_is_over_is_refreshed_by_the_identical_request(t *testing.T) {
	tr := newTrade()
	tr.Order.Expires = noon.Add(24 * time.Hour)
	for _, c := range []struct {
		intent payment.Intent
		life   time.Duration
	}{{h5, 5 * time.Minute}, {native, 2 * time.Hour}} {
		tr := *tr
		first := begin(t, &tr, c.intent, "a", payment.ActionSend, noon)
		tr.RecordSent("a", ticket, noon)
		begin(t, &tr, c.intent, "b", payment.ActionUse, noon.Add(c.life-1))
		again := begin(t, &tr, c.intent, "b", payment.ActionSend, noon.Add(c.life))
		assert.Equal(t, first.Request, again.Request)
		assert.Equal(t, payment.TradeNo("a"), again.TradeNo)
		tr.RecordFailed("a", payment.ErrWalletBusy, noon.Add(c.life))
		assert.Equal(t, payment.Live, tr.Prepayments[0].State, "a failed refresh does not end the prepayment")
		tr.RecordSent("a", ticket, noon.Add(c.life))
		begin(t, &tr, c.intent, "b", payment.ActionUse, noon.Add(2*c.life-1))
	}
}

func TestPAY09_another_way_to_pay_first_closes_the_former(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.ActionSend, noon)
	tr.RecordSent("a", ticket, noon)
	at := noon.Add(time.Minute)
	begin(t, tr, h5, "b", payment.ActionClose, at)
	begin(t, tr, native, "b", payment.ActionWait, at)
	err := tr.RecordClosed("a", payment.ErrWalletNotClosed, at)
	young, is := fault.As(err)
	require.True(t, is)
	assert.Equal(t, fault.Conflict, young.Kind)
	assert.Equal(t, 4*time.Minute, young.RetryAfter)
	begin(t, tr, native, "b", payment.ActionUse, at)

	at = noon.Add(payment.CloseAge)
	begin(t, tr, h5, "b", payment.ActionClose, at)
	assert.ErrorIs(t, tr.RecordClosed("a", payment.ErrWalletNotClosed, at), payment.ErrWalletNotClosed, "not for its age")
	begin(t, tr, h5, "b", payment.ActionClose, at)
	assert.ErrorIs(t, tr.RecordClosed("a", payment.ErrWalletTimeout, at), payment.ErrWalletTimeout)
	assert.Equal(t, payment.Closing, tr.Prepayments[0].State, "the outcome is unknown")
	begin(t, tr, native, "b", payment.ActionClose, at)
	require.NoError(t, tr.RecordClosed("a", nil, at))
	second := begin(t, tr, h5, "b", payment.ActionSend, at)
	assert.Equal(t, payment.TradeNo("b"), second.TradeNo)
	assert.Equal(t, payment.ClosedAtWallet, tr.Prepayments[0].State)
}

func TestPAY09_what_the_wallet_says_of_a_request(t *testing.T) {
	for _, c := range []struct {
		cause       error
		first, then payment.PrepaymentState // after a first request, and after a repeated one
	}{
		{payment.ErrWalletRefused, payment.ClosedAtWallet, payment.Unknown},
		{payment.ErrWalletBusy, payment.ClosedAtWallet, payment.Unknown},
		{payment.ErrInsufficientFunds, payment.ClosedAtWallet, payment.Unknown},
		{payment.ErrWalletClosed, payment.ClosedAtWallet, payment.ClosedAtWallet},
		{payment.ErrWalletTimeout, payment.Unknown, payment.Unknown},
		{payment.ErrWalletBadResponse, payment.Unknown, payment.Unknown},
		{payment.ErrWalletPaid, payment.Unknown, payment.Unknown},
		{errors.New("reset"), payment.Unknown, payment.Unknown},
		{payment.ErrWalletOtherOrder, payment.Closing, payment.Closing},
	} {
		tr := newTrade()
		begin(t, tr, native, "a", payment.ActionSend, noon)
		tr.RecordFailed("a", fmt.Errorf("sending: %w", c.cause), noon)
		assert.Equal(t, c.first, tr.Prepayments[0].State, c.cause)

		tr = newTrade()
		begin(t, tr, native, "a", payment.ActionSend, noon)
		begin(t, tr, native, "b", payment.ActionSend, noon.Add(lease)) // the first sender has stopped
		tr.RecordFailed("a", fmt.Errorf("sending: %w", c.cause), noon.Add(lease))
		assert.Equal(t, c.then, tr.Prepayments[0].State, c.cause)
		assert.Len(t, tr.Prepayments, 1)
	}
}

func TestPAY09_a_ticket_that_comes_late_is_not_used(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.ActionSend, noon)
	begin(t, tr, h5, "b", payment.ActionClose, noon.Add(lease)) // the first sender is slow
	tr.RecordSent("a", ticket, noon.Add(lease))
	assert.Equal(t, payment.Closing, tr.Prepayments[0].State)
	require.NoError(t, tr.RecordClosed("a", payment.ErrWalletNotFound, noon.Add(lease)))
	tr.RecordSent("a", ticket, noon.Add(lease))
	assert.Equal(t, payment.ClosedAtWallet, tr.Prepayments[0].State)
}

func TestPAY09_nothing_is_opened_in_the_last_minute(t *testing.T) {
	tr := newTrade()
	late := tr.Order.Expires.Add(-payment.MinLeft)
	_, err := tr.Begin(opening(native, "a"), late.Add(1))
	assert.ErrorIs(t, err, payment.ErrTooLate)
	assert.Empty(t, tr.Prepayments)
	begin(t, tr, native, "a", payment.ActionSend, late)
	tr.RecordSent("a", ticket, late)
	begin(t, tr, native, "b", payment.ActionUse, tr.Order.Expires.Add(-1))
	_, err = tr.Begin(opening(native, "b"), tr.Order.Expires)
	assert.ErrorIs(t, err, payment.ErrExpired)
}

func TestPAY10_what_becomes_of_money(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.ActionSend, noon)
	wrong := receipt("t1", "a")
	wrong.Amount++
	for range 2 {
		disputed := tr.Settle(wrong, noon)
		assert.Equal(t, payment.Disputed, disputed.State)
		assert.Equal(t, tr.Order.ID, disputed.Order)
	}
	assert.Len(t, tr.Entries, 2, "a repeated receipt adds no journal entry")
	for _, change := range []func(*payment.Receipt){
		func(r *payment.Receipt) { r.Currency = "USD" }, func(r *payment.Receipt) { r.App = payment.SvcIOSApp },
		func(r *payment.Receipt) { r.TradeNo = "z" },
	} {
		r := receipt("t1", "a")
		change(&r)
		assert.Equal(t, payment.Disputed, tr.Settle(r, noon).State)
	}
	assert.Equal(t, payment.Open, tr.Order.State)
	assert.Len(t, tr.Payments, 1)

	paid := tr.Settle(receipt("t1", "a"), noon)
	assert.Equal(t, payment.Applied, paid.State, "once the wallet confirms the right figures")
	assert.Equal(t, int64(990), paid.Amount)
	assert.Equal(t, payment.Paid, tr.Order.State)
	assert.Equal(t, "t1", tr.Order.Transaction)
	assert.Equal(t, noon.Add(time.Minute), tr.Order.PaidAt)
	assert.Equal(t, payment.Applied, tr.Settle(wrong, noon).State, "an applied payment stays applied")
	assert.Equal(t, payment.RefundDue, tr.Settle(receipt("t2", "a"), noon).State)
	assert.Equal(t, payment.Applied, tr.Settle(receipt("t1", "a"), noon).State)
	assert.Equal(t, "t1", tr.Order.Transaction)
	assert.Len(t, tr.Payments, 2)

	_, err := tr.Begin(opening(native, "b"), noon)
	assert.ErrorIs(t, err, payment.ErrPaid)
}

func TestPAY10_money_that_the_wallet_has_given_back_pays_nothing(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.ActionSend, noon)
	back := receipt("t1", "a")
	back.Refunded = true
	before := len(tr.Entries)
	for range 3 {
		assert.Equal(t, payment.Disputed, tr.Settle(back, noon).State)
	}
	assert.Len(t, tr.Entries, before+1, "a repeated receipt adds no journal entry")
	assert.Len(t, tr.Payments, 1)
	assert.Equal(t, payment.Open, tr.Order.State)
	begin(t, tr, native, "b", payment.ActionSend, noon)
}

func TestPAY11_an_order_ends_when_nobody_can_pay_it_any_more(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.ActionSend, noon)
	tr.RecordSent("a", ticket, noon)
	tr.ScheduleCheck(30*time.Second, noon)
	assert.Equal(t, noon.Add(30*time.Second), tr.NextCheck)
	assert.Len(t, tr.Pending(noon), 1)
	assert.Empty(t, tr.Expire(lease, noon), "the order can still be paid")
	over := tr.Order.Expires
	steps := tr.Expire(lease, over)
	require.Len(t, steps, 1)
	assert.Equal(t, payment.ActionClose, steps[0].Action)
	assert.Empty(t, tr.Expire(lease, over), "the lease has not expired")
	assert.Empty(t, tr.Pending(over))
	assert.Equal(t, payment.Open, tr.Order.State)
	require.NoError(t, tr.RecordClosed("a", nil, over))
	assert.Empty(t, tr.Expire(lease, over))
	assert.Equal(t, payment.Closed, tr.Order.State)
	tr.ScheduleCheck(time.Second, over)
	assert.Zero(t, tr.NextCheck)
	assert.Equal(t, payment.RefundDue, tr.Settle(receipt("t1", "a"), over).State, "a later payment is not dropped")
	assert.Equal(t, payment.Closed, tr.Order.State)
}

func TestPAY11_an_order_that_was_never_begun_ends_with_its_time(t *testing.T) {
	tr := newTrade()
	tr.ScheduleCheck(time.Second, noon)
	assert.Equal(t, tr.Order.Expires, tr.NextCheck)
	assert.Empty(t, tr.Expire(lease, tr.Order.Expires))
	assert.Equal(t, payment.Closed, tr.Order.State)
}

func TestPAY11_what_the_wallet_does_not_know_is_not_there_once_it_is_old(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.ActionSend, noon)
	tr.RecordFailed("a", payment.ErrWalletTimeout, noon)
	tr.RecordAbsent("a", noon.Add(payment.CloseAge-1))
	assert.Equal(t, payment.Unknown, tr.Prepayments[0].State)
	tr.RecordAbsent("a", noon.Add(payment.CloseAge))
	assert.Equal(t, payment.ClosedAtWallet, tr.Prepayments[0].State)
}

func TestPAY11_an_order_that_was_paid_otherwise_has_the_rest_closed(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.ActionSend, noon)
	tr.RecordClosed("a", nil, noon)
	begin(t, tr, h5, "b", payment.ActionSend, noon)
	tr.RecordSent("b", ticket, noon)
	assert.Equal(t, payment.Applied, tr.Settle(receipt("t1", "a"), noon).State, "the payment preceded the closing")
	steps := tr.Expire(lease, noon)
	require.Len(t, steps, 1)
	assert.Equal(t, payment.TradeNo("b"), steps[0].Prepayment.TradeNo)
}

func TestPAY11_what_is_disputed_is_asked_after_and_not_closed(t *testing.T) {
	tr := newTrade()
	begin(t, tr, native, "a", payment.ActionSend, noon)
	tr.RecordSent("a", ticket, noon)
	wrong := receipt("t1", "a")
	wrong.Amount--
	tr.RecordReport("a", payment.Report{State: payment.WalletPaid, Receipt: wrong}, noon)
	over := tr.Order.Expires
	assert.Empty(t, tr.Expire(lease, over))
	assert.Equal(t, payment.Open, tr.Order.State)
	assert.Len(t, tr.Pending(over), 1)
	require.ErrorIs(t, tr.Close(over), payment.ErrDisputed, "it is not that another call prepares a payment")
	tr.ScheduleCheck(time.Second, over)
	assert.Equal(t, over.Add(payment.DisputeInterval), tr.NextCheck)
	tr.RecordReport("a", payment.Report{State: payment.WalletPaid, Receipt: receipt("t1", "a")}, over)
	assert.Equal(t, payment.Paid, tr.Order.State, "a payment in time is applied")
	tr.ScheduleCheck(time.Second, over)
	assert.Zero(t, tr.NextCheck)
}

func TestPAY11_a_dispute_ends_when_the_wallet_gives_the_money_back(t *testing.T) {
	for _, refunded := range []int64{0, 1, 989} { // by refunds of this server
		tr := newTrade()
		begin(t, tr, native, "a", payment.ActionSend, noon)
		tr.RecordSent("a", ticket, noon)
		wrong := receipt("t1", "a")
		wrong.Amount--
		tr.Settle(wrong, noon)
		tr.Payments[0].Refunded, wrong.Refunded = refunded, true
		assert.Equal(t, payment.Disputed, tr.Settle(wrong, noon).State)
		entries := len(tr.Entries)
		assert.Equal(t, payment.Disputed, tr.Settle(wrong, noon).State)
		assert.Len(t, tr.Entries, entries)
		assert.Empty(t, tr.Pending(tr.Order.Expires))
		assert.Empty(t, tr.Expire(lease, tr.Order.Expires))
		assert.Equal(t, payment.Closed, tr.Order.State, refunded)
	}
}

func TestPAY_whatever_happens_an_order_is_paid_once_and_stays_so(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		tr := newTrade()
		now := noon
		causes := []error{
			nil, payment.ErrWalletPaid, payment.ErrWalletClosed, payment.ErrWalletNotFound, payment.ErrWalletNotClosed, payment.ErrWalletOtherOrder,
			payment.ErrWalletRefused, payment.ErrWalletTimeout, errors.New("reset"),
		}
		cause := func() error { return rapid.SampledFrom(causes).Draw(r, "cause") }
		no := func() payment.TradeNo {
			return payment.TradeNo(fmt.Sprint(rapid.IntRange(0, len(tr.Prepayments)).Draw(r, "number")))
		}
		r.Repeat(map[string]func(*rapid.T){
			"begin": func(r *rapid.T) {
				i := rapid.SampledFrom([]payment.Intent{native, h5}).Draw(r, "intent")
				_, _ = tr.Begin(opening(i, payment.TradeNo(fmt.Sprint(len(tr.Prepayments)))), now)
			},
			"sent":     func(*rapid.T) { tr.RecordSent(no(), ticket, now) },
			"failed":   func(*rapid.T) { tr.RecordFailed(no(), cause(), now) },
			"closed":   func(*rapid.T) { _ = tr.RecordClosed(no(), cause(), now) },
			"absent":   func(*rapid.T) { tr.RecordAbsent(no(), now) },
			"wind":     func(*rapid.T) { tr.Expire(lease, now) },
			"time":     func(r *rapid.T) { now = now.Add(time.Duration(rapid.IntRange(1, 900).Draw(r, "s")) * time.Second) },
			"reported": func(*rapid.T) { tr.RecordReport(no(), payment.Report{State: payment.WalletClosed}, now) },
			"settle": func(r *rapid.T) {
				got := receipt(fmt.Sprint("t", rapid.IntRange(0, 3).Draw(r, "transaction")), no())
				got.Amount += rapid.Int64Range(0, 1).Draw(r, "too much")
				was := tr.Order
				p := tr.Settle(got, now)
				if was.State == payment.Paid {
					assert.Equal(r, was, tr.Order)
				}
				assert.Equal(r, got.TransactionID, p.TransactionID)
			},
			"": func(r *rapid.T) {
				alive, applied := 0, 0
				for _, p := range tr.Prepayments {
					if p.IsAlive() {
						alive++
					}
				}
				transactions := map[string]bool{}
				for _, p := range tr.Payments {
					require.False(r, transactions[p.TransactionID])
					transactions[p.TransactionID] = true
					if p.State == payment.Applied {
						applied++
						require.Equal(r, tr.Order.Transaction, p.TransactionID)
						require.Equal(r, tr.Order.Amount, p.Amount)
					}
				}
				require.LessOrEqual(r, alive, 1)
				require.Equal(r, tr.Order.State == payment.Paid, applied == 1)
				require.LessOrEqual(r, applied, 1)
				require.True(r, slices.IsSortedFunc(tr.Entries, func(a, b payment.Entry) int { return a.At.Compare(b.At) }))
			},
		})
	})
}
