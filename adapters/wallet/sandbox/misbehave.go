package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Trick is a kind of misbehaviour.
type Trick string

// The tricks. The table below says what they do, and which operations have them.
const (
	Slow        Trick = "slow"
	ErrorBefore Trick = "error-before"
	Crowded     Trick = "crowded"
	SayPaid     Trick = "say-paid"
	NoFunds     Trick = "no-funds"
	ErrorAfter  Trick = "error-after"
	Delay       Trick = "delay"
	Reset       Trick = "reset"
	Garbage     Trick = "garbage"
	Forge       Trick = "forge"
	Probe       Trick = "probe"
	Old         Trick = "old"
	OtherSerial Trick = "other-serial"
	Lose        Trick = "lose"
	Repeat      Trick = "repeat"
	Late        Trick = "late"
	Amount      Trick = "amount"
	LoseLine    Trick = "lose-line"
	BadHash     Trick = "bad-hash"
	Truncate    Trick = "truncate"
)

// trickInfo says what a trick does. The label is that of its button.
type trickInfo struct {
	Do            Trick
	On            []Operation
	Label, Effect string
}

// Operations that have the same tricks.
var (
	answers = []Operation{
		UnifiedOrder, OrderQuery, CloseOrder, Prepay, QueryTrade, CloseTrade, RefundOrder, RefundQuery, TradeBill, DownloadBill, ListKeys,
	}
	notices = []Operation{Notify, NotifyRefund}
	signed  = slices.Concat(answers, notices)
	bills   = []Operation{TradeBill}
)

var trickTable = []trickInfo{
	{Lose, notices, "Lose it", "The notification is not sent. Another one follows."},
	{Late, notices, "Send it out of order", "The notification is sent after another one, or when its time is over."},
	{Repeat, notices, "Repeat it", "Copies of the notification are sent at once."},
	{Amount, slices.Concat(bills, notices), "Change an amount", "One fen more is named than was paid. The signature is correct."},
	{Delay, signed, "Send it late", "The request is processed. The answer or the notification is sent after a while."},
	{Forge, signed, "Forge it", "The signature is wrong, and the merchant must refuse it. In version 2, the next three do the same."},
	{Probe, signed, "Probe the merchant", "The signature is one with which the wallet tries whether signatures are verified."},
	{Old, signed, "Sign it as old", "The signature is correct, but more than five minutes old."},
	{OtherSerial, signed, "Name an unknown key", "The key that is named is none of the wallet's."},
	{Slow, answers, "Process it late", "The request is processed after a while, even if the merchant has gone."},
	{Reset, answers, "Break the connection", "The request is processed. The connection ends without an answer."},
	{Garbage, answers, "Answer nonsense", "The request is processed. The answer is an HTML page."},
	{ErrorAfter, answers, "Fail afterwards", "The request is processed but answered with SYSTEMERROR."},
	{ErrorBefore, answers, "Fail", "The request is answered with SYSTEMERROR and not processed."},
	{Crowded, answers, "Be busy", "The request is answered with FREQUENCY_LIMITED and not processed."},
	{SayPaid, answers, "Claim a payment", "The request is answered with ORDERPAID and not processed."},
	{NoFunds, []Operation{RefundOrder}, "Have no money", "A refund is refused, because the merchant's balance is too low."},
	{LoseLine, bills, "Lose a line", "A bill lacks its last line."},
	{BadHash, bills, "Give a wrong hash", "A bill has the hash of another one; in version 2 its sums are wrong."},
	{Truncate, []Operation{TradeBill, DownloadBill}, "Cut it off", "Half of the answer is sent: in version 2, half of the bill."},
}

// Misbehaviour applies a trick to the next request of an operation.
type Misbehaviour struct {
	On      Operation
	Do      Trick
	No      string // for this order only, and for what is about none; empty: any
	Copies  int    // of Repeat
	DelayMS int64  // of Delay and Slow, in milliseconds, and not scaled
}

// refusingTricks are the refusals of requests that are not processed.
var refusingTricks = map[Trick]refusal{
	ErrorBefore: errSystem, Crowded: errCrowded, SayPaid: ErrPaid, NoFunds: refuseFunds,
}

const maxTricks = 1000

// errImpossible is the error of what the sandbox has no button for.
var errImpossible = errors.New("the sandbox can't do that")

// Misbehave adds a misbehaviour. They apply in the order in which they were added.
func (s *Server) Misbehave(m Misbehaviour) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.misbehave(m)
}

// misbehave adds a misbehaviour. The caller must hold the lock.
func (s *Server) misbehave(m Misbehaviour) error {
	if m.Copies = max(m.Copies, 2); m.Do != Repeat {
		m.Copies = 1
	}
	switch {
	case !slices.ContainsFunc(trickTable, func(t trickInfo) bool { return t.Do == m.Do && slices.Contains(t.On, m.On) }):
		return fmt.Errorf("%w: operation %q does not support trick %q", errImpossible, m.On, m.Do)
	case len(s.tricks) >= maxTricks:
		return fmt.Errorf("%w: too many are pending", errImpossible)
	}
	s.tricks = append(s.tricks, m)
	return nil
}

// Behave forgets the misbehaviours that have not been applied.
func (s *Server) Behave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tricks = nil
}

// nextMisbehaviour returns the misbehaviour of this request, whose number is empty if it is about no
// order. Without a misbehaviour, Do is empty.
func (s *Server) nextMisbehaviour(op Operation, no string) Misbehaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range s.tricks {
		if m.On != op || m.No != "" && no != "" && m.No != no {
			continue
		}
		s.tricks = slices.Delete(s.tricks, i, i+1)
		return m
	}
	return Misbehaviour{}
}

// forges reports whether the merchant must refuse the signature.
func (m Misbehaviour) forges() bool {
	return slices.Contains([]Trick{Forge, Probe, Old, OtherSerial}, m.Do)
}

func (m Misbehaviour) delay() time.Duration { return time.Duration(m.DelayMS) * time.Millisecond }
