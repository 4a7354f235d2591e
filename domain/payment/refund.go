package payment

import "time"

// RefundNo is the number that a refund has at the wallet: the protocol's out_refund_no. No two refunds
// have the same one. It has 6 to 64 digits, letters and the characters _-|*@.
type RefundNo string

// RefundState is the last known state of a refund at the wallet (PAY-14).
type RefundState string

// The states of a refund.
const (
	// RefundProcessing: the refund was ordered, and its outcome is unknown.
	RefundProcessing RefundState = "processing"
	RefundSucceeded  RefundState = "succeeded"
	// RefundClosed: nothing was returned. The amount may be refunded by another refund.
	RefundClosed RefundState = "closed"
	// RefundAbnormal: the money left the merchant and did not arrive, or the wallet's report contradicts the
	// refund. Staff must look at it.
	RefundAbnormal RefundState = "abnormal"
)

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
