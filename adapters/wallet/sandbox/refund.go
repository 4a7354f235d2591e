package sandbox

import (
	"errors"
	"fmt"
	"time"
)

// RefundState is the state of a refund.
type RefundState string

// The states of a refund. A refund that was closed returned nothing. One that is abnormal left the
// merchant and did not arrive; it can still succeed.
const (
	RefundProcessing RefundState = "PROCESSING"
	RefundSucceeded  RefundState = "SUCCESS"
	RefundClosed     RefundState = "CLOSED"
	RefundAbnormal   RefundState = "ABNORMAL"
)

// Errors of RefundOutcome.
var (
	ErrUnknownRefund = refusal{"REFUNDNOTEXIST", "refund not found"}
	ErrRefundEnded   = errors.New("the refund has ended")
)

// refundWords are the words for the states of a refund: in answers of version 2, in bills, and in
// events of version 3.
var refundWords = map[RefundState]struct{ v2, bill, event, summary string }{
	RefundProcessing: {"PROCESSING", "PROCESSING", "", ""},
	RefundSucceeded:  {"SUCCESS", "SUCCESS", "REFUND.SUCCESS", "退款成功"},
	RefundClosed:     {"REFUNDCLOSE", "FAIL", "REFUND.CLOSED", "退款关闭"},
	RefundAbnormal:   {"CHANGE", "CHANGE", "REFUND.ABNORMAL", "退款异常"},
}

// Refund is money of a paid order that is returned to the payer.
type Refund struct {
	No            string      `json:"out_refund_no"`
	ID            string      `json:"refund_id"` // the wallet's
	OutTradeNo    string      `json:"out_trade_no"`
	TransactionID string      `json:"transaction_id"`
	Protocol      Protocol    `json:"protocol"` // that asked for it
	Amount        int64       `json:"refund_fee"`
	Total         int64       `json:"total_fee"` // of the order
	Reason        string      `json:"refund_desc,omitempty"`
	State         RefundState `json:"refund_status"`
	Created       time.Time   `json:"created"`
	Ended         time.Time   `json:"ended,omitzero"`
	Delivery
}

// Rules of the wallet for refunds.
const (
	maxParts   = 50
	refundTerm = 365 * 24 * time.Hour // after the payment
)

// Refusals of refunds.
var (
	refuseOtherRefund = refusal{"REFUND_FEE_MISMATCH", "the number was sent before with other amounts, or for another order"}
	refuseTooMuch     = refusal{"INVALID_REQUEST", "the refund is more than what is left of the order"}
	refuseOtherTotal  = refusal{"INVALID_REQUEST", "the total is not that of the order"}
	refuseParts       = refusal{"INVALID_REQUEST", "the order has 50 refunds"}
	refuseOverdue     = refusal{"TRADE_OVERDUE", "the order was paid more than a year ago"}
	refuseFunds       = refusal{"NOTENOUGH", "the merchant's balance is too low"}
)

// paidTrade returns the paid order with the wallet's ID, or else with the merchant's number. The
// caller must hold the lock.
func (s *Server) paidTrade(transactionID, no string) (Trade, error) {
	if transactionID != "" {
		no = s.paid[transactionID]
	}
	t, there := s.trades[no]
	if !there || t.State != Success {
		return Trade{}, ErrUnknown
	}
	return t, nil
}

