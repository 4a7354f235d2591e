package sandbox

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"plaza/adapters/wallet/sandbox/ledger"
)

// Operation is a request of the protocol, or the wallet's notification.
type Operation string

// The operations. The bill of version 2 is the answer itself.
const (
	// Of version 2.
	UnifiedOrder, OrderQuery, CloseOrder Operation = "unifiedorder", "orderquery", "closeorder"
	// Of version 3.
	Prepay, QueryTrade, CloseTrade Operation = "prepay", "query", "close"
	ListKeys, DownloadBill         Operation = "certificates", "download"
	// Of both.
	RefundOrder, RefundQuery, TradeBill Operation = "refund", "refundquery", "tradebill"
	Notify, NotifyRefund                Operation = "notify", "notifyrefund"
)

// Trick is a kind of misbehaviour.
type Trick string

// The tricks. The table below says what they do, and which operations have them.
const (
	Slow, ErrorBefore, Crowded, SayPaid, NoFunds Trick = "slow", "error-before", "crowded", "say-paid", "no-funds"
	ErrorAfter, Delay, Reset, Garbage, Truncate  Trick = "error-after", "delay", "reset", "garbage", "truncate"
	Forge, Probe, Old, OtherSerial               Trick = "forge", "probe", "old", "other-serial"
	Lose, Repeat, Late                           Trick = "lose", "repeat", "late"
	Amount, LoseLine, BadHash                    Trick = "amount", "lose-line", "bad-hash"
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

func tricksOf(op Operation) []trickInfo {
	return slices.DeleteFunc(slices.Clone(trickTable), func(t trickInfo) bool { return !slices.Contains(t.On, op) })
}

// Label returns the label of the trick's button.
func (t Trick) Label() string {
	return trickTable[slices.IndexFunc(trickTable, func(info trickInfo) bool { return info.Do == t })].Label
}

// Misbehaviour applies a trick to the next request of an operation.
type Misbehaviour struct {
	On      Operation
	Do      Trick
	No      string // for this order only, and for what is about none; empty: any
	Copies  int    // of Repeat
	DelayMS int64  // of Delay and Slow, in milliseconds, and not scaled
}

const maxTricks = 1000

// tricks are the misbehaviours that have not been applied, in the order in which they were added.
type tricks struct {
	mu      sync.Mutex
	waiting []Misbehaviour
}

// Misbehave adds a misbehaviour. They apply in the order in which they were added.
func (t *tricks) Misbehave(m Misbehaviour) error {
	if m.Copies = max(m.Copies, 2); m.Do != Repeat {
		m.Copies = 1
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case !slices.ContainsFunc(tricksOf(m.On), func(t trickInfo) bool { return t.Do == m.Do }):
		return fmt.Errorf("%w: operation %q does not support trick %q", ledger.ErrImpossible, m.On, m.Do)
	case len(t.waiting) >= maxTricks:
		return fmt.Errorf("%w: too many are pending", ledger.ErrImpossible)
	}
	t.waiting = append(t.waiting, m)
	return nil
}

// Behave forgets the misbehaviours that have not been applied.
func (t *tricks) Behave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting = nil
}

// pending returns the misbehaviours that have not been applied.
func (t *tricks) pending() []Misbehaviour {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.waiting)
}

// next takes the misbehaviour of a request or of a notification, whose number is empty if it is about no order. Without a
// misbehaviour, Do is empty.
func (t *tricks) next(op Operation, no string) Misbehaviour {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.waiting, func(m Misbehaviour) bool { return m.On == op && (m.No == "" || no == "" || m.No == no) })
	if i < 0 {
		return Misbehaviour{}
	}
	m := t.waiting[i]
	t.waiting = slices.Delete(t.waiting, i, i+1)
	return m
}

// delay returns how long Delay and Slow take.
func (m Misbehaviour) delay() time.Duration { return time.Duration(m.DelayMS) * time.Millisecond }

// forges reports whether the merchant must refuse the signature.
func (m Misbehaviour) forges() bool {
	return slices.Contains([]Trick{Forge, Probe, Old, OtherSerial}, m.Do)
}

// overstates changes the refund, or else the payment, if one fen more is to be named than was paid.
func (m Misbehaviour) overstates(t *ledger.Trade, r *ledger.Refund) {
	switch {
	case m.Do != Amount:
	case r != nil:
		r.Amount++
	default:
		t.Amount++
	}
}
