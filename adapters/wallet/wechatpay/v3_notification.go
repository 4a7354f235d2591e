package wechatpay

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"plaza/domain/payment"
	"plaza/domain/secret"
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

// resourceAlgorithm is the only algorithm with which the wallet encrypts.
const resourceAlgorithm = "AEAD_AES_256_GCM"

// decryptResource returns the plain text of a resource: a payment, a refund, or a certificate. The tag is the last 16 bytes of
// the ciphertext. The associated data may be empty. Its errors contain no part of the resource.
func decryptResource(resource jsonObject, key secret.String) ([]byte, error) {
	if resource.text("algorithm") != resourceAlgorithm {
		return nil, errors.New("resource is not encrypted with " + resourceAlgorithm)
	}
	sealed, err := decodeBase64(resource.text("ciphertext"))
	if err != nil {
		return nil, errors.New("ciphertext is not base64")
	}
	block, _ := aes.NewCipher([]byte(key.Reveal())) // the settings have one of 32 bytes
	gcm, _ := cipher.NewGCM(block)                  // AES has the blocks that it needs
	nonce := []byte(resource.text("nonce"))
	if len(nonce) != gcm.NonceSize() {
		return nil, errors.New("nonce does not have 12 bytes")
	}
	plain, err := gcm.Open(nil, nonce, sealed, []byte(resource.text("associated_data")))
	if err != nil {
		return nil, errors.New("resource is not encrypted with the merchant's key")
	}
	return plain, nil
}

// decodeBase64 decodes a text that has only one form: encoding/base64 would pass over newlines.
func decodeBase64(s string) ([]byte, error) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, errors.New("newline in base64")
	}
	return base64.StdEncoding.Strict().DecodeString(s)
}
