package payment

import (
	"context"
	"net/netip"
	"time"

	"plaza/domain/fault"
)

// Errors of a Gateway with a known outcome. After any other error, an exceeded deadline
// included, the outcome at the wallet is unknown.
var (
	// ErrWalletPaid: the prepayment is paid. Query returns the receipt.
	ErrWalletPaid = fault.New(fault.Conflict, "The wallet has already received the payment of this order.")
	// ErrWalletClosed: the prepayment is closed.
	ErrWalletClosed = fault.New(fault.Conflict, "The wallet has closed this payment.")
	// ErrWalletNotFound: the wallet has never received the prepayment.
	ErrWalletNotFound = fault.New(fault.NotFound, "The wallet does not know this payment.")
	// ErrWalletNotClosed: the wallet did not close the prepayment, for any reason.
	ErrWalletNotClosed = fault.New(fault.Gateway, "The wallet did not close this payment.")
	// ErrWalletOtherOrder: the wallet has another prepayment under the same number.
	ErrWalletOtherOrder = fault.New(fault.Gateway, "The wallet has another payment with this number.")
	// ErrInsufficientFunds: the payer does not have enough money.
	ErrInsufficientFunds = fault.New(fault.Conflict, "The wallet has insufficient funds.")
	// ErrWalletRefused: the wallet accepts no requests from this server.
	ErrWalletRefused = fault.New(fault.Gateway, "The wallet refuses requests from this service.")
	// ErrWalletBusy: the wallet accepts no more requests for now, and did nothing.
	ErrWalletBusy = fault.RetryAfter(fault.Unavailable, 5*time.Second, "The wallet is busy. Try again soon.")
	// ErrNothingPaid: an authentic notification of a failed payment. It needs no action,
	// but must be acknowledged, or the wallet sends it again.
	ErrNothingPaid = fault.New(fault.Invalid, "This notification reports a failed payment.")
	// ErrForged: a notification that the wallet has not signed or that is malformed.
	ErrForged = fault.New(fault.Invalid, "This notification is not from the wallet.")
)

// Errors of refunds with a known outcome: the wallet has begun nothing.
var (
	// ErrRefundNotFound: the wallet has never received the refund.
	ErrRefundNotFound = fault.New(fault.NotFound, "The wallet does not know this refund.")
	// ErrRefundDiffers: the number was sent before, with another amount or for another payment.
	ErrRefundDiffers = fault.New(fault.Gateway, "The wallet has another refund with this number.")
	// ErrRefundTooMuch: the amount exceeds what is left of the payment at the wallet, or the payment
	// is too old.
	ErrRefundTooMuch = fault.New(fault.Conflict, "The wallet does not refund so much of this payment, or no longer refunds it.")
	// ErrRefundsOff: the gateway has no certificate with which the merchant may refund.
	ErrRefundsOff = fault.New(fault.Unavailable, "Refunds are not configured.")
	// ErrBillNotReady: the wallet has not made the bill of the day yet.
	ErrBillNotReady = fault.RetryAfter(fault.Unavailable, 30*time.Minute, "The wallet has not made the bill of this day yet.")
	// ErrMerchantFunds: the merchant's balance is too low. The same request may be sent again.
	ErrMerchantFunds = fault.New(fault.Conflict, "The merchant's balance at the wallet is too low.")
)

// Faults of a wallet call with an unknown outcome (PAY-13). The payer may have paid, so
// their texts must not say that nothing was charged.
var (
	ErrWalletBadResponse = fault.New(fault.Gateway, "The wallet sent an invalid response. It is safe to try again.")
	ErrWalletTimeout     = fault.New(fault.Timeout, "The wallet did not answer. It is safe to try again.")
)

