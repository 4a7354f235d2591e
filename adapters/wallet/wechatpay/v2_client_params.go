package wechatpay

import (
	"strconv"
	"time"

	"plaza/domain/payment"
)

// ClientParams implements payment.Gateway.
func (g *V2) ClientParams(i payment.Intent, t payment.Ticket, now time.Time) (payment.ClientParams, error) {
	return g.clientParams(i, t, now, string(hmacSHA256), g.signClient)
}

// signClient signs the parameters for the wallet's SDK or for its browser, which name the fields differently. Those for
// the SDK do not name the signature type, which is the order's.
func (g *V2) signClient(v payment.ClientParams) (string, error) {
	timestamp := strconv.FormatInt(v.Timestamp, 10)
	m := xmlMessage{
		"appid": v.AppID, "partnerid": v.PartnerID, "prepayid": v.PrepayID, "package": v.Package, "noncestr": v.Nonce, "timestamp": timestamp,
	}
	if v.EndType == payment.JSAPI {
		m = xmlMessage{"appId": v.AppID, "timeStamp": timestamp, "nonceStr": v.Nonce, "package": v.Package, "signType": v.SignType}
	}
	return m.signature(g.key, hmacSHA256), nil
}
