package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Trick is a kind of misbehaviour.
type Trick string

// Tricks of answers. ErrorBefore, Crowded and SayPaid do not process the request.
const (
	Slow        Trick = "slow"         // wait, then process it, even if the caller has gone
	ErrorBefore Trick = "error-before" // SYSTEMERROR
	Crowded     Trick = "crowded"      // FREQUENCY_LIMITED
	SayPaid     Trick = "say-paid"     // ORDERPAID

	Delay      Trick = "delay"       // processed, answered late
	ErrorAfter Trick = "error-after" // processed, answered with SYSTEMERROR
	Reset      Trick = "reset"       // processed, connection reset
	Garbage    Trick = "garbage"     // processed, answered with an invalid body
	Forge      Trick = "forge"       // processed, signed wrongly; also for notifications
)

// Tricks of the signatures of version 3, for answers and notifications. Version 2 has no probes,
// times and serial numbers: there they are Forge.
const (
	Probe       Trick = "probe"        // a signature that begins with WECHATPAY/SIGNTEST/
	Old         Trick = "old"          // signed correctly, more than five minutes ago
	OtherSerial Trick = "other-serial" // signed correctly, under a serial number that is not known
	RetiredKey  Trick = "retired-key"  // signed with a key that is not listed any more
)

// NoFunds is a trick of requests for refunds: NOTENOUGH; not processed.
const NoFunds Trick = "no-funds"

// Tricks of bills. The sums and the hash are those of what is sent, except for BadHash.
const (
	LoseLine Trick = "lose-line" // the last line is missing
	BadHash  Trick = "bad-hash"  // another hash, or in version 2, which has none, other sums
	Truncate Trick = "truncate"  // half of it
)

// Tricks of notifications.
const (
	Lose   Trick = "lose"   // not sent, but counted as an attempt
	Repeat Trick = "repeat" // sent Copies times at once
	Late   Trick = "late"   // sent after a later payment's notification, or after Delay
	Amount Trick = "amount" // a wrong amount with a valid signature; also in the first line of a bill
)

// Misbehaviour applies a trick to the next Times requests of an operation.
type Misbehaviour struct {
	On     Operation `json:"on"`
	Do     Trick     `json:"do"`
	No     string    `json:"out_trade_no,omitempty"` // for this order only; empty: any
	Times  int       `json:"times,omitempty"`        // 0 is 1
	Copies int       `json:"copies,omitempty"`
	// DelayMS is in milliseconds, and not scaled.
	DelayMS int64 `json:"delay_ms,omitempty"`
}

var tricks = map[Operation][]Trick{
	UnifiedOrder: answers, OrderQuery: answers, CloseOrder: answers, Prepay: answers, QueryTrade: answers, CloseTrade: answers,
	RefundOrder: append([]Trick{NoFunds}, answers...), RefundQuery: answers,
	ListKeys: answers, TradeBill: append([]Trick{LoseLine, Amount, BadHash, Truncate}, answers...),
	DownloadBill: append([]Trick{Truncate}, answers...), Notify: notices, NotifyRefund: notices,
}

var answers = []Trick{
	Slow, ErrorBefore, Crowded, SayPaid, Delay, ErrorAfter, Reset, Garbage, Forge, Probe, Old, OtherSerial, RetiredKey,
}

// refusingTricks are the refusals of requests that are not processed.
var refusingTricks = map[Trick]refusal{
	ErrorBefore: errSystem, Crowded: errCrowded, SayPaid: refusePaid, NoFunds: refuseFunds,
}

// ofNoOrder are the operations that are about no order.
var ofNoOrder = []Operation{ListKeys, TradeBill, DownloadBill}

var notices = []Trick{Lose, Repeat, Late, Forge, Amount, Delay, Probe, Old, OtherSerial, RetiredKey}

const (
	maxTricks = 1000
	maxCopies = 100
	maxDelay  = 10 * time.Minute
)

var errTooManyTricks = errors.New("too many pending misbehaviours")

// Misbehave adds a misbehaviour. They apply in the order in which they were added.
func (s *Server) Misbehave(m Misbehaviour) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.misbehave(m)
}

// misbehave adds a misbehaviour. The caller must hold the lock.
func (s *Server) misbehave(m Misbehaviour) error {
	m.Times = max(m.Times, 1)
	if slices.Contains(ofNoOrder, m.On) {
		m.No = ""
	}
	if m.Do == Repeat {
		m.Copies = max(m.Copies, 2)
	}
	if !slices.Contains(tricks[m.On], m.Do) {
		return fmt.Errorf("operation %q does not support trick %q", m.On, m.Do)
	}
	if m.DelayMS < 0 || m.Copies < 0 || m.DelayMS > maxDelay.Milliseconds() || m.Copies > maxCopies {
		return fmt.Errorf("at most %d copies and a delay of %v", maxCopies, maxDelay)
	}
	if len(s.tricks) >= maxTricks {
		return errTooManyTricks
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

// nextMisbehaviour returns the misbehaviour of this request. Without one, Do is empty.
func (s *Server) nextMisbehaviour(op Operation, no string) Misbehaviour {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.takeMisbehaviour(op, no)
}

// takeMisbehaviour is nextMisbehaviour for a caller that holds the lock.
func (s *Server) takeMisbehaviour(op Operation, no string) Misbehaviour {
	for i, m := range s.tricks {
		if m.On != op || m.No != "" && m.No != no {
			continue
		}
		if s.tricks[i].Times--; s.tricks[i].Times == 0 {
			s.tricks = slices.Delete(s.tricks, i, i+1)
		}
		return m
	}
	return Misbehaviour{}
}

// forges reports whether the merchant must refuse the signature.
func (m Misbehaviour) forges() bool {
	return slices.Contains([]Trick{Forge, Probe, Old, OtherSerial, RetiredKey}, m.Do)
}

func (m Misbehaviour) delay() time.Duration { return time.Duration(m.DelayMS) * time.Millisecond }

// forge gives the message a well-formed but wrong signature.
func forge(f fields) {
	first := byte('0')
	if f["sign"][0] == first {
		first = '1'
	}
	f["sign"] = string(first) + f["sign"][1:]
}
