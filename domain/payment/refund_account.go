package payment

import (
	"errors"
	"slices"
	"time"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/text"
)

// RefundAccount is a payment with its refunds. Callers change it only through its methods, which add the
// journal entries of the payment's order.
//
// The refunds that are not closed never exceed the payment together.
type RefundAccount struct {
	Payment Payment
	App     WalletApp // of the payment; empty: unknown
	Refunds []Refund  // in the order of their creation
	Entries []Entry   // only new journal entries; lost if the payment has no order
	// Completes is the key of the request for a new refund; nil: none.
	Completes *idempotency.Key
}

// Refunded returns the sum of the refunds that are not closed.
func (a *RefundAccount) Refunded() (sum int64) {
	for _, r := range a.Refunds {
		if r.State != RefundClosed {
			sum += r.Amount
		}
	}
	return sum
}

// Request adds a refund, which is to be sent. An automatic one is the first of a payment that is RefundDue.
// Request returns ErrNothingLeft, ErrTooManyRefunds, or another
// conflict if the amount exceeds what is left of the payment.
func (a *RefundAccount) Request(d RefundDraft, no RefundNo, now time.Time) error {
	if err := d.Check(); err != nil {
		return err
	}
	left := a.Payment.Amount - a.Refunded()
	amount := left
	if d.Amount != nil {
		amount = *d.Amount
	}
	switch {
	case left < 1, d.Origin == RefundByAutomatic && (len(a.Refunds) > 0 || a.Payment.State != RefundDue):
		return ErrNothingLeft
	case amount > left:
		return fault.Newf(fault.Conflict, "Only %d is left of this payment to refund, in the currency's minor units.", left)
	case a.count() >= MaxRefunds:
		return ErrTooManyRefunds
	}
	now = instant.Normalise(now)
	a.Refunds = append(a.Refunds, Refund{
		Payment: a.Payment.ID, No: no, Amount: amount, Currency: a.Payment.Currency, Reason: text.Line(d.Reason),
		Origin: d.Origin, Staff: d.Staff, State: RefundProcessing, Created: now, Updated: now, NextCheck: now,
	})
	r := &a.Refunds[len(a.Refunds)-1]
	a.note(now, NotedRefundRequested, r, r.orderedBy())
	a.Entries[len(a.Entries)-1].Detail.Staff = r.Staff
	return nil
}

func (a *RefundAccount) count() (n int) {
	for _, r := range a.Refunds {
		if r.State != RefundClosed {
			n++
		}
	}
	return n
}

// orderedBy returns for the journal what ordered the refund; empty: a member of staff.
func (r *Refund) orderedBy() string {
	switch r.Origin {
	case RefundByStaff:
		return ""
	case RefundByCommand:
		return "by the command line"
	}
	return "by the server itself"
}

// BeginSending records that the refund is about to be sent and returns the request. It returns false if
// there is nothing to send: the wallet has confirmed the refund, its outcome is known, or another refund of
// the payment was sent a moment ago. Then this one waits for its turn. No other server continues
// the refund until the lease ends.
func (a *RefundAccount) BeginSending(no RefundNo, lease time.Duration, now time.Time) (RefundSending, bool) {
	r := a.refund(no)
	if r == nil || r.State != RefundProcessing || r.WalletID != "" {
		return RefundSending{}, false
	}
	if turn := a.turn(r); now.Before(turn) {
		r.NextCheck = turn
		return RefundSending{}, false
	}
	isRepeated := !r.Sent.IsZero()
	r.Sent, r.NextCheck = instant.Normalise(now), instant.Normalise(now.Add(lease))
	return RefundSending{
		RefundRequest: RefundRequest{
			No: no, App: a.App, TransactionID: a.Payment.TransactionID, Amount: r.Amount, Total: a.Payment.Amount,
			Currency: r.Currency, Reason: r.Reason,
		},
		At: r.Sent, IsRepeated: isRepeated,
	}, true
}

// turn returns from when on the wallet accepts the refund after the other ones of the payment.
func (a *RefundAccount) turn(r *Refund) (turn time.Time) {
	for _, other := range a.Refunds {
		if next := other.Sent.Add(RefundSpacing); other.No != r.No && !other.Sent.IsZero() && next.After(turn) {
			turn = next
		}
	}
	return turn
}

// RecordReport records the wallet's report about the refund. A report that contradicts the refund makes it
// abnormal. The next check of a refund without an outcome follows after the interval at the earliest.
func (a *RefundAccount) RecordReport(no RefundNo, report RefundReport, interval time.Duration, now time.Time) {
	r := a.refund(no)
	if r == nil || r.IsFinal() {
		return
	}
	state, detail := report.State, ""
	if report.No != no || report.Amount != r.Amount || report.Currency != r.Currency || report.TransactionID != a.Payment.TransactionID {
		state, detail = RefundAbnormal, "the wallet reports another refund under this number"
	}
	r.schedule(interval, now, state)
	if state == r.State && (report.WalletID == r.WalletID || report.WalletID == "") {
		return
	}
	if report.WalletID != "" {
		r.WalletID = report.WalletID
	}
	r.Updated = instant.Normalise(now)
	if state == r.State {
		return
	}
	r.State = state
	a.note(now, notedOf[state], r, detail)
}