// refund begins the refund. The same request again changes nothing. The caller must hold the
// lock.
func (s *Server) refund(t Trade, asked Refund) (Refund, error) {
	now := s.now()
	if r, there := s.refunds[asked.No]; there {
		if r.TransactionID != t.TransactionID || r.Amount != asked.Amount || r.Total != asked.Total {
			return r, refuseOtherRefund
		}
		return r, nil
	}
	returned, parts := s.returned(t.OutTradeNo)
	switch {
	case asked.Total != t.Amount:
		return asked, refuseOtherTotal
	case now.Sub(t.Paid) > refundTerm:
		return asked, refuseOverdue
	case parts >= maxParts:
		return asked, refuseParts
	case asked.Amount > t.Amount-returned:
		return asked, refuseTooMuch
	case len(s.refunds) >= maxTrades:
		return asked, errCrowded
	}
	asked.OutTradeNo, asked.TransactionID = t.OutTradeNo, t.TransactionID
	asked.State, asked.Created, asked.ID = RefundProcessing, now, s.walletID("5030", now)
	if s.cfg.RefundTime > 0 {
		asked.Next = now.Add(s.scaled(s.cfg.RefundTime))
	}
	s.wake()
	return asked, s.commitRefund(asked)
}

// returned returns the sum of what the payer got back, or may still get back, and the number of its
// parts. The caller must hold the lock.
func (s *Server) returned(outTradeNo string) (sum int64, parts int) {
	for _, no := range s.refundsOf[outTradeNo] {
		if r := s.refunds[no]; r.State != RefundClosed {
			sum += r.Amount
			parts++
		}
	}
	return sum, parts
}

// RefundOutcome ends a refund that is being processed, or lets an abnormal one succeed. The
// merchant is notified afterwards.
func (s *Server) RefundOutcome(no string, state RefundState) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.endRefund(no, state)
}

// endRefund is RefundOutcome for a caller that holds the lock.
func (s *Server) endRefund(no string, state RefundState) error {
	r, there := s.refunds[no]
	switch {
	case !there:
		return ErrUnknownRefund
	case state != RefundSucceeded && state != RefundClosed && state != RefundAbnormal:
		return fmt.Errorf("%w: a refund ends as SUCCESS, CLOSED or ABNORMAL", errImpossible)
	case r.State != RefundProcessing && (r.State != RefundAbnormal || state != RefundSucceeded):
		return ErrRefundEnded
	}
	now := s.now()
	r.State, r.Ended = state, now
	r.Delivery = Delivery{NotifyURL: r.NotifyURL}
	if r.NotifyURL != "" {
		r.Next = now
	}
	s.wake()
	return s.commitRefund(r)
}

// endByItself lets a refund that is still being processed succeed. It reports whether it was.
func (s *Server) endByItself(no string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, there := s.refunds[no]
	if !there || r.State != RefundProcessing {
		return false
	}
	if err := s.endRefund(no, RefundSucceeded); err != nil {
		s.cfg.Log.Error("sandbox: ending a refund failed", "cause", err)
		r.Next = s.now().Add(time.Second)
		s.storeRefund(r)
	}
	return true
}

// Refunds returns all refunds in the order in which they were asked for.
func (s *Server) Refunds() []Refund {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]Refund, 0, len(s.refundNumbers))
	for _, no := range s.refundNumbers {
		all = append(all, s.refunds[no])
	}
	return all
}

// commitRefund stores the refund durably. The caller must hold the lock.
func (s *Server) commitRefund(r Refund) error {
	if err := s.recordRefund(r); err != nil {
		return err
	}
	s.storeRefund(r)
	return nil
}

// recordRefund adds the refund to the journal. The caller must hold the lock.
func (s *Server) recordRefund(r Refund) error { return s.record(map[string]Refund{"refund": r}) }

// storeRefund stores the refund in memory. The caller must hold the lock.
func (s *Server) storeRefund(r Refund) {
	if _, there := s.refunds[r.No]; !there {
		s.refundNumbers = append(s.refundNumbers, r.No)
		s.refundsOf[r.OutTradeNo] = append(s.refundsOf[r.OutTradeNo], r.No)
	}
	s.refunds[r.No] = r
	s.expect(subject{trade: r.OutTradeNo, refund: r.No}, r.Delivery)
}

// paidBack returns what the payer gets of the amount. Coupons are not returned.
func paidBack(t Trade, amount int64) int64 {
	return amount * (t.Amount - t.Coupon) / t.Amount
}
