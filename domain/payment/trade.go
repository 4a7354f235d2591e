package payment

import (
	"errors"
	"net/netip"
	"slices"
	"time"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
)

// Trade is an order with its prepayments and payments. Callers change it only through its
// methods, which add the journal entries.
//
// At most one prepayment is alive, at most one payment is applied, and a paid order stays
// paid.
type Trade struct {
	Order       Order
	Prepayments []Prepayment        // in the order of opening
	Payments    []Payment           // in the order of arrival
	Entries     []Entry             // only new journal entries
	Answer      *idempotency.Answer // only a new answer to a reserved key
	// NextCheck is when to query the wallet; zero: never.
	NextCheck time.Time
}

// Action is the next action at the wallet for beginning a payment.
type Action int

const (
	ActionUse   Action = iota // use the valid ticket; no call to the wallet
	ActionSend                // send the request of the prepayment
	ActionClose               // close the prepayment, and begin again
	ActionWait                // wait for the call that has leased the prepayment
)

// Step is an action with its prepayment. With ActionSend or ActionClose the caller holds
// the lease of the prepayment, and must report the outcome by RecordSent, RecordFailed or
// RecordClosed.
type Step struct {
	Action     Action
	Prepayment Prepayment
}

// BeginRequest holds the arguments of Begin.
type BeginRequest struct {
	Intent   Intent
	TradeNo  TradeNo  // for a new prepayment, if one is opened
	Protocol Protocol // of the same
	// BuildRequest returns the request of a new prepayment. It does not call the wallet.
	BuildRequest func(o Order, i Intent, no TradeNo, payer netip.Addr) ([]byte, error)
	Payer        netip.Addr    // where the payer is; zero: unknown
	Lease        time.Duration // at least the duration of a call to the wallet
}

// Begin returns the next step of paying the order (PAY-09). The same Intent reuses the
// prepayment that is alive; another Intent closes it first.
func (t *Trade) Begin(b BeginRequest, now time.Time) (Step, error) {
	if err := t.Order.CheckPayable(now); err != nil {
		return Step{}, err
	}
	p := t.alive()
	switch {
	case p == nil:
		return t.open(b, now)
	case now.Before(p.LeasedUntil):
		return Step{ActionWait, *p}, nil
	case p.Intent != b.Intent || p.State == Closing:
		return t.close(p, b.Lease, now), nil
	case p.IsUsable(now):
		return Step{ActionUse, *p}, nil
	}
	if p.State == Preparing { // the sender has not reported the outcome
		p.State = Unknown
	}
	p.LeasedUntil = instant.Normalise(now.Add(b.Lease))
	t.note(now, NotedSending, p.TradeNo, nil)
	return Step{ActionSend, *p}, nil
}

func (t *Trade) open(b BeginRequest, now time.Time) (Step, error) {
	if t.Order.Expires.Sub(now) < MinLeft {
		return Step{}, ErrTooLate
	}
	request, err := b.BuildRequest(t.Order, b.Intent, b.TradeNo, b.Payer)
	if err != nil {
		return Step{}, err
	}
	p := Prepayment{
		TradeNo: b.TradeNo, Protocol: b.Protocol, Intent: b.Intent, State: Preparing, Request: request,
		Created: instant.Normalise(now), LeasedUntil: instant.Normalise(now.Add(b.Lease)),
	}
	t.Prepayments = append(t.Prepayments, p)
	t.note(now, NotedSending, p.TradeNo, nil)
	return Step{ActionSend, p}, nil
}

// close marks the prepayment as Closing before the wallet is called, so that its ticket
// is not used meanwhile.
func (t *Trade) close(p *Prepayment, lease time.Duration, now time.Time) Step {
	p.State, p.LeasedUntil = Closing, instant.Normalise(now.Add(lease))
	t.note(now, NotedClosing, p.TradeNo, nil)
	return Step{ActionClose, *p}
}

