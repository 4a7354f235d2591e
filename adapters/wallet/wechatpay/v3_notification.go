package wechatpay

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"plaza/domain/payment"
)

// Receive implements payment.Gateway. A notification that names an unknown certificate may wait for a fetch of the
// wallet's certificates, until the gateway's deadline, and is refused at once if many wait.
func (g *V3) Receive(n payment.Notification) (payment.Notice, error) {
	ctx, cancel := context.WithTimeout(context.Background(), g.transport.deadline)
	defer cancel()
	key, err := verify(ctx, signedMessage{header: n.Header, body: n.Body}, g.now(), g.keys.findNotified)
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	g.notifications[string(key.mode)].Add(1)
	event, err := parseObject(n.Body)
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	kind := event.text("event_type")
	isRefund := strings.HasPrefix(kind, "REFUND.")
	if !isRefund && !strings.HasPrefix(kind, "TRANSACTION.") {
		return payment.Notice{}, fmt.Errorf("%w: the event is neither a payment nor a refund", payment.ErrNothingPaid)
	}
	plain, err := decryptResource(event.object("resource"), g.key)
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	resource, err := parseObject(plain)
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	if isRefund {
		return g.refundNotice(resource)
	}
	return g.transactionNotice(kind, resource)
}

// refundNotice returns the number of the refund to ask for.
func (g *V3) refundNotice(resource jsonObject) (payment.Notice, error) {
	no := payment.RefundNo(resource.text("out_refund_no"))
	if resource.text("mchid") != g.merchant || g.checkRefundNo(no) != nil {
		return payment.Notice{}, forged("another merchant's refund, or none")
	}
	return payment.Notice{Refund: no}, nil
}

// transactionNotice returns what the event reports of a payment.
func (g *V3) transactionNotice(kind string, resource jsonObject) (payment.Notice, error) {
	state := resource.text("trade_state")
	switch {
	case resource.text("mchid") != g.merchant:
		return payment.Notice{}, forged("another merchant's message")
	case kind != "TRANSACTION.SUCCESS" || state != "SUCCESS" && state != "REFUND":
		return payment.Notice{}, payment.ErrNothingPaid
	}
	return g.paymentNotice(resource)
}

// Acknowledge implements payment.Gateway. The status tells the wallet whether to send the notification again.
func (g *V3) Acknowledge(accepted bool) payment.Acknowledgement {
	if accepted {
		return payment.Acknowledgement{Status: http.StatusNoContent}
	}
	return payment.Acknowledgement{
		Status: http.StatusBadRequest, Body: []byte(`{"code":"FAIL","message":"NOT TAKEN"}`), MediaType: "application/json",
	}
}
