package payment

import (
	"time"

	"plaza/domain/fault"
)

// TradeNo is the number that a prepayment has at the wallet: the protocol's
// out_trade_no. No two prepayments have the same one. Those of this program have at most 32 letters,
// digits and hyphens.
type TradeNo string

// PrepaymentState is the last known state of a prepayment at the wallet.
type PrepaymentState string

// The states of a prepayment. A prepayment that is neither ClosedAtWallet nor Settled is
// alive: it may be paid, so no other may be opened for its order.
const (
	Preparing      PrepaymentState = "preparing" // the request is stored and may have been sent
	Unknown        PrepaymentState = "unknown"   // the wallet may or may not have the request
	Live           PrepaymentState = "live"      // the wallet has it, and its ticket is stored
	Closing        PrepaymentState = "closing"   // the wallet was asked to close it; the outcome is unknown
	ClosedAtWallet PrepaymentState = "closed"    // the wallet confirmed that it cannot be paid
	Settled        PrepaymentState = "paid"      // it is paid
)

// Prepayment is a payment of an order that is prepared at the wallet.
type Prepayment struct {
	TradeNo  TradeNo
	Protocol Protocol // all messages about the prepayment are of this protocol
	Intent   Intent
	State    PrepaymentState
	// Request is the gateway's request. It is resent byte for byte: the wallet accepts a
	// second request for the same prepayment only if it is identical.
	Request     []byte
	Ticket      Ticket
	Created     time.Time
	Opened      time.Time // when the wallet confirmed it first; zero: never
	Expires     time.Time // when the ticket expires; zero: no ticket
	LeasedUntil time.Time // end of the lease of the call that talks to the wallet; zero: no lease
}

// Ticket is the wallet's handle of a prepayment. The end type determines which parts the
// payer needs.
type Ticket struct {
	PrepayID string
	CodeURL  string // for Native: the content of the QR code
	MWebURL  string // for H5
}

// Lifetimes of tickets (PAY-09).
const (
	TicketLife = 2 * time.Hour
	MWebLife   = 5 * time.Minute
)

// MinLeft is the minimum time until an order's expiry for opening a prepayment.
const MinLeft = time.Minute

// CloseAge is the minimum age at which the wallet closes a prepayment.
const CloseAge = 5 * time.Minute

// ErrTooLate is the fault of beginning a payment shortly before the order expires (PAY-09).
var ErrTooLate = fault.New(fault.Conflict, "This order expires within a minute. It is too late to begin a payment.")

// ErrBusy returns the fault of a prepayment that another call has leased (PAY-09).
func ErrBusy(wait time.Duration) *fault.Error {
	return fault.RetryAfter(fault.Conflict, wait, "A payment of this order is being prepared. Try again soon.")
}

// ErrTooRecentToClose returns the fault of a former prepayment that the wallet does not
// close yet (PAY-09).
func ErrTooRecentToClose(wait time.Duration) *fault.Error {
	return fault.RetryAfter(fault.Conflict, wait, "Another way of paying this order is active. It can be cancelled only after five minutes.")
}

// IsAlive reports whether the prepayment may still be paid.
func (p *Prepayment) IsAlive() bool { return p.State != ClosedAtWallet && p.State != Settled }

// IsInDoubt reports whether the wallet has not told the outcome.
func (p *Prepayment) IsInDoubt() bool { return p.State == Unknown || p.State == Closing }

// IsUsable reports whether the payer can use the ticket at the instant.
func (p *Prepayment) IsUsable(now time.Time) bool { return p.State == Live && now.Before(p.Expires) }

func (p *Prepayment) life() time.Duration {
	if p.Intent.EndType == H5 {
		return MWebLife
	}
	return TicketLife
}