// RecordUnknown records that the wallet does not know the refund. The next check follows as after a report.
func (a *RefundAccount) RecordUnknown(no RefundNo, interval time.Duration, now time.Time) {
	if r := a.refund(no); r != nil {
		r.schedule(interval, now, r.State)
	}
}

// notedOf has the journal entries of the states that a refund may reach.
var notedOf = map[RefundState]Noted{
	RefundProcessing: NotedRefundProcessing, RefundSucceeded: NotedRefundSucceeded, RefundClosed: NotedRefundClosed,
	RefundAbnormal: NotedRefundAbnormal,
}

// RecordFailure records why the wallet has not confirmed the sending. A refusal of the only request that was ever sent
// closes the refund, because the wallet has certainly begun nothing. Then RecordFailure returns the cause. A refusal of a
// repeated request says nothing about the former one, which the wallet may have taken in or still take in: the refund is
// asked after and sent again, and after RefundDoubt it is abnormal. So its amount is never returned twice.
func (a *RefundAccount) RecordFailure(s RefundSending, cause error, interval time.Duration, now time.Time) error {
	r := a.refund(s.No)
	if r == nil || r.IsFinal() {
		return nil
	}
	isDenied, isOff := isAny(cause, ErrRefundTooMuch, ErrWalletNotFound), isAny(cause, ErrWalletRefused, ErrRefundsOff)
	switch {
	case r.WalletID == "" && (isDenied || isOff) && s.isOnlyOf(r):
		r.State, r.Updated, r.NextCheck = RefundClosed, instant.Normalise(now), time.Time{}
		a.note(now, NotedRefundClosed, r, detailOf(cause))
		return cause
	case r.State == RefundProcessing && r.WalletID == "" && isDenied && now.Sub(r.Created) >= RefundDoubt:
		r.State, r.Updated = RefundAbnormal, instant.Normalise(now)
		a.note(now, NotedRefundAbnormal, r, detailOf(cause))
	case !s.IsRepeated: // later tries add nothing new to the journal, however many there are
		a.note(now, NotedRefundUnanswered, r, detailOf(cause))
	}
	r.schedule(interval, now, r.State)
	return nil
}

// isOnlyOf reports whether no other request for the refund was sent, neither before nor since.
func (s RefundSending) isOnlyOf(r *Refund) bool { return !s.IsRepeated && s.At.Equal(r.Sent) }

func isAny(err error, of ...error) bool {
	return slices.ContainsFunc(of, func(one error) bool { return errors.Is(err, one) })
}

// IsSendable reports whether the request may be sent again, after the wallet has denied that it knows the refund.
func (r *Refund) IsSendable(now time.Time) bool {
	return r.State == RefundProcessing && r.WalletID == "" && now.Sub(r.Sent) >= RefundSettles
}

// IsFinal reports whether the outcome of the refund is known and stays.
func (r *Refund) IsFinal() bool { return r.State == RefundSucceeded || r.State == RefundClosed }

// schedule sets the next check of a refund in the state. The older a refund is, the less often the wallet
// is queried.
func (r *Refund) schedule(interval time.Duration, now time.Time, s RefundState) {
	age := now.Sub(r.Created)
	switch {
	case s == RefundSucceeded || s == RefundClosed || age > RefundLife:
		r.NextCheck = time.Time{}
	case s == RefundAbnormal:
		r.NextCheck = instant.Normalise(now.Add(AbnormalInterval))
	default:
		r.NextCheck = instant.Normalise(now.Add(max(interval, min(age/4, MaxRefundInterval))))
	}
}

// ByNo returns the refund with the number, or ErrNoRefund.
func (a *RefundAccount) ByNo(no RefundNo) (Refund, error) {
	if r := a.refund(no); r != nil {
		return *r, nil
	}
	return Refund{}, ErrNoRefund
}

func (a *RefundAccount) refund(no RefundNo) *Refund {
	return find(a.Refunds, func(r *Refund) bool { return r.No == no })
}

// note adds a journal entry with the number and the amount of the refund. The reason is left out: the journal
// is never erased.
func (a *RefundAccount) note(now time.Time, what Noted, r *Refund, more string) {
	detail := Detail{Number: string(r.No), Amount: r.Amount, Currency: r.Currency, Of: a.Payment.TransactionID, Note: more}
	a.Entries = append(a.Entries, Entry{At: instant.Normalise(now), Noted: what, TradeNo: a.Payment.TradeNo, Detail: detail})
}
