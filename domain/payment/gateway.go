package payment

import (
	"context"
	"time"

	"plaza/domain/fault"
)

// What a wallet says besides success. Every error of a Gateway that is none of these, a
// deadline that ran out among them, leaves open whether the wallet has done it.
var (
	// ErrWalletPaid: the prepayment is paid; ask for the receipt.
	ErrWalletPaid = fault.New(fault.Conflict, "This order is paid at the wallet.")
	// ErrWalletClosed: the prepayment is closed.
	ErrWalletClosed = fault.New(fault.Conflict, "This payment is closed at the wallet.")
	// ErrWalletNotFound: the wallet has never heard of the prepayment.
	ErrWalletNotFound = fault.New(fault.NotFound, "The wallet knows no such payment.")
	// ErrWalletNotClosed: the wallet has not closed the prepayment, for whatever reason it gives.
	ErrWalletNotClosed = fault.New(fault.Gateway, "The wallet does not close this payment.")
	// ErrWalletOtherOrder: the wallet has something else under the same number.
	ErrWalletOtherOrder = fault.New(fault.Gateway, "The wallet knows another payment by this number.")
	// ErrInsufficientFunds: the payer has not enough money.
	ErrInsufficientFunds = fault.New(fault.Conflict, "The wallet says that there is not enough money in it.")
	// ErrWalletRefused: the wallet does not take requests of ours, whatever they are about.
	ErrWalletRefused = fault.New(fault.Gateway, "The wallet refuses this service.")
	// ErrWalletBusy: the wallet takes no more requests for now, and did nothing.
	ErrWalletBusy = fault.RetryAfter(fault.Unavailable, 5*time.Second, "The wallet is busy. Try again soon.")
	// ErrNothingPaid: a notification of the wallet's, but of a payment that failed. There is
	// nothing to do; it is acknowledged, or it would come again.
	ErrNothingPaid = fault.New(fault.Invalid, "This notification tells of no payment.")
	// ErrForged: a notification that the wallet has not signed, or nobody can read.
	ErrForged = fault.New(fault.Invalid, "This is no notification of the wallet.")
)

// Faults of a wallet of which nobody knows what it has done (PAY-13).
var (
	ErrWalletBadResponse = fault.New(fault.Gateway, "The wallet can't be understood right now. Nothing was charged; try again.")
	ErrWalletTimeout     = fault.New(fault.Timeout, "The wallet does not answer right now. Nothing was charged; try again.")
)

// Gateway speaks to a mobile wallet. Every call ends by the deadline of its context, and
// by one of its own. Every implementation passes test/ports.Gateway.
type Gateway interface {
	// BuildRequest makes the request for a prepayment of the order, signed and complete. It asks
	// nobody.
	BuildRequest(o Order, i Intent, no TradeNo) ([]byte, error)
	// Prepare sends a request that Draw has made. A request may be sent any number of
	// times: each gives a good ticket for the same prepayment. Of its addresses a ticket has
	// only the one that the end type needs.
	Prepare(ctx context.Context, request []byte) (Ticket, error)
	// Query asks what has become of the prepayment.
	Query(ctx context.Context, app WalletApp, no TradeNo) (Report, error)
	// Close has the wallet let nobody pay the prepayment any more. It is ErrPaidThere if
	// somebody was faster, and nil or ErrShutThere when it is closed.
	Close(ctx context.Context, app WalletApp, no TradeNo) error
	// ClientParams is what the payer's terminal begins the payment with, signed anew.
	ClientParams(i Intent, t Ticket, now time.Time) (ClientParams, error)
	// Receive reads a notification, and makes sure that it is the wallet's. It is ErrForged,
	// or ErrNothingPaid.
	Receive(notification []byte) (Receipt, error)
	// Acknowledge is what the wallet is answered to a notification: taken, or to come
	// again.
	Acknowledge(taken bool) (body []byte, mediaType string)
}

// WalletState is how a prepayment stands at the wallet.
type WalletState int

// The standings.
const (
	WalletUnpaid WalletState = iota // not paid, so far
	WalletPaid                      // the report has the receipt
	WalletClosed                    // closed, or taken back: nobody can pay it
)

// Report is what the wallet says of a prepayment.
type Report struct {
	State   WalletState
	Receipt Receipt // of one that is paid
}

// Receipt is what the wallet says of a payment that somebody has made.
type Receipt struct {
	TransactionID string // the wallet's number; no two payments have the same one
	TradeNo       TradeNo
	App           WalletApp
	Amount        int64 // the currency's minor units
	Currency      string
	Paid          time.Time
	// Refunded says that the wallet has given the money back already.
	Refunded bool
}

// ClientParams is what a terminal needs to let its user pay. Which fields there are depends
// on the end type (PAY-02..05).
type ClientParams struct {
	EndType   EndType
	PrepayID  string
	CodeURL   string // Native
	MWebURL   string // H5
	AppID     string // App and JSAPI, like all that follows
	PartnerID string // App
	Package   string
	Nonce     string
	SignType  string // JSAPI
	Timestamp int64  // seconds since 1970; what is signed is its decimal digits
	Signature string
}
