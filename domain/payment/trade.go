package payment

import (
	"errors"
	"slices"
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
)

// Trade is an order with all that has happened to it at the wallet. Only what changes it
// through its methods is stored, and each notes in the journal what it did.
//
// At most one of its prepayments is alive, at most one of its payments is applied, and an
// order that is paid stays paid.
type Trade struct {
	Order       Order
	Prepayments []Prepayment // in the order in which they were opened
	Payments    []Payment    // in the order in which they came in
	Entries     []Entry      // that are new; what was noted before is not here
	Answer      *Answer      // that is new: what a key that was reserved is answered with
	// NextCheck is when to ask the wallet what has become of it; zero: there is no need to.
	NextCheck time.Time
}

// Action is what is to be done at the wallet for a payment to begin.
type Action int

// The actions.
const (
	ActionUse   Action = iota // nothing: the ticket is good
	ActionSend                // send the request of the prepayment
	ActionClose               // close the prepayment, and begin again
	ActionWait                // wait for somebody else who is at it
)

// Step is the action, and the prepayment that it is about. Whoever takes one that is Send
// or Close has the prepayment for themselves until the lease ends, and must say by Sent,
// Failed or Closed what came of it.
type Step struct {
	Action     Action
	Prepayment Prepayment
}

// BeginRequest is what somebody who wants to pay brings along.
type BeginRequest struct {
	Intent  Intent
	TradeNo TradeNo // for a new prepayment, if there must be one
	// BuildRequest makes the request of a new prepayment. It asks nobody.
	BuildRequest func(Order, Intent, TradeNo) ([]byte, error)
	Lease        time.Duration // at least as long as a call of the wallet may take
}

// Begin says what comes next for somebody who wants to pay the order (PAY-09): the same
// way to pay finds the same prepayment again, another one first closes it.
func (t *Trade) Begin(o BeginRequest, now time.Time) (Step, error) {
	if err := t.Order.CheckPayable(now); err != nil {
		return Step{}, err
	}
	p := t.alive()
	switch {
	case p == nil:
		return t.open(o, now)
	case now.Before(p.LeasedUntil):
		return Step{ActionWait, *p}, nil
	case p.Intent != o.Intent || p.State == Closing:
		return t.close(p, o.Lease, now), nil
	case p.IsUsable(now):
		return Step{ActionUse, *p}, nil
	}
	if p.State == Preparing { // whoever sent it has never said what came of it
		p.State = Unknown
	}
	p.LeasedUntil = instant.Normalise(now.Add(o.Lease))
	t.note(now, NotedSent, p.TradeNo, nil)
	return Step{ActionSend, *p}, nil
}

func (t *Trade) open(o BeginRequest, now time.Time) (Step, error) {
	if t.Order.Expires.Sub(now) < MinLeft {
		return Step{}, ErrTooLate
	}
	request, err := o.BuildRequest(t.Order, o.Intent, o.TradeNo)
	if err != nil {
		return Step{}, err
	}
	p := Prepayment{
		TradeNo: o.TradeNo, Intent: o.Intent, State: Preparing, Request: request,
		Created: instant.Normalise(now), LeasedUntil: instant.Normalise(now.Add(o.Lease)),
	}
	t.Prepayments = append(t.Prepayments, p)
	t.note(now, NotedSent, p.TradeNo, nil)
	return Step{ActionSend, p}, nil
}

// close is noted before the wallet is told, so that nobody uses the ticket meanwhile.
func (t *Trade) close(p *Prepayment, lease time.Duration, now time.Time) Step {
	p.State, p.LeasedUntil = Closing, instant.Normalise(now.Add(lease))
	t.note(now, NotedClosing, p.TradeNo, nil)
	return Step{ActionClose, *p}
}

// CheckTicket is nil while the order can be paid with a ticket of the prepayment that is
// good until it ends.
func (t *Trade) CheckTicket(no TradeNo, ends, now time.Time) error {
	if err := t.Order.CheckPayable(now); err != nil {
		return err
	}
	if p := t.prepayment(no); p == nil || !p.IsUsable(now) || !now.Before(ends) {
		return ErrKeyExpired
	}
	return nil
}

// Sent notes that the wallet has the prepayment, and what it gave for it.
func (t *Trade) Sent(no TradeNo, ticket Ticket, now time.Time) {
	p := t.prepayment(no)
	if p == nil || !p.IsAlive() || p.State == Closing {
		return // it has been overtaken
	}
	now = instant.Normalise(now)
	p.State, p.Ticket, p.LeasedUntil, p.Expires = Live, ticket, time.Time{}, now.Add(p.life())
	if p.Opened.IsZero() {
		p.Opened = now
	}
	t.note(now, NotedLive, no, nil)
}

