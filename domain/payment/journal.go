package payment

import "time"

// Noted is the kind of a journal entry.
type Noted string

// The kinds of journal entries.
const (
	NotedOrdered        Noted = "ordered"
	NotedSending        Noted = "sending"    // the request is about to be sent
	NotedLive           Noted = "prepared"   // the wallet has the prepayment
	NotedUnknown        Noted = "unanswered" // the outcome at the wallet is unknown
	NotedClosing        Noted = "closing"    // the request to close is about to be sent
	NotedKept           Noted = "kept"       // the wallet did not close the prepayment
	NotedClosedAtWallet Noted = "closed"     // the wallet closed the prepayment
	NotedPaid           Noted = "paid"
	NotedRefundDue      Noted = "refund due"
	NotedDisputed       Noted = "disputed"
	NotedExpired        Noted = "expired" // the order is closed
)

// Entry is a journal entry of an order. The journal is append-only.
type Entry struct {
	At      time.Time
	Noted   Noted
	TradeNo TradeNo // empty: about the order itself
	// Detail is for people: a cause, or a number of the wallet. It contains no secret and
	// no data about the payer.
	Detail string
}