// Gateway is a client of a mobile wallet. Every call must end by the deadline of its
// context, and by a deadline of the gateway. It must give up an answer without an end:
// after less than 64 MiB, or less than 512 MiB of a bill. An application that is not configured is
// ErrNoWallet; a number that the wallet cannot have is an error. Neither is sent. Every implementation
// passes test/ports.Gateway.
type Gateway interface {
	// Protocol returns the protocol that the gateway speaks. Notifications of the wallet come to
	// /api/pay/notify/PROTOCOL/.
	Protocol() Protocol
	// BuildRequest returns the complete request for a prepayment of the order. It must not
	// call the wallet. The request must stay valid as long as the order: a signature with a
	// time belongs into Prepare. A wallet may let only the address of the payer pay for H5; zero:
	// it is unknown.
	BuildRequest(o Order, i Intent, no TradeNo, payer netip.Addr) ([]byte, error)
	// Prepare signs and sends a request from BuildRequest. A request may be sent any number
	// of times; each time Prepare must return a ticket for the same prepayment, which is valid for
	// TicketLife, or MWebLife for H5, unless the order expires before. Of the
	// addresses, the ticket must have only the one that the end type needs. It has a PrepayID
	// only if the wallet gave one.
	Prepare(ctx context.Context, request []byte) (Ticket, error)
	// Query returns the wallet's report about the prepayment.
	Query(ctx context.Context, app WalletApp, no TradeNo) (Report, error)
	// Close closes the prepayment at the wallet, so that it can no longer be paid. It
	// returns ErrWalletPaid if the prepayment was paid before, and nil or ErrWalletClosed
	// if it is closed.
	Close(ctx context.Context, app WalletApp, no TradeNo) error
	// ClientParams returns newly signed parameters with which the payer's terminal starts
	// the payment.
	ClientParams(i Intent, t Ticket, now time.Time) (ClientParams, error)
	// Refund sends a request to return money. The same request may be sent any number of times; money
	// moves once. It returns the report, or an error: after ErrRefundDiffers, ErrRefundTooMuch,
	// ErrWalletNotFound (no such payment), ErrMerchantFunds, ErrWalletRefused, ErrWalletBusy and
	// ErrRefundsOff the wallet has begun nothing. After any other error the outcome is unknown.
	Refund(ctx context.Context, r RefundRequest) (RefundReport, error)
	// QueryRefund returns the wallet's report about the refund, or ErrRefundNotFound. The app is that of the payment;
	// empty: unknown.
	QueryRefund(ctx context.Context, app WalletApp, no RefundNo) (RefundReport, error)
	// Bill calls fn with each payment and each refund of the day, once, and returns fn's error. The bill is read wholly, and
	// compared with its hash or its sums, before the first call. A line that cannot be read is passed on as Unread, and the
	// others follow. A day without payments has no lines. Bill returns ErrBillNotReady while the wallet has not made the
	// bill. fn may take any time.
	Bill(ctx context.Context, d Day, fn func(BillLine) error) error
	// Receive verifies and decodes a notification of the wallet. It returns ErrForged or
	// ErrNothingPaid.
	Receive(n Notification) (Notice, error)
	// Acknowledge returns the response to a notification: accepted, or to be sent again.
	Acknowledge(accepted bool) Acknowledgement
}

// WalletState is the state of a prepayment at the wallet.
type WalletState int

const (
	WalletUnpaid WalletState = iota // not yet paid
	WalletPaid                      // the report has the receipt
	WalletClosed                    // closed or revoked: it cannot be paid
)

// Report is the wallet's report about a prepayment.
type Report struct {
	State   WalletState
	Receipt Receipt // only for WalletPaid
}

// Receipt is the wallet's record of a payment.
type Receipt struct {
	TransactionID string // the wallet's unique number of the payment
	TradeNo       TradeNo
	App           WalletApp // of the prepayment, by its ID in the report; empty: the ID is none of the gateway's
	Amount        int64     // the currency's minor units
	Currency      string
	Paid          time.Time
	// Refunded reports that the wallet has already returned the money.
	Refunded bool
}

// ClientParams are the parameters with which a terminal lets its user pay. The end type
// determines which fields are set (PAY-02..05).
type ClientParams struct {
	EndType   EndType
	PrepayID  string
	CodeURL   string // Native
	MWebURL   string // H5
	AppID     string // App and JSAPI, as all fields below
	PartnerID string // App
	Package   string
	Nonce     string
	SignType  string // JSAPI
	Timestamp int64  // seconds since 1970; its decimal digits are signed
	Signature string
}

// Notification is a message of the wallet, as it came.
type Notification struct {
	// Header has the values of the message's headers by lower-case name. A header that came more
	// than once is absent: nothing decides which value counts.
	Header map[string]string
	Body   []byte
}

// Notice is what a genuine notification reports. Exactly one field is set.
type Notice struct {
	Receipt *Receipt // a payment
	// Refund is the number of a refund that may have changed: QueryRefund tells how. The notification itself
	// proves nothing.
	Refund RefundNo
}

// Acknowledgement is the response to a notification.
type Acknowledgement struct {
	Status    int // 200 or 204, or 4xx or 5xx: send it again, if the protocol says so by the status
	Body      []byte
	MediaType string // empty without a body
}
