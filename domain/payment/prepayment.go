package payment

import (
	"time"

	"plaza/domain/fault"
)

// TradeNo is the number that a prepayment has at the wallet: the protocol's
// out_trade_no. No two prepayments have the same one.
type TradeNo string

// PrepaymentState is how a prepayment stands at the wallet, as far as we know.
type PrepaymentState string

// The states of a prepayment. One that is neither shut nor settled is alive: somebody
// may pay it, and so no other may be opened for its order.
const (
	Preparing      PrepaymentState = "preparing" // its request is stored, and may be on its way
	Unknown        PrepaymentState = "unknown"   // its request may have arrived or not
	Live           PrepaymentState = "live"      // the wallet has it, and so have we its ticket
	Closing        PrepaymentState = "closing"   // the wallet was told to close it, and may have or not
	ClosedAtWallet PrepaymentState = "closed"    // the wallet has said that nobody can pay it any more
	Settled        PrepaymentState = "paid"      // somebody has paid it
)

// Prepayment is what the wallet keeps ready for a payer.
type Prepayment struct {
	TradeNo TradeNo
	Intent  Intent
	State   PrepaymentState
	// Request is what the gateway sends for it, the same to the last byte each time: the
	// wallet takes a second one for the same prepayment only if it is identical.
	Request     []byte
	Ticket      Ticket
	Created     time.Time
	Opened      time.Time // when the wallet first had it; zero: not that we know
	Expires     time.Time // when the ticket is good no longer; zero: there is none
	LeasedUntil time.Time // until when somebody is busy with it at the wallet; zero: nobody
}

// Ticket is what the wallet gives for a prepayment; what a payer needs of it depends on
// the end type.
type Ticket struct {
	PrepayID string
	CodeURL  string // for Native: what the QR code says
	MWebURL  string // for H5
}

// How long a ticket is good (PAY-09).
const (
	TicketLife = 2 * time.Hour
	MWebLife   = 5 * time.Minute
)

// MinLeft is how much time an order must have left for a prepayment to be opened.
const MinLeft = time.Minute

// CloseAge is how old a prepayment must be before the wallet closes it.
const CloseAge = 5 * time.Minute

// Faults of beginning a payment (PAY-09). The last two say when to try again.
var (
	ErrTooLate          = fault.New(fault.Conflict, "This order expires within a minute. Too late to begin a payment.")
	errBusy             = "This order is being prepared for payment. Try again soon."
	errTooRecentToClose = "This order is about to be paid in another way, which can be given up only after five minutes."
)

// ErrBusy says that somebody else is at it, and how long that may take.
func ErrBusy(wait time.Duration) *fault.Error { return fault.RetryAfter(fault.Conflict, wait, errBusy) }

// ErrTooRecentToClose says that the wallet does not close the former prepayment yet.
func ErrTooRecentToClose(wait time.Duration) *fault.Error {
	return fault.RetryAfter(fault.Conflict, wait, errTooRecentToClose)
}

// IsAlive says whether somebody may still pay it.
func (p *Prepayment) IsAlive() bool { return p.State != ClosedAtWallet && p.State != Settled }

// IsUsable says whether its ticket can be given to the payer at the instant.
func (p *Prepayment) IsUsable(now time.Time) bool { return p.State == Live && now.Before(p.Expires) }

func (p *Prepayment) life() time.Duration {
	if p.Intent.EndType == H5 {
		return MWebLife
	}
	return TicketLife
}
