package sandbox

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"plaza/adapters/wallet/sandbox/ledger"
)

// v2 is version 2 of the protocol.
type v2 struct{ *wallet }

func (v v2) routes(mux *http.ServeMux) {
	handle := func(path string, op Operation, f form, do func(*request) (any, error)) {
		common := form{limits{"appid": 32, "mch_id": 32, "nonce_str": 32, "sign": 64}, limits{"sign_type": 32}}
		mux.Handle(path, exchange{v.wallet, v, op, f.with(common), do})
	}
	handle("/pay/unifiedorder", UnifiedOrder, form{
		limits{"body": 127, "out_trade_no": 32, "total_fee": 10, "spbill_create_ip": 64, "notify_url": 256, "trade_type": 16},
		limits{
			"openid": 128, "product_id": 32, "scene_info": 256, "time_start": 14, "time_expire": 14, "attach": 127,
			"fee_type": 16, "detail": 6000, "goods_tag": 32, "limit_pay": 32, "device_info": 32,
		},
	}, v.unifiedOrder)
	handle("/pay/orderquery", OrderQuery, form{optional: limits{"out_trade_no": 32, "transaction_id": 32}}, v.orderQuery)
	handle("/pay/closeorder", CloseOrder, form{needed: limits{"out_trade_no": 32}}, v.closeOrder)
	handle("/secapi/pay/refund", RefundOrder, form{limits{"out_refund_no": 64, "total_fee": 10, "refund_fee": 10}, limits{
		"transaction_id": 32, "out_trade_no": 32, "refund_fee_type": 8, "refund_desc": 80, "refund_account": 30, "notify_url": 256,
	}}, v.refund)
	// The wallet also lists the refunds of an order; the sandbox does not.
	handle("/pay/refundquery", RefundQuery, form{needed: limits{"out_refund_no": 64}}, v.refundQuery)
	handle("/pay/downloadbill", TradeBill, form{limits{"bill_date": 8}, limits{"bill_type": 8, "tar_type": 8}}, v.downloadBill)
}

func (v v2) read(r *request) (fields, error) {
	if r.operation == RefundOrder && !v.bringsCertificate(r.Request) {
		return nil, refusal("CERT_ERROR", "the merchant's certificate is needed")
	}
	if r.Method != http.MethodPost {
		return nil, refusal("REQUIRE_POST_METHOD", "only POST is supported")
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, refusal("POST_DATA_EMPTY", "the body can't be read or is too large")
	}
	asked, err := parse(body)
	switch {
	case err != nil:
		return nil, refusal("XML_FORMAT_ERROR", err.Error())
	case asked["mch_id"] != v.MerchantID:
		return nil, errMerchant
	case !isSigned(asked, v.Key.Reveal()):
		return nil, errSignature
	}
	return asked, nil
}

// bringsCertificate reports whether the client has the merchant's certificate, which the wallet demands for refunds. Without
// TLS there are no certificates: then the client must be on this machine.
func (v v2) bringsCertificate(r *http.Request) bool {
	if r.TLS == nil {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		ip := net.ParseIP(host)
		return err == nil && ip != nil && ip.IsLoopback()
	}
	brought := r.TLS.PeerCertificates
	return v.MerchantCert != nil && len(brought) > 0 && brought[0].Equal(v.MerchantCert)
}

func (v v2) answer(r *request, reply any, no *ledger.Refusal) message {
	text, isText := reply.(content)
	switch {
	case isText:
		return message{http.StatusOK, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, text}
	case r.operation == TradeBill:
		return xmlMessage(billRefusal(*no))
	case r.asked == nil: // the sender is unknown, so the answer has no signature
		return xmlMessage(fields{"return_code": "FAIL", "return_msg": no.Error()})
	}
	all := fields{"return_code": "SUCCESS", "return_msg": "OK", "result_code": "SUCCESS", "appid": r.asked["appid"], "mch_id": v.MerchantID}
	if no != nil {
		all["result_code"], all["err_code"], all["err_code_des"] = "FAIL", no.Code, no.Text
	} else {
		maps.Copy(all, reply.(fields))
	}
	return v.signed(all, r.asked["sign_type"], r.trick)
}

// billRefusal returns the fields of a refusal of a bill, which has no signature.
func billRefusal(no ledger.Refusal) fields {
	codes := map[ledger.Refusal]string{ledger.ErrNoBill: "20002", ledger.ErrBillCreating: "20002", errSystem: "100"}
	if code, known := codes[no]; known {
		return fields{"return_code": "FAIL", "return_msg": no.Code, "error_code": code}
	}
	return fields{"return_code": "FAIL", "return_msg": no.Error(), "error_code": "20001"}
}