// CheckTicket returns nil if the order can be paid with a ticket of the prepayment that
// is valid until ends.
func (t *Trade) CheckTicket(no TradeNo, ends, now time.Time) error {
	if err := t.Order.CheckPayable(now); err != nil {
		return err
	}
	if p := t.prepayment(no); p == nil || !p.IsUsable(now) || !now.Before(ends) {
		return idempotency.ErrKeyExpired
	}
	return nil
}

// RecordSent records that the wallet has the prepayment, with its ticket.
func (t *Trade) RecordSent(no TradeNo, ticket Ticket, now time.Time) {
	p := t.prepayment(no)
	if p == nil || !p.IsAlive() || p.State == Closing {
		return // a later step has changed it
	}
	now = instant.Normalise(now)
	p.State, p.Ticket, p.LeasedUntil, p.Expires = Live, ticket, time.Time{}, now.Add(p.life())
	if p.Opened.IsZero() {
		p.Opened = now
	}
	t.note(now, NotedLive, no, nil)
}

// RecordFailed records why the wallet gave no ticket. The prepayment stays alive unless it
// certainly does not exist at the wallet: it may still be paid, or may have to be closed.
func (t *Trade) RecordFailed(no TradeNo, cause error, now time.Time) {
	p := t.prepayment(no)
	if p == nil || !p.IsAlive() || p.State == Closing {
		return
	}
	p.LeasedUntil = time.Time{}
	switch {
	case errors.Is(cause, ErrWalletClosed),
		p.State == Preparing && isAny(cause, ErrWalletRefused, ErrWalletBusy, ErrInsufficientFunds): // it has answered that it did nothing
		p.State = ClosedAtWallet
		t.note(now, NotedClosedAtWallet, no, cause)
		return
	case errors.Is(cause, ErrWalletOtherOrder):
		p.State = Closing
	case p.State == Preparing:
		p.State = Unknown
	}
	t.note(now, NotedUnknown, no, cause)
}

// RecordClosed records the wallet's answer to closing the prepayment. It returns nil if the
// prepayment is closed, else the error for the payer who chose another way to pay.
func (t *Trade) RecordClosed(no TradeNo, cause error, now time.Time) error {
	p := t.prepayment(no)
	if p == nil || !p.IsAlive() {
		return nil
	}
	p.LeasedUntil = time.Time{}
	switch {
	case cause == nil, errors.Is(cause, ErrWalletClosed), errors.Is(cause, ErrWalletNotFound):
		p.State = ClosedAtWallet
		t.note(now, NotedClosedAtWallet, no, cause)
		return nil
	case !errors.Is(cause, ErrWalletNotClosed):
		t.note(now, NotedUnknown, no, cause)
		return cause
	}
	p.State = Unknown
	if p.Ticket != (Ticket{}) {
		p.State = Live
	}
	t.note(now, NotedKept, no, cause)
	if wait := p.Created.Add(CloseAge).Sub(now); wait > 0 {
		return ErrTooRecentToClose(wait)
	}
	return cause
}

// RecordReport records the wallet's report about the prepayment.
func (t *Trade) RecordReport(no TradeNo, r Report, now time.Time) {
	p := t.prepayment(no)
	switch {
	case p == nil:
	case r.State == WalletPaid:
		t.Settle(r.Receipt, now)
	case r.State == WalletClosed && p.IsAlive():
		p.State, p.LeasedUntil = ClosedAtWallet, time.Time{}
		t.note(now, NotedClosedAtWallet, no, nil)
	}
}

// RecordAbsent records that the wallet does not know the prepayment. Its request cannot arrive
// any more once the prepayment has reached CloseAge.
func (t *Trade) RecordAbsent(no TradeNo, now time.Time) {
	p := t.prepayment(no)
	if p != nil && p.IsAlive() && now.Sub(p.Created) >= CloseAge {
		p.State, p.LeasedUntil = ClosedAtWallet, time.Time{}
		t.note(now, NotedClosedAtWallet, no, ErrWalletNotFound)
	}
}

