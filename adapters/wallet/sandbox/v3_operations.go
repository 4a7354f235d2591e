package sandbox

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"time"

	"plaza/adapters/wallet/sandbox/ledger"
)

// v3Time returns the time as version 3 writes it.
func v3Time(at time.Time) string { return at.In(ledger.Beijing).Format(time.RFC3339) }

// prepay returns what processes an order of the trade type.
func (v *v3) prepay(tradeType string) func(*request) (any, error) {
	return func(r *request) (any, error) {
		asked := r.asked
		expires, err := asked.timeOf("time_expire", "2006-01-02T15:04:05-07:00")
		if err != nil {
			return nil, err
		}
		t, err := v.ledger.Place(ledger.Trade{
			Protocol: ledger.V3, OutTradeNo: asked["out_trade_no"], AppID: asked["appid"], TradeType: tradeType, Body: asked["description"],
			Attach: asked["attach"], OpenID: asked["payer/openid"], Amount: asked.number("amount/total"), Expires: expires.UTC(),
			Fingerprint: asked.fingerprint(), Delivery: ledger.Delivery{NotifyURL: asked["notify_url"]},
		})
		switch tradeType {
		case "NATIVE":
			return object{"code_url": v.link(t)}, err
		case "MWEB":
			return object{"h5_url": v.link(t) + "?prepay_id=" + t.PrepayID}, err
		}
		return object{"prepay_id": t.PrepayID}, err
	}
}

// queryTrade answers with an order.
func (v *v3) queryTrade(r *request) (any, error) {
	t, err := v.ledger.Trade(r.number)
	return v.tradeObject(t, t.Status()), err
}

// tradeObject returns the order as answers and notifications have it. An order that is not paid has neither an amount nor the
// wallet's ID.
func (v *v3) tradeObject(t ledger.Trade, state ledger.State) object {
	o := object{
		"appid": t.AppID, "mchid": v.MerchantID, "out_trade_no": t.OutTradeNo, "attach": t.Attach,
		"trade_state": state, "trade_state_desc": described[state],
	}
	if t.State != ledger.Success {
		return o
	}
	o["transaction_id"], o["trade_type"], o["bank_type"], o["success_time"] = t.TransactionID, t.TradeType, "OTHERS", v3Time(t.Paid)
	o["payer"] = object{"openid": t.OpenID}
	o["amount"] = object{"total": t.Amount, "payer_total": t.Amount, "currency": t.Currency, "payer_currency": t.Currency}
	return o
}

// closeTrade closes an order. Version 3 documents no minimum age.
func (v *v3) closeTrade(r *request) (any, error) { return nil, v.ledger.CloseTrade(r.number, 0) }

var refundEvents = map[ledger.RefundState]struct{ kind, summary string }{
	ledger.RefundSucceeded: {"REFUND.SUCCESS", "退款成功"},
	ledger.RefundClosed:    {"REFUND.CLOSED", "退款关闭"},
	ledger.RefundAbnormal:  {"REFUND.ABNORMAL", "退款异常"},
}

// refund answers to a request for a refund.
func (v *v3) refund(r *request) (any, error) {
	asked := r.asked
	if (asked["transaction_id"] == "") == (asked["out_trade_no"] == "") {
		return nil, invalidParam("transaction_id or out_trade_no", "must be given, not both")
	}
	t, made, err := v.ledger.Refund(r.number, asked.number("amount/total"), ledger.Refund{
		Protocol: ledger.V3, No: asked["out_refund_no"], Amount: asked.number("amount/refund"), Reason: asked["reason"],
		Delivery: ledger.Delivery{NotifyURL: asked["notify_url"]},
	})
	if errors.Is(err, ledger.ErrUnknown) {
		err = refusal(ledger.ErrUnknownRefund.Code, "order not found")
	}
	if err != nil { // there may be no amount of which the refund is a part
		return nil, err
	}
	return refundObject(t, *made), nil
}

// queryRefund answers with a refund, by the merchant's number.
func (v *v3) queryRefund(r *request) (any, error) {
	t, made := v.ledger.Find(ledger.Subject{Trade: r.number, Refund: r.asked["out_refund_no"]})
	if made == nil {
		return nil, ledger.ErrUnknownRefund
	}
	return refundObject(t, *made), nil
}

// refundTold returns what answers and notifications tell of a refund.
func refundTold(t ledger.Trade, r ledger.Refund) object {
	o := object{
		"refund_id": r.ID, "out_refund_no": r.No, "transaction_id": r.TransactionID, "out_trade_no": r.OutTradeNo,
		"user_received_account": "sandbox", "amount": object{
			"total": t.Amount, "refund": r.Amount, "payer_total": t.Amount, "payer_refund": r.Amount,
		},
	}
	if r.State == ledger.RefundSucceeded {
		o["success_time"] = v3Time(r.Ended)
	}
	return o
}

// refundObject returns the refund as answers have it.
func refundObject(t ledger.Trade, r ledger.Refund) object {
	o := refundTold(t, r)
	maps.Copy(o["amount"].(object), object{"currency": t.Currency, "settlement_total": t.Amount, "settlement_refund": r.Amount})
	o["channel"], o["create_time"], o["status"], o["funds_account"] = "ORIGINAL", v3Time(r.Created), r.State, "UNSETTLED"
	return o
}

// tradeBill makes the bill of a day and answers with a link to it.
func (v *v3) tradeBill(r *request) (any, error) {
	text, packed, err := v.bill(r, time.DateOnly)
	if err != nil {
		return nil, err
	}
	if r.trick.Do == BadHash {
		text = append(text, ' ')
	}
	origin := "http://" + r.Host
	if r.TLS != nil {
		origin = "https://" + r.Host
	}
	return object{
		"hash_type": "SHA1", "hash_value": fmt.Sprintf("%x", sha1.Sum(text)),
		"download_url": origin + "/v3/billdownload/file?token=" + v.keepBill(packed),
	}, nil
}

// keepBill returns the token with which the bill can be downloaded.
func (v *v3) keepBill(text []byte) (token string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.bills) >= maxBills {
		clear(v.bills)
	}
	token = rand.Text()
	v.bills[token] = text
	return token
}

// downloadBill answers with a bill, whose hash is in the answer with the link.
func (v *v3) downloadBill(r *request) (any, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if text, there := v.bills[r.asked["token"]]; there {
		return content(text), nil
	}
	return nil, ledger.ErrNoBill
}

// certificates answers with the list of certificates, which has one, encrypted.
func (v *v3) certificates(*request) (any, error) {
	k := v.keys.listed
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: k.cert.Raw})
	return object{"data": []object{{
		"serial_no": k.serial, "effective_time": v3Time(k.cert.NotBefore), "expire_time": v3Time(k.cert.NotAfter),
		"encrypt_certificate": v.seal(text, "certificate"),
	}}}, nil
}
