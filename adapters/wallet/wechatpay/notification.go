package wechatpay

import (
	"fmt"

	"plaza/domain/payment"
)

// Receive implements payment.Gateway.
func (g *Gateway) Receive(notification []byte) (payment.Receipt, error) {
	said, err := parse(notification)
	if err != nil {
		return payment.Receipt{}, forged(err.Error())
	}
	if err := said.verify(g.key); err != nil {
		return payment.Receipt{}, forged(err.Error())
	}
	switch {
	case said["return_code"] != success:
		return payment.Receipt{}, forged("it is no report")
	case said["mch_id"] != g.merchant:
		return payment.Receipt{}, forged("it is for somebody else")
	case said["result_code"] == failure:
		return payment.Receipt{}, payment.ErrNothingPaid
	case said["result_code"] != success:
		return payment.Receipt{}, forged("it has no result")
	}
	receipt, err := g.receipt(said)
	if err != nil {
		return payment.Receipt{}, forged(err.Error())
	}
	return receipt, nil
}

func forged(why string) error { return fmt.Errorf("%w: %s", payment.ErrForged, why) }

// Acknowledge implements payment.Gateway.
func (g *Gateway) Acknowledge(taken bool) (body []byte, mediaType string) {
	code, text := success, "OK"
	if !taken {
		code, text = failure, "NOT TAKEN"
	}
	return fmt.Appendf(nil, "<xml><return_code><![CDATA[%s]]></return_code><return_msg><![CDATA[%s]]></return_msg></xml>", code, text),
		"text/xml; charset=utf-8"
}
