package payment

import (
	"context"
	"time"

	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/user"
)

// Ledger stores orders with their prepayments, payments, journal and answers to keys,
// which must be consistent at any time. It joins the interfaces that its callers need.
// Every implementation passes test/ports.Ledger.
type Ledger interface {
	Orders
	Trades
	Refunds
	Findings
	Reports
	idempotency.Keys
}

// Orders stores orders.
type Orders interface {
	// AddOrder stores a new order and returns it with its number. In the same step it must
	// add a journal entry, set the NextCheck to the order's expiry, and store an answer
	// with an empty Reply if k is not nil.
	AddOrder(ctx context.Context, o Order, k *idempotency.Key) (Order, error)
	// Order returns the order, or ErrNoOrder.
	Order(ctx context.Context, id OrderID) (Order, error)
	// OpenOrders returns the user's orders in the state Open, expired ones included, the
	// newest first, ties by descending id.
	OpenOrders(ctx context.Context, id user.ID) ([]Order, error)
	// Orders returns a page of the orders that the filter selects, the newest first, ties by
	// descending id, or in the order of its span.
	Orders(ctx context.Context, f OrderFilter, p page.Request) (page.Page[Order], error)
	// OrdersOf returns those of the orders that exist, in any order.
	OrdersOf(ctx context.Context, ids []OrderID) ([]Order, error)
}

// OrderFilter selects orders.
type OrderFilter struct {
	User      user.ID // zero: of all users
	State     State   // empty: any
	IsInDoubt bool    // only those with a prepayment whose outcome the wallet has not told (Prepayment.IsInDoubt)
	page.Span         // of their creation
}

// Trades stores what happens to orders.
type Trades interface {
	// Change loads the order's trade, calls fn and stores the whole result; if fn fails, it
	// must store nothing. It returns ErrNoOrder if the order does not exist. Two Changes of
	// one order must not overlap. fn may be called again with the trade stored by then. fn
	// must not call a port of the store: such a call may never return.
	Change(ctx context.Context, id OrderID, fn func(*Trade) error) error
	// OrderOf returns the order of the prepayment, or ErrNoOrder.
	OrderOf(ctx context.Context, no TradeNo) (OrderID, error)
	// AddUnmatched stores a payment without an order, unless one with the same transaction
	// is stored already. It returns the stored payment.
	AddUnmatched(ctx context.Context, p Payment) (Payment, error)
	// Due returns at most limit orders whose NextCheck has come by now, the earliest first,
	// and postpones it until next in the same step: no other call may return them before.
	Due(ctx context.Context, now, next time.Time, limit int) ([]OrderID, error)
}

// Refunds stores refunds of payments.
type Refunds interface {
	// ChangeRefunds loads the account of the payment, calls fn, stores the whole result and returns it
	// with the numbers of new refunds; if fn fails, it must store nothing. It returns ErrNoPayment if
	// the payment does not exist. A new refund completes the key of the account in the same step. No
	// two ChangeRefunds of one payment may overlap, and none may overlap a Change of the payment's order. fn
	// must not call a port of the store: such a call may never return.
	ChangeRefunds(ctx context.Context, id PaymentID, fn func(*RefundAccount) error) (RefundAccount, error)
	// Refund returns the refund, or ErrNoRefund.
	Refund(ctx context.Context, id RefundID) (Refund, error)
	// Refunds returns a page of the refunds that the filter selects, the newest first, ties by
	// descending id, or in the order of its span.
	Refunds(ctx context.Context, f RefundFilter, p page.Request) (page.Page[Refund], error)
	// DueRefunds returns at most limit refunds whose NextCheck has come by now, the earliest first, and
	// postpones it until next in the same step: no other call may return them before.
	DueRefunds(ctx context.Context, now, next time.Time, limit int) ([]Refund, error)
	// HastenRefund makes the refund due at the instant, unless it is due earlier or never. An unknown
	// number changes nothing.
	HastenRefund(ctx context.Context, no RefundNo, now time.Time) error
	// Unrefunded returns at most limit payments over the protocols that are RefundDue and have no refund,
	// closed ones included, the oldest first.
	Unrefunded(ctx context.Context, over []Protocol, limit int) ([]PaymentID, error)
}

// Findings stores how bills and the ledger differ, and reads what is compared with bills (PAY-15).
type Findings interface {
	// EntriesOf returns the payments with the transactions of the lines, and the refunds with the numbers of the lines, in
	// any order.
	EntriesOf(ctx context.Context, lines []BillLine) ([]LedgerEntry, error)
	// PaymentsPaid returns at most limit payments that were paid (PaidAt) after the cursor and before until, in the order of
	// their cursors.
	PaymentsPaid(ctx context.Context, after Cursor, until time.Time, limit int) ([]LedgerEntry, error)
	// RefundsSent returns at most limit refunds that the wallet has confirmed and that were sent after the cursor and
	// before until, in the order of their cursors.
	RefundsSent(ctx context.Context, after Cursor, until time.Time, limit int) ([]LedgerEntry, error)
	// StoreFindings stores what the comparison that began at the instant has found. A finding that is stored already keeps
	// its number and takes the other fields, Resolved included; but one that was settled stays as it is if what was expected
	// and found is the same.
	StoreFindings(ctx context.Context, began time.Time, all []Finding) error
	// EndReconciliation ends the comparison of a day that began at the instant: open findings of the day that
	// no comparison has stored since then become resolved now. If the day is over by now, the day is completed.
	EndReconciliation(ctx context.Context, d Day, began, now time.Time) error
	// ClaimReconciliation leases the comparison of the day until the instant. It returns false if the day is completed, or
	// leased at the time.
	ClaimReconciliation(ctx context.Context, d Day, now, until time.Time) (bool, error)
	// Findings returns a page of the findings that the filter selects, the newest first, or in the order of its span.
	Findings(ctx context.Context, f FindingFilter, p page.Request) (page.Page[Finding], error)
	// SettleFinding makes the open finding settled, and resolved now. It returns ErrNoOpenFinding if none has the number.
	SettleFinding(ctx context.Context, id FindingID, now time.Time) error
}

// PaymentFilter selects payments.
type PaymentFilter struct {
	State       PaymentState // empty: any
	Order       OrderID      // zero: of any order, or of none
	ID          PaymentID    // zero: any
	Transaction string       // the wallet's number; empty: any
	User        user.ID      // who its order is for; zero: anyone, or no one
	page.Span                // of their receipt
}

// Reports reads what staff reviews.
type Reports interface {
	// Payments returns a page of the payments that the filter selects, the newest first, ties by
	// descending id, or in the order of its span. If it selects the state RefundDue, those are only the payments of which
	// something is not refunded.
	Payments(ctx context.Context, f PaymentFilter, p page.Request) (page.Page[Payment], error)
	// Journal returns the order's journal entries, the oldest first.
	Journal(ctx context.Context, id OrderID) ([]Entry, error)
}

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
	Detail  Detail
}