// Failed notes why the wallet gave no ticket. Unless it has certainly not got the
// prepayment, that stays alive: somebody may have to pay it, or to close it.
func (t *Trade) Failed(no TradeNo, cause error, now time.Time) {
	p := t.prepayment(no)
	if p == nil || !p.IsAlive() || p.State == Closing {
		return
	}
	p.LeasedUntil = time.Time{}
	switch {
	case errors.Is(cause, ErrWalletClosed), p.State == Preparing && isRefusal(cause):
		p.State = ClosedAtWallet
		t.note(now, NotedShut, no, cause)
		return
	case errors.Is(cause, ErrWalletOtherOrder):
		p.State = Closing
	case p.State == Preparing:
		p.State = Unknown
	}
	t.note(now, NotedUnknown, no, cause)
}

// isRefusal says whether the wallet has answered that it did nothing.
func isRefusal(cause error) bool {
	return errors.Is(cause, ErrWalletRefused) || errors.Is(cause, ErrWalletBusy) || errors.Is(cause, ErrInsufficientFunds)
}

// Closed notes what the wallet said when it was told to close the prepayment, and
// returns what the one who wants to pay in another way is told: nothing when it is closed.
func (t *Trade) Closed(no TradeNo, cause error, now time.Time) error {
	p := t.prepayment(no)
	if p == nil || !p.IsAlive() {
		return nil
	}
	p.LeasedUntil = time.Time{}
	switch {
	case cause == nil, errors.Is(cause, ErrWalletClosed), errors.Is(cause, ErrWalletNotFound):
		p.State = ClosedAtWallet
		t.note(now, NotedShut, no, cause)
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

// Reported notes what the wallet says of the prepayment when it is asked.
func (t *Trade) Reported(no TradeNo, r Report, now time.Time) {
	p := t.prepayment(no)
	switch {
	case p == nil:
	case r.State == WalletPaid:
		t.Settle(r.Receipt, now)
	case r.State == WalletClosed && p.IsAlive():
		p.State, p.LeasedUntil = ClosedAtWallet, time.Time{}
		t.note(now, NotedShut, no, nil)
	}
}

// Absent notes that the wallet knows no such prepayment. What is as old as a wallet needs
// to take something in is not there, and will never be.
func (t *Trade) Absent(no TradeNo, now time.Time) {
	p := t.prepayment(no)
	if p != nil && p.IsAlive() && now.Sub(p.Created) >= CloseAge {
		p.State, p.LeasedUntil = ClosedAtWallet, time.Time{}
		t.note(now, NotedShut, no, ErrWalletNotFound)
	}
}

// Pending are the prepayments that the wallet is to be asked after.
func (t *Trade) Pending(now time.Time) []Prepayment {
	var all []Prepayment
	for _, p := range t.Prepayments {
		if p.IsAlive() && !now.Before(p.LeasedUntil) {
			all = append(all, p)
		}
	}
	return all
}

// Expire closes the order when its time is over and nobody can pay it any more. Until then
// it says what is to be closed at the wallet; also of an order that is paid otherwise.
// What is disputed has been paid, and can't be closed.
func (t *Trade) Expire(lease time.Duration, now time.Time) []Step {
	if t.Order.CheckPayable(now) == nil {
		return nil
	}
	var steps []Step
	alive := false
	for n := range t.Prepayments {
		p := &t.Prepayments[n]
		alive = alive || p.IsAlive()
		if p.IsAlive() && !t.isDisputed(p.TradeNo) && !now.Before(p.LeasedUntil) {
			steps = append(steps, t.close(p, lease, now))
		}
	}
	if !alive && t.Order.State == Open {
		t.Order.State = Closed
		t.note(now, NotedExpired, "", nil)
	}
	return steps
}

// DisputeInterval is how often the wallet is asked whether it still says something else
// than we do.
const DisputeInterval = time.Hour

// ScheduleCheck sets when the wallet is to be asked next, if that is necessary: soon while a
// prepayment is alive, and when the order expires.
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
	for n := range t.Prepayments {
		if t.Prepayments[n].IsAlive() {
			return &t.Prepayments[n]
		}
	}
	return nil
}

func (t *Trade) isDisputed(no TradeNo) bool {
	return slices.ContainsFunc(t.Payments, func(p Payment) bool { return p.TradeNo == no && p.State == Disputed })
}

func (t *Trade) prepayment(no TradeNo) *Prepayment {
	for n := range t.Prepayments {
		if t.Prepayments[n].TradeNo == no {
			return &t.Prepayments[n]
		}
	}
	return nil
}

func (t *Trade) note(now time.Time, what Noted, no TradeNo, cause error) {
	e := Entry{At: instant.Normalise(now), Noted: what, TradeNo: no}
	if f, is := fault.As(cause); is {
		e.Detail = f.Text
	} else if cause != nil {
		e.Detail = "something else went wrong" // whatever it is, it may say too much
	}
	t.Entries = append(t.Entries, e)
}
