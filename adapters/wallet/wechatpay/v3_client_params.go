package wechatpay

import (
	"strconv"
	"time"

	"plaza/domain/payment"
)

// ClientParams implements payment.Gateway. Parameters for a QR code or a web page have no prepay_id: the protocol gives
// none.
func (g *V3) ClientParams(i payment.Intent, t payment.Ticket, now time.Time) (payment.ClientParams, error) {
	return g.clientParams(i, t, now, "RSA", g.signClient)
}

// signClient signs the parameters for the wallet's SDK or for its browser.
func (g *V3) signClient(v payment.ClientParams) (string, error) {
	signed := v.PrepayID
	if v.EndType == payment.JSAPI {
		signed = v.Package
	}
	return g.signer.sign(v.AppID, strconv.FormatInt(v.Timestamp, 10), v.Nonce, signed)
}
