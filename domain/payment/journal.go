package payment

import "time"

// Noted is what an entry of the journal says.
type Noted string

// What is noted of an order.
const (
	NotedOrdered   Noted = "ordered"
	NotedSent      Noted = "sending"    // a request is about to be sent
	NotedLive      Noted = "prepared"   // the wallet has it
	NotedUnknown   Noted = "unanswered" // nobody knows whether the wallet has it
	NotedClosing   Noted = "closing"    // the wallet is about to be told to close it
	NotedKept      Noted = "kept"       // the wallet has not closed it
	NotedShut      Noted = "closed"     // the wallet has closed it
	NotedPaid      Noted = "paid"
	NotedRefundDue Noted = "refund due"
	NotedDisputed  Noted = "disputed"
	NotedExpired   Noted = "expired" // the order is closed
)

// Entry is something that happened to an order. Entries are only ever added.
type Entry struct {
	At      time.Time
	Noted   Noted
	TradeNo TradeNo // empty: it is about the order
	// Detail is more of it, for people: a cause, a number of the wallet's. It holds no
	// secret and nothing about the payer.
	Detail string
}