// signed returns the message with a nonce and the signature, which is well-formed but wrong if the trick forges it.
func (v v2) signed(f fields, signType string, trick Misbehaviour) message {
	f["nonce_str"] = rand.Text()
	f["sign"], _ = sign(f, v.Key.Reveal(), signType) // the type was checked on receipt
	if trick.forges() {
		f["sign"] = strings.Repeat("0", len(f["sign"]))
	}
	return xmlMessage(f)
}

func xmlMessage(f fields) message {
	return message{http.StatusOK, http.Header{"Content-Type": {"text/xml; charset=utf-8"}}, render("xml", f)}
}

// notification implements version. Like the wallet's, a message about a payment often has no sign_type, which is then the
// order's. A message about a refund has no signature: what it tells is encrypted under the merchant's key.
func (v v2) notification(t ledger.Trade, r *ledger.Refund, trick Misbehaviour) message {
	told := fields{"return_code": "SUCCESS", "appid": t.AppID, "mch_id": v.MerchantID}
	if r == nil {
		told["result_code"] = "SUCCESS"
		maps.Copy(told, receipt(t))
		return v.signed(told, t.SignType, trick)
	}
	about := fields{
		"transaction_id": r.TransactionID, "out_trade_no": r.OutTradeNo, "refund_id": r.ID, "out_refund_no": r.No,
		"total_fee": digits(t.Amount), "refund_fee": digits(r.Amount), "settlement_refund_fee": digits(r.Amount),
		"refund_status": refundWordsV2[r.State], "refund_recv_accout": "sandbox", "refund_account": "REFUND_SOURCE_UNSETTLED_FUNDS",
		"refund_request_source": "API",
	}
	if r.State == ledger.RefundSucceeded {
		about["success_time"] = r.Ended.In(ledger.Beijing).Format(time.DateTime)
	}
	key := v.Key.Reveal()
	if trick.forges() {
		key += " "
	}
	told["nonce_str"], told["req_info"] = rand.Text(), sealV2(render("root", about), key)
	return xmlMessage(told)
}

func (v v2) acknowledged(status int, body []byte) error {
	reply, err := parse(body)
	if status != http.StatusOK || err != nil || reply["return_code"] != "SUCCESS" {
		return fmt.Errorf("merchant rejected the notification with status %d", status)
	}
	return nil
}

// timeV2 is how version 2 writes times, but those of refunds.
const timeV2 = "20060102150405"

// digits writes an amount.
func digits(amount int64) string { return strconv.FormatInt(amount, 10) }

// alsoNeeds are the extra needed fields of each trade type.
var alsoNeeds = map[string]string{"JSAPI": "openid", "NATIVE": "product_id", "MWEB": "scene_info"}

func (v v2) unifiedOrder(r *request) (any, error) {
	asked := r.asked
	if also := alsoNeeds[asked["trade_type"]]; also != "" && asked[also] == "" {
		return nil, missingParam(also)
	}
	start, err := asked.timeOf("time_start", timeV2)
	expires, wrong := asked.timeOf("time_expire", timeV2)
	switch {
	case err != nil || wrong != nil:
		return nil, cmp.Or(err, wrong)
	case !expires.IsZero() && !start.Before(expires):
		return nil, invalidParam("time_expire", "must be later than time_start")
	}
	t, err := v.ledger.Place(ledger.Trade{
		Protocol: ledger.V2, OutTradeNo: asked["out_trade_no"], AppID: asked["appid"], TradeType: asked["trade_type"], Body: asked["body"],
		Attach: asked["attach"], OpenID: asked["openid"], Amount: asked.number("total_fee"), Expires: expires.UTC(),
		SignType: asked["sign_type"], Fingerprint: asked.fingerprint(), Delivery: ledger.Delivery{NotifyURL: asked["notify_url"]},
	})
	reply := fields{"trade_type": t.TradeType, "prepay_id": t.PrepayID}
	switch t.TradeType {
	case "NATIVE":
		reply["code_url"] = v.link(t)
	case "MWEB":
		reply["mweb_url"] = v.link(t) + "?prepay_id=" + t.PrepayID
	}
	return reply, err
}

