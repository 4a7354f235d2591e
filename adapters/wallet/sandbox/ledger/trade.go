package ledger

import (
	"errors"
	"slices"
	"time"
)

// Protocol is a version of the wallet's protocol.
type Protocol string

// The versions.
const V2, V3 Protocol = "v2", "v3"

type State string

// The states of a trade.
const (
	NotPaid  State = "NOTPAY"
	Declined State = "PAYERROR" // the payer's bank refused; it can still be paid
	Success  State = "SUCCESS"
	Closed   State = "CLOSED"
	Returned State = "REFUND" // only of Status: paid, and returned in part or whole
)

type RefundState string

// The states of a refund. A refund that was closed returned nothing. One that is abnormal left the merchant and did not
// arrive; it can still succeed.
const (
	RefundProcessing, RefundSucceeded RefundState = "PROCESSING", "SUCCESS"
	RefundClosed, RefundAbnormal      RefundState = "CLOSED", "ABNORMAL"
)

// Refusal is an error that the merchant is told. Its code is that of version 2.
type Refusal struct{ Code, Text string }

func (r Refusal) Error() string { return r.Code + ": " + r.Text }

// Errors of trades and refunds.
var (
	ErrUnknown       = Refusal{"ORDERNOTEXIST", "order not found"}
	ErrPaid          = Refusal{"ORDERPAID", "the order is already paid"}
	ErrClosed        = Refusal{"ORDERCLOSED", "the order is closed"}
	ErrCrowded       = Refusal{"FREQUENCY_LIMITED", "too many requests"}
	ErrUnknownRefund = Refusal{"REFUNDNOTEXIST", "refund not found"}
	ErrOtherRefund   = Refusal{"REFUND_FEE_MISMATCH", "the number was sent before with other amounts, or for another order"}
	ErrOverdue       = Refusal{"TRADE_OVERDUE", "the order was paid more than a year ago"}
	ErrExpired       = errors.New("the order has expired")
	ErrRefundEnded   = errors.New("the refund has ended")
	ErrImpossible    = errors.New("the sandbox can't do that")
)

// Trade is an order in the wallet's ledger.
type Trade struct {
	Protocol      Protocol  `json:"protocol"` // that ordered it
	OutTradeNo    string    `json:"out_trade_no"`
	AppID         string    `json:"appid"`
	TradeType     string    `json:"trade_type"`
	Body          string    `json:"body"`
	Attach        string    `json:"attach,omitempty"`
	OpenID        string    `json:"openid,omitempty"`
	Amount        int64     `json:"total_fee"`
	Currency      string    `json:"fee_type"`
	State         State     `json:"trade_state"`
	PrepayID      string    `json:"prepay_id"`
	TransactionID string    `json:"transaction_id,omitempty"`
	Created       time.Time `json:"created"`
	PrepayUntil   time.Time `json:"prepay_until"`
	LinkUntil     time.Time `json:"link_until"`
	Expires       time.Time `json:"time_expire,omitzero"`
	Paid          time.Time `json:"time_end,omitzero"`
	Requests      int       `json:"requests"` // number of requests answered with this prepayment
	Refunds       []Refund  `json:"refunds,omitempty"`
	SignType      string    `json:"sign_type,omitempty"` // of version 2
	Fingerprint   string    `json:"fingerprint"`         // of the parameters
	Delivery
}

// Refund is money of a paid trade that is returned to the payer.
type Refund struct {
	No            string      `json:"out_refund_no"`
	ID            string      `json:"refund_id"` // the wallet's
	OutTradeNo    string      `json:"out_trade_no"`
	TransactionID string      `json:"transaction_id"`
	Protocol      Protocol    `json:"protocol"` // that asked for it
	Amount        int64       `json:"refund_fee"`
	Reason        string      `json:"refund_desc,omitempty"`
	State         RefundState `json:"refund_status"`
	Created       time.Time   `json:"created"`
	Ended         time.Time   `json:"ended,omitzero"`
	Delivery
}

// Delivery is how far the notification of a payment or of a refund is.
type Delivery struct {
	NotifyURL string `json:"notify_url,omitempty"` // empty: there is no notification
	Notified  bool   `json:"notified"`             // the merchant has acknowledged it
	Attempts  int    `json:"attempts"`
	// Next is the time of the next attempt. A refund that is being processed ends by itself then.
	Next time.Time `json:"next_attempt,omitzero"`
}

// open returns why the trade is not open any more, or nil.
func (t Trade) open() error {
	switch {
	case t.OutTradeNo == "":
		return ErrUnknown
	case t.State == Success:
		return ErrPaid
	case t.State == Closed:
		return ErrClosed
	}
	return nil
}

// Payable returns why the trade can't be paid at the time, or nil.
func (t Trade) Payable(now time.Time) error {
	err := t.open()
	if err == nil && !now.Before(t.Ends()) {
		err = ErrExpired
	}
	return err
}

// Ends returns the end of the time in which the trade can be paid.
func (t Trade) Ends() time.Time {
	if !t.Expires.IsZero() && t.Expires.Before(t.LinkUntil) {
		return t.Expires
	}
	return t.LinkUntil
}

// Status returns the state of the trade as the protocols call it.
func (t Trade) Status() State {
	if _, parts := t.returned(); parts > 0 {
		return Returned
	}
	return t.State
}

// Refund returns the refund with the number, or nil. It is part of the trade.
func (t Trade) Refund(no string) *Refund {
	if i := slices.IndexFunc(t.Refunds, func(r Refund) bool { return r.No == no }); i >= 0 {
		return &t.Refunds[i]
	}
	return nil
}

// returned returns the sum of what the payer got back, or may still get back, and the number of its parts.
func (t Trade) returned() (sum int64, parts int) {
	for _, r := range t.Refunds {
		if r.State != RefundClosed {
			sum += r.Amount
			parts++
		}
	}
	return sum, parts
}