// Pending returns the prepayments to query at the wallet.
func (t *Trade) Pending(now time.Time) []Prepayment {
	var all []Prepayment
	for _, p := range t.Prepayments {
		if p.IsAlive() && !now.Before(p.LeasedUntil) {
			all = append(all, p)
		}
	}
	return all
}

// Expire closes an expired order once no prepayment is alive. Until then it returns the
// prepayments to close at the wallet, also for an order that was paid by another one. A
// disputed prepayment has been paid and cannot be closed.
func (t *Trade) Expire(lease time.Duration, now time.Time) []Step {
	if t.Order.CheckPayable(now) == nil {
		return nil
	}
	if t.Order.State == Open && t.alive() == nil {
		t.end(now)
	}
	return t.CloseAll(lease, now)
}

// CloseAll returns the prepayments to close at the wallet, before the order is closed.
func (t *Trade) CloseAll(lease time.Duration, now time.Time) (steps []Step) {
	for n := range t.Prepayments {
		p := &t.Prepayments[n]
		if p.IsAlive() && !t.isDisputed(p.TradeNo) && !now.Before(p.LeasedUntil) {
			steps = append(steps, t.close(p, lease, now))
		}
	}
	return steps
}

// Close closes an open order for which the wallet takes no payment. It returns ErrBusy while a prepayment is alive, ErrDisputed if
// its payment is disputed, and ErrPaid or ErrClosed for an order that is not open.
func (t *Trade) Close(now time.Time) error {
	switch {
	case t.Order.State == Paid:
		return ErrPaid
	case t.Order.State == Closed:
		return ErrClosed
	case t.alive() != nil && t.isDisputed(t.alive().TradeNo):
		return ErrDisputed
	case t.alive() != nil:
		return ErrBusy(0)
	}
	t.end(now)
	return nil
}

func (t *Trade) end(now time.Time) {
	t.Order.State = Closed
	t.note(now, NotedExpired, "", nil)
}

// DisputeInterval is how often the wallet is queried about a disputed payment.
const DisputeInterval = time.Hour

// ScheduleCheck sets NextCheck: after the interval while a prepayment is alive, or after
// DisputeInterval if its payment is disputed; otherwise when the order expires if it is
// open, else never.
func (t *Trade) ScheduleCheck(interval time.Duration, now time.Time) {
	p := t.alive()
	switch {
	case p != nil && t.isDisputed(p.TradeNo):
		t.NextCheck = instant.Normalise(now.Add(DisputeInterval))
	case p != nil:
		t.NextCheck = instant.Normalise(now.Add(interval))
	case t.Order.State == Open:
		t.NextCheck = t.Order.Expires
	default:
		t.NextCheck = time.Time{}
	}
}

func (t *Trade) alive() *Prepayment {
	return find(t.Prepayments, (*Prepayment).IsAlive)
}

func (t *Trade) isDisputed(no TradeNo) bool {
	return slices.ContainsFunc(t.Payments, func(p Payment) bool { return p.TradeNo == no && p.State == Disputed })
}

func (t *Trade) prepayment(no TradeNo) *Prepayment {
	return find(t.Prepayments, func(p *Prepayment) bool { return p.TradeNo == no })
}

// find returns the first of the items that is meant, or nil.
func find[T any](items []T, isMeant func(*T) bool) *T {
	for n := range items {
		if isMeant(&items[n]) {
			return &items[n]
		}
	}
	return nil
}

func (t *Trade) note(now time.Time, what Noted, no TradeNo, cause error) {
	t.Entries = append(t.Entries, Entry{At: instant.Normalise(now), Noted: what, TradeNo: no, Detail: Detail{Note: detailOf(cause)}})
}

// detailOf returns the cause for the journal.
func detailOf(cause error) string {
	if f, is := fault.As(cause); is {
		return f.Text
	}
	if cause != nil {
		return "something else went wrong" // the error text may reveal too much
	}
	return ""
}
