package sandbox

import (
	"crypto/aes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
)

// refundFormV2 has the fields of a request for a refund.
var refundFormV2 = form{
	limits{"out_refund_no": 64, "total_fee": 10, "refund_fee": 10},
	limits{
		"transaction_id": 32, "out_trade_no": 32, "refund_fee_type": 8, "refund_desc": 80, "refund_account": 30, "notify_url": 256,
	},
}

// refundOrder answers to a request for a refund.
func (s *Server) refundOrder(r *request) (any, error) {
	asked := r.asked
	if asked["transaction_id"] == "" && asked["out_trade_no"] == "" {
		return nil, missingParam("out_trade_no or transaction_id")
	}
	t, err := s.paidTrade(asked["transaction_id"], asked["out_trade_no"])
	if err != nil {
		return nil, err
	}
	if t.AppID != asked["appid"] {
		return nil, refuseOtherApp
	}
	made, err := s.refund(t, Refund{
		Protocol: V2, No: asked["out_refund_no"], Amount: asked.number("refund_fee"), Total: asked.number("total_fee"),
		Reason: asked["refund_desc"], Delivery: Delivery{NotifyURL: asked["notify_url"]},
	})
	if err != nil {
		return nil, err
	}
	reply := refundedOrder(t)
	maps.Copy(reply, fields{
		"out_refund_no": made.No, "refund_id": made.ID, "refund_fee": digits(made.Amount),
		"cash_refund_fee": digits(paidBack(t, made.Amount)),
	})
	return reply, nil
}

// refundedOrder returns the fields of an order of which something is returned.
func refundedOrder(t Trade) fields {
	return fields{
		"transaction_id": t.TransactionID, "out_trade_no": t.OutTradeNo, "total_fee": digits(t.Amount),
		"cash_fee": digits(t.Amount - t.Coupon), "fee_type": t.Currency,
	}
}

// refundQueryFormV2 has the fields of a query. The wallet also lists the refunds of an order; the sandbox
// does not.
var refundQueryFormV2 = form{needed: limits{"out_refund_no": 64}}

// refundQuery answers with a refund as the first one of a list.
func (s *Server) refundQuery(r *request) (any, error) {
	made, there := s.refunds[r.asked["out_refund_no"]]
	if !there {
		return nil, ErrUnknownRefund
	}
	t, err := s.find(r.asked["appid"], made.OutTradeNo)
	if err != nil {
		return nil, err
	}
	reply := refundedOrder(t)
	maps.Copy(reply, fields{
		"total_refund_count": "1", "refund_count": "1", "out_refund_no_0": made.No, "refund_id_0": made.ID,
		"refund_channel_0": "ORIGINAL", "refund_fee_0": digits(made.Amount), "settlement_refund_fee_0": digits(made.Amount),
		"refund_status_0": refundWords[made.State].v2, "refund_recv_accout_0": "sandbox",
	})
	if made.State == RefundSucceeded {
		reply["refund_success_time_0"] = made.Ended.In(beijing).Format(refundTime)
	}
	return reply, nil
}

// refundTime is how version 2 writes the time of a refund.
const refundTime = "2006-01-02 15:04:05"

// v2RefundNotification returns the message of version 2 about the end of a refund. It has no
// signature: what it tells is encrypted under the merchant's key.
func (s *Server) v2RefundNotification(r Refund, t Trade, trick Misbehaviour) []byte {
	amount := r.Amount
	if trick.Do == Amount {
		amount++
	}
	told := fields{
		"transaction_id": r.TransactionID, "out_trade_no": r.OutTradeNo, "refund_id": r.ID, "out_refund_no": r.No,
		"total_fee": digits(t.Amount), "refund_fee": digits(amount),
		"settlement_refund_fee": digits(amount), "refund_status": refundWords[r.State].v2,
		"refund_recv_accout": "sandbox", "refund_account": "REFUND_SOURCE_UNSETTLED_FUNDS", "refund_request_source": "API",
	}
	if r.State == RefundSucceeded {
		told["success_time"] = r.Ended.In(beijing).Format(refundTime)
	}
	key := s.cfg.Key.Reveal()
	if trick.forges() {
		key += " "
	}
	return render(fields{
		"return_code": "SUCCESS", "appid": t.AppID, "mch_id": s.cfg.MerchantID, "nonce_str": s.nonce(16),
		"req_info": sealV2(renderAs("root", told), key),
	})
}

// sealV2 encrypts with AES-256 in ECB mode, which the protocol demands, under the MD5 of the key.
func sealV2(text []byte, key string) string {
	sum := md5.Sum([]byte(key))
	block, err := aes.NewCipher([]byte(hex.EncodeToString(sum[:])))
	if err != nil {
		panic(err) // of a key that has not 32 bytes
	}
	padding := aes.BlockSize - len(text)%aes.BlockSize
	text = append(slices.Clone(text), strings.Repeat(string(rune(padding)), padding)...)
	for at := 0; at < len(text); at += aes.BlockSize {
		block.Encrypt(text[at:], text[at:at+aes.BlockSize])
	}
	return base64.StdEncoding.EncodeToString(text)
}
