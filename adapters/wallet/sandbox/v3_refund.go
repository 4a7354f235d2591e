package sandbox

import "errors"

// Fields of requests for refunds.
var (
	refundFormV3 = form{
		limits{"out_refund_no": 64, "amount/refund": 10, "amount/total": 10, "amount/currency": 16},
		limits{"transaction_id": 32, "out_trade_no": 32, "reason": 80, "notify_url": 256},
	}
	refundQueryFormV3 = form{needed: limits{"out_refund_no": 64}}
)

// refundTrade answers to a request for a refund.
func (s *Server) refundTrade(r *request) (any, error) {
	asked := r.asked
	if (asked["transaction_id"] == "") == (asked["out_trade_no"] == "") {
		return nil, invalidParam("transaction_id or out_trade_no", "must be given, not both")
	}
	t, err := s.paidTrade(asked["transaction_id"], asked["out_trade_no"])
	if errors.Is(err, ErrUnknown) {
		return nil, refusal{ErrUnknownRefund.code, "order not found"}
	}
	made, err := s.refund(t, Refund{
		Protocol: V3, No: asked["out_refund_no"], Amount: asked.number("amount/refund"), Total: asked.number("amount/total"),
		Reason: asked["reason"], Delivery: Delivery{NotifyURL: asked["notify_url"]},
	})
	if err != nil {
		return nil, err
	}
	return s.refundObject(made), nil
}

// queryRefund answers with a refund, by the merchant's number.
func (s *Server) queryRefund(r *request) (any, error) {
	made, there := s.refunds[r.asked["out_refund_no"]]
	if !there {
		return nil, ErrUnknownRefund
	}
	return s.refundObject(made), nil
}

// refundObject returns the refund as answers have it. The caller must hold the lock.
func (s *Server) refundObject(r Refund) object {
	t := s.trades[r.OutTradeNo]
	amount := refundAmount(t, r.Amount)
	amount["currency"], amount["settlement_total"], amount["settlement_refund"] = t.Currency, t.Amount, r.Amount
	o := object{
		"refund_id": r.ID, "out_refund_no": r.No, "transaction_id": r.TransactionID, "out_trade_no": r.OutTradeNo,
		"channel": "ORIGINAL", "user_received_account": "sandbox", "create_time": v3Time(r.Created),
		"status": string(r.State), "funds_account": "UNSETTLED", "amount": amount,
	}
	if r.State == RefundSucceeded {
		o["success_time"] = v3Time(r.Ended)
	}
	return o
}

// refundAmount returns the amounts of a refund.
func refundAmount(t Trade, amount int64) object {
	return object{
		"total": t.Amount, "refund": amount, "payer_total": t.Amount - t.Coupon, "payer_refund": paidBack(t, amount),
	}
}

// refundEvent returns the event of the end of a refund. Its associated data is empty, as the
// wallet's may be.
func (s *Server) refundEvent(r Refund, t Trade, trick Misbehaviour) v3Event {
	amount := r.Amount
	if trick.Do == Amount {
		amount++
	}
	content := object{
		"mchid": s.cfg.MerchantID, "out_trade_no": r.OutTradeNo, "transaction_id": r.TransactionID, "out_refund_no": r.No,
		"refund_id": r.ID, "refund_status": string(r.State), "user_received_account": "sandbox", "amount": refundAmount(t, amount),
	}
	if r.State == RefundSucceeded {
		content["success_time"] = v3Time(r.Ended)
	}
	words := refundWords[r.State]
	return v3Event{eventID(r.ID + string(r.State)), r.Ended, words.event, words.summary, "refund", "", content}
}