// find returns the order that the request is about, if it was ordered under the appid.
func (v v2) find(r *request) (ledger.Trade, error) {
	if r.operation != RefundQuery && r.asked["out_trade_no"] == "" && r.asked["transaction_id"] == "" {
		return ledger.Trade{}, missingParam("out_trade_no or transaction_id")
	}
	t, err := v.ledger.Trade(r.number)
	if err == nil && t.AppID != r.asked["appid"] {
		err = refusal("APPID_MCHID_NOT_MATCH", "the order belongs to another appid")
	}
	return t, err
}

func (v v2) orderQuery(r *request) (any, error) {
	t, err := v.find(r)
	reply := fields{"out_trade_no": t.OutTradeNo, "total_fee": digits(t.Amount), "attach": t.Attach} // also without a value
	if t.State == ledger.Success {
		reply = receipt(t)
	}
	reply["trade_state"], reply["trade_state_desc"] = string(t.Status()), described[t.Status()]
	return reply, err
}

// closeAge is the age of an order from which version 2 closes it.
const closeAge = 5 * time.Minute

func (v v2) closeOrder(r *request) (any, error) {
	_, err := v.find(r)
	if err == nil {
		err = v.ledger.CloseTrade(r.number, closeAge)
	}
	return fields{}, err
}

// receipt returns the fields of a payment in answers and notifications.
func receipt(t ledger.Trade) fields {
	reply := fields{
		"out_trade_no": t.OutTradeNo, "transaction_id": t.TransactionID, "openid": t.OpenID, "is_subscribe": "N",
		"trade_type": t.TradeType, "bank_type": "OTHERS", "total_fee": digits(t.Amount), "fee_type": t.Currency,
		"cash_fee": digits(t.Amount), "cash_fee_type": t.Currency, "time_end": t.Paid.In(ledger.Beijing).Format(timeV2),
	}
	if t.Attach != "" {
		reply["attach"] = t.Attach
	}
	return reply
}

// refundWordsV2 are the words for the states of a refund.
var refundWordsV2 = map[ledger.RefundState]string{
	ledger.RefundProcessing: "PROCESSING", ledger.RefundSucceeded: "SUCCESS",
	ledger.RefundClosed: "REFUNDCLOSE", ledger.RefundAbnormal: "CHANGE",
}

func (v v2) refund(r *request) (any, error) {
	if _, err := v.find(r); err != nil {
		return nil, err
	}
	asked := r.asked
	t, made, err := v.ledger.Refund(r.number, asked.number("total_fee"), ledger.Refund{
		Protocol: ledger.V2, No: asked["out_refund_no"], Amount: asked.number("refund_fee"), Reason: asked["refund_desc"],
		Delivery: ledger.Delivery{NotifyURL: asked["notify_url"]},
	})
	if err != nil {
		return nil, err
	}
	reply := refundedOrder(t)
	reply["out_refund_no"], reply["refund_id"] = made.No, made.ID
	reply["refund_fee"], reply["cash_refund_fee"] = digits(made.Amount), digits(made.Amount)
	return reply, nil
}

// refundedOrder returns the fields of an order of which something is returned.
func refundedOrder(t ledger.Trade) fields {
	return fields{
		"transaction_id": t.TransactionID, "out_trade_no": t.OutTradeNo, "total_fee": digits(t.Amount),
		"cash_fee": digits(t.Amount), "fee_type": t.Currency,
	}
}

// refundQuery answers with a refund as the first one of a list.
func (v v2) refundQuery(r *request) (any, error) {
	t, err := v.find(r)
	made := t.Refund(r.asked["out_refund_no"])
	if made == nil {
		return nil, ledger.ErrUnknownRefund
	}
	reply := refundedOrder(t)
	maps.Copy(reply, fields{
		"total_refund_count": "1", "refund_count": "1", "out_refund_no_0": made.No, "refund_id_0": made.ID,
		"refund_channel_0": "ORIGINAL", "refund_fee_0": digits(made.Amount), "settlement_refund_fee_0": digits(made.Amount),
		"refund_status_0": refundWordsV2[made.State], "refund_recv_accout_0": "sandbox",
	})
	if made.State == ledger.RefundSucceeded {
		reply["refund_success_time_0"] = made.Ended.In(ledger.Beijing).Format(time.DateTime)
	}
	return reply, err
}

// downloadBill answers with the bill of a day itself.
func (v v2) downloadBill(r *request) (any, error) {
	_, packed, err := v.bill(r, "20060102")
	return content(packed), err
}
