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

	NotedRefundRequested  Noted = "refund requested"  // the request to refund is about to be sent
	NotedRefundUnanswered Noted = "refund unanswered" // the wallet has not taken the refund yet, or has not said so
	NotedRefundProcessing Noted = "refund processing" // again, after it was abnormal
	NotedRefundSucceeded  Noted = "refunded"
	NotedRefundClosed     Noted = "refund closed"   // nothing was returned
	NotedRefundAbnormal   Noted = "refund abnormal" // staff must look at it
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
