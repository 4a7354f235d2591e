package wechatpay

import (
	"fmt"
	"net/http"
	"sync/atomic"

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
	g.counts.note(way)
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
	receipt, err := g.receipt(reply)
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	return payment.Notice{Receipt: &receipt}, nil
}

// Notifications returns how many notifications with a valid signature this process has received, by algorithm. The
// wallet may sign with MD5, the protocol's weaker default.
func (g *V2) Notifications() map[string]int64 {
	return map[string]int64{string(hmacSHA256): g.counts.hmacSHA256.Load(), string(md5Sum): g.counts.md5.Load()}
}

type notificationCountsV2 struct{ hmacSHA256, md5 atomic.Int64 }

func (c *notificationCountsV2) note(way signType) {
	if way == md5Sum {
		c.md5.Add(1)
	} else {
		c.hmacSHA256.Add(1)
	}
}

func forged(why string) error { return fmt.Errorf("%w: %s", payment.ErrForged, why) }

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
