package wechatpay

import (
	"fmt"
	"strconv"
	"time"

	"plaza/domain/payment"
)

// clientParams returns the parameters for the payer's client, which sign signs. Parameters for a QR code or a web page need
// no signature.
func (g *gateway) clientParams(
	i payment.Intent, t payment.Ticket, now time.Time, signType string, sign func(payment.ClientParams) (string, error),
) (payment.ClientParams, error) {
	v := payment.ClientParams{EndType: i.EndType, PrepayID: t.PrepayID}
	switch i.EndType {
	case payment.Native:
		v.CodeURL = t.CodeURL
		return v, nil
	case payment.H5:
		v.MWebURL = t.MWebURL
		return v, nil
	}
	var err error
	if v.AppID, err = g.appID(i.App); err != nil {
		return payment.ClientParams{}, err
	}
	v.Nonce, v.Timestamp = g.nonce(), now.Unix()
	switch i.EndType {
	case payment.App:
		v.PartnerID, v.Package = g.merchant, "Sign=WXPay"
	case payment.JSAPI:
		v.Package, v.SignType = "prepay_id="+t.PrepayID, signType
	default:
		return payment.ClientParams{}, fmt.Errorf("%s: no client parameters for the end type %d", g.name, i.EndType)
	}
	if v.Signature, err = sign(v); err != nil {
		return payment.ClientParams{}, err
	}
	return v, nil
}

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
