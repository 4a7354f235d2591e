package wechatpay

import (
	"fmt"
	"net/http"

	"plaza/domain/payment"
)

// Receive implements payment.Gateway. The signature is in the body: no header counts.
func (g *V2) Receive(n payment.Notification) (payment.Notice, error) {
	reply, err := parseXML(n.Body)
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	if reply["req_info"] != "" {
		return g.receiveRefund(reply)
	}
	way, err := reply.signedBy(g.key)
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	g.notifications[string(way)].Add(1)
	switch {
	case reply["return_code"] != success:
		return payment.Notice{}, forged("not a payment notification")
	case reply["mch_id"] != g.merchant:
		return payment.Notice{}, forged("another merchant's or application's message")
	case reply["result_code"] == failure:
		return payment.Notice{}, payment.ErrNothingPaid
	case reply["result_code"] != success:
		return payment.Notice{}, forged("no result code")
	}
	return g.paymentNotice(reply)
}

// Acknowledge implements payment.Gateway. The body tells the wallet whether to send the notification
// again; the status is 200 in both cases.
func (g *V2) Acknowledge(taken bool) payment.Acknowledgement {
	code, text := success, "OK"
	if !taken {
		code, text = failure, "NOT TAKEN"
	}
	return payment.Acknowledgement{
		Status:    http.StatusOK,
		Body:      fmt.Appendf(nil, "<xml><return_code><![CDATA[%s]]></return_code><return_msg><![CDATA[%s]]></return_msg></xml>", code, text),
		MediaType: "text/xml; charset=utf-8",
	}
}
