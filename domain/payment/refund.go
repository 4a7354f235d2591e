package payment

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
)

// RefundID numbers refunds.
type RefundID int64

// RefundNo is the number that a refund has at the wallet: the protocol's out_refund_no. No two refunds
// have the same one. It has 6 to 64 digits, letters and the characters _-|*@.
type RefundNo string

// RefundState is the last known state of a refund at the wallet (PAY-14).
type RefundState string

const (
	// RefundProcessing: the refund was ordered, and its outcome is unknown.
	RefundProcessing RefundState = "processing"
	RefundSucceeded  RefundState = "succeeded"
	// RefundClosed: nothing was returned. The amount may be refunded by another refund.
	RefundClosed RefundState = "closed"
	// RefundAbnormal: the money left the merchant and did not arrive, the wallet's report contradicts the
	// refund, or the outcome stayed unknown. Staff must look at it.
	RefundAbnormal RefundState = "abnormal"
)

// RefundStates returns every state of a refund.
func RefundStates() []RefundState {
	return []RefundState{RefundProcessing, RefundSucceeded, RefundClosed, RefundAbnormal}
}

// RefundOrigin is what ordered a refund. Its value is stored.
type RefundOrigin string

const (
	RefundByStaff     RefundOrigin = "staff"     // a member of staff
	RefundByCommand   RefundOrigin = "command"   // the command line
	RefundByAutomatic RefundOrigin = "automatic" // the server, because the payment is RefundDue
)

// Refund is an order to the wallet to return a payment or a part of it.
type Refund struct {
	ID       RefundID
	Payment  PaymentID
	No       RefundNo // random, and stored before the wallet is called
	Amount   int64    // the currency's minor units
	Currency string
	Reason   string
	Origin   RefundOrigin
	Staff    user.ID // zero unless the Origin is RefundByStaff
	Payer    user.ID // who the order of the payment is for, which the store knows; zero: the payment has none
	State    RefundState
	WalletID string // the wallet's number of the refund; empty: the wallet has not confirmed it
	Created  time.Time
	Updated  time.Time // when the State or the WalletID changed last
	// Sent is when the request was sent last; zero: not yet. It is stored before the request is sent.
	Sent time.Time
	// NextCheck is when to continue the refund at the wallet; zero: never.
	NextCheck time.Time
}

// AtCursor returns the place of the refund in its list (GEN-18).
func (r Refund) AtCursor(s page.Span) page.Cursor { return s.Money(r.Created, r.Amount, int64(r.ID)) }

// ReasonLimit bounds the reason of a refund. The payer may see it. Wallets accept no longer one.
var ReasonLimit = text.Limit{Bytes: 80}

// Bounds of refunds.
const (
	// MaxRefunds is how many refunds of a payment wallets accept, closed ones not counted.
	MaxRefunds = 50
	// RefundSpacing is the time between two requests to refund the same payment. Wallets refuse faster ones.
	RefundSpacing = time.Minute
	// RefundSettles is how long after a request the wallet may still deny that it knows the refund.
	RefundSettles = time.Minute
	// RefundDoubt is the age from which on a refund is abnormal if the wallet refuses its repeated request: it may
	// have taken in the former one, and staff must find out.
	RefundDoubt = 24 * time.Hour
	// MaxRefundInterval is the longest time between two queries about a refund that is processing.
	MaxRefundInterval = time.Hour
	// AbnormalInterval is the time between two queries about an abnormal refund, which staff may have repaired
	// at the wallet.
	AbnormalInterval = 24 * time.Hour
	// RefundLife is how long a refund may take. A wallet refunds payments of the last year.
	RefundLife = 366 * 24 * time.Hour
)

// Faults of ordering a refund (PAY-14).
var (
	ErrNoPayment      = fault.New(fault.NotFound, "Payment not found.")
	ErrNoRefund       = fault.New(fault.NotFound, "Refund not found.")
	ErrNothingLeft    = fault.New(fault.Conflict, "Nothing is left of this payment to refund.")
	ErrTooManyRefunds = fault.Newf(fault.Conflict, "A payment has at most %d refunds.", MaxRefunds)
)

// RefundDraft is an unchecked order of a refund.
type RefundDraft struct {
	Payment PaymentID
	Amount  *int64 // nil: all that is left
	Reason  string
	Origin  RefundOrigin
	Staff   user.ID
}

// Check checks the fields of the draft. One fault reports all invalid fields.
func (d RefundDraft) Check() error {
	var wrong fault.Fields
	if d.Amount != nil && *d.Amount < 1 {
		wrong.Add("amount", "Ensure this value is 1 or greater, in the currency's minor units.")
	}
	wrong.Add("reason", ReasonLimit.RequiredLine(&d.Reason))
	return wrong.Err()
}

// RefundFilter selects refunds.
type RefundFilter struct {
	State     RefundState // empty: any
	Payment   PaymentID   // zero: any
	User      user.ID     // who the order of its payment is for; zero: anyone, or no one
	page.Span             // of their creation
}

// RefundRequest is a request to the wallet to return money. Equal requests with the same No are one
// refund.
type RefundRequest struct {
	No            RefundNo
	App           WalletApp // of the payment; empty: unknown
	TransactionID string
	Amount        int64 // to return; at least 1, at most Total
	Total         int64 // of the payment
	Currency      string
	Reason        string // at most 80 bytes
}

// RefundSending is a RefundRequest that is about to be sent.
type RefundSending struct {
	RefundRequest
	At time.Time
	// IsRepeated reports whether the request was sent before. The outcome of the former sending may be unknown, also
	// because a server crashed.
	IsRepeated bool
}

// RefundReport is the wallet's report about a refund.
type RefundReport struct {
	No            RefundNo
	WalletID      string // the wallet's number of the refund
	TransactionID string
	State         RefundState
	Amount        int64
	Currency      string
	Succeeded     time.Time // zero unless the State is RefundSucceeded
}
