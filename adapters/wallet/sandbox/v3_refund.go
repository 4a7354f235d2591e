package sandbox

import "errors"

// refundV3 reads a request for a refund.
func (s *Server) refundV3(r v3Request) (string, func(Trick) (any, error), error) {
	asked, no, err := readRefund(r)
	if err != nil {
		return "", nil, err
	}
	s.mu.Lock()
	t, _ := s.paidTrade(asked.TransactionID, no)
	s.mu.Unlock()
	return t.OutTradeNo, func(Trick) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		t, err := s.paidTrade(asked.TransactionID, no)
		if errors.Is(err, refuseUnknown) {
			return nil, refusal{refuseNoRefund.code, "order not found"}
		}
		made, err := s.refund(t, asked)
		if err != nil {
			return nil, err
		}
		return s.refundObject(made), nil
	}, nil
}

// readRefund returns the refund that the request asks for, and the merchant's number of the
// order, if it has one.
func readRefund(r v3Request) (asked Refund, no string, err error) {
	if err := r.hasQuery(); err != nil {
		return asked, "", err
	}
	body, err := parseObject(r.body)
	if err != nil {
		return asked, "", invalidParam("the body", err.Error())
	}
	asked = Refund{Protocol: V3}
	err = readFields(body, func(f form) {
		asked.TransactionID, no = f.text("transaction_id", 0, 32), f.text("out_trade_no", 0, 32)
		asked.No, asked.Reason = f.text("out_refund_no", 1, 64), f.text("reason", 0, 80)
		asked.NotifyURL = f.text("notify_url", 0, 256)
		f.object("amount", true, func(f form) {
			asked.Amount, asked.Total = f.amount("refund"), f.amount("total")
			if f.text("currency", 1, 16) != "CNY" {
				f.refuse("currency", "must be CNY")
			}
		})
	})
	switch {
	case err != nil:
		return asked, no, err
	case (asked.TransactionID == "") == (no == ""):
		return asked, no, invalidParam("transaction_id or out_trade_no", "must be given, not both")
	case !isRefundNo(asked.No):
		return asked, no, invalidParam("out_refund_no", "must be 1 to 64 digits, letters and _-|*@")
	case asked.NotifyURL != "" && !isNotifyURL(asked.NotifyURL):
		return asked, no, invalidParam("notify_url", "must be https, without a query")
	case asked.Amount > asked.Total:
		return asked, no, invalidParam("amount/refund", "must be at most the total")
	}
	return asked, no, nil
}

// queryRefundV3 answers with a refund, by the merchant's number.
func (s *Server) queryRefundV3(r v3Request) (string, func(Trick) (any, error), error) {
	no := r.PathValue("no")
	s.mu.Lock()
	of := s.refunds[no].OutTradeNo
	s.mu.Unlock()
	return of, func(Trick) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		made, there := s.refunds[no]
		if !there {
			return nil, refuseNoRefund
		}
		return s.refundObject(made), nil
	}, r.hasQuery()
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
	kinds := map[RefundState][2]string{
		RefundSucceeded: {"REFUND.SUCCESS", "退款成功"}, RefundClosed: {"REFUND.CLOSED", "退款关闭"}, RefundAbnormal: {"REFUND.ABNORMAL", "退款异常"},
	}
	if r.State == RefundSucceeded {
		content["success_time"] = v3Time(r.Ended)
	}
	kind := kinds[r.State]
	return v3Event{eventID(r.ID + string(r.State)), r.Ended, kind[0], kind[1], "refund", "", content}
}
