package wechatpay

import (
	"crypto/aes"
	"crypto/md5"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"

	"plaza/domain/payment"
	"plaza/domain/secret"
)

// Receive implements payment.Gateway. The signature is in the body: no header counts.
func (g *V2) Receive(n payment.Notification) (payment.Notice, error) {
	reply, err := parseXML(n.Body, "xml")
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	if reply["req_info"] != "" {
		return g.receiveRefund(reply)
	}
	way, err := reply.verify(g.key)
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

// receiveRefund decodes a notification of a refund. It is encrypted with the key and not signed, so its content counts
// for nothing but the number to ask for.
func (g *V2) receiveRefund(reply xmlMessage) (payment.Notice, error) {
	if reply["return_code"] != success || reply["mch_id"] != g.merchant {
		return payment.Notice{}, forged("not a refund notification for the merchant")
	}
	text, err := decryptRefund(reply["req_info"], g.key)
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	content, err := parseXML(text, "root")
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	if content["out_refund_no"] == "" {
		return payment.Notice{}, forged("no refund number")
	}
	return payment.Notice{Refund: payment.RefundNo(content["out_refund_no"])}, nil
}

// errEncrypted does not tell what is wrong with an encrypted text, so that senders can't learn about the key.
var errEncrypted = errors.New("text not encrypted with the key")

// decryptRefund decrypts base64 of AES-256 in ECB mode under the MD5 of the key, in lower-case hex, as the protocol demands.
// The padding is PKCS#7.
func decryptRefund(encoded string, key secret.String) ([]byte, error) {
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(text) == 0 || len(text)%aes.BlockSize != 0 {
		return nil, errEncrypted
	}
	sum := md5.Sum([]byte(key.Reveal()))
	block, _ := aes.NewCipher([]byte(hex.EncodeToString(sum[:]))) // of 32 bytes
	for rest := text; len(rest) > 0; rest = rest[aes.BlockSize:] {
		block.Decrypt(rest, rest[:aes.BlockSize])
	}
	return unpadded(text)
}

// unpadded removes the padding of the last block in constant time.
func unpadded(text []byte) ([]byte, error) {
	last := text[len(text)-aes.BlockSize:]
	padding := int(last[aes.BlockSize-1])
	right := subtle.ConstantTimeLessOrEq(1, padding) & subtle.ConstantTimeLessOrEq(padding, aes.BlockSize)
	for i, b := range last {
		isPadding := subtle.ConstantTimeLessOrEq(aes.BlockSize-i, padding)
		right &= subtle.ConstantTimeSelect(isPadding, subtle.ConstantTimeByteEq(b, byte(padding)), 1)
	}
	if right != 1 {
		return nil, errEncrypted
	}
	return text[:len(text)-padding], nil
}
