package wechatpay

import (
	"fmt"
	"strconv"
	"time"

	"plaza/domain/payment"
)

// ClientParams implements payment.Gateway. Parameters for a QR code or a web page need no
// signature.
func (g *V2) ClientParams(i payment.Intent, t payment.Ticket, now time.Time) (payment.ClientParams, error) {
	v := payment.ClientParams{EndType: i.EndType, PrepayID: t.PrepayID}
	switch i.EndType {
	case payment.Native:
		v.CodeURL = t.CodeURL
		return v, nil
	case payment.H5:
		v.MWebURL = t.MWebURL
		return v, nil
	}
	id, known := g.appIDs[i.App]
	if !known {
		return payment.ClientParams{}, fmt.Errorf("%w: no AppID configured for the wallet application", payment.ErrNoWallet)
	}
	v.AppID, v.Nonce, v.Timestamp = id, g.nonce(), now.Unix()
	switch i.EndType {
	case payment.App:
		v.PartnerID, v.Package = g.merchant, "Sign=WXPay"
		v.Signature = g.signApp(v)
	case payment.JSAPI:
		v.Package, v.SignType = "prepay_id="+t.PrepayID, string(hmacSHA256)
		v.Signature = g.signJSAPI(v)
	default:
		return payment.ClientParams{}, fmt.Errorf("wechatpay: no client parameters for the end type %d", i.EndType)
	}
	return v, nil
}

// signApp signs the parameters for the wallet's SDK. They do not name the signature type,
// which is the order's.
func (g *V2) signApp(v payment.ClientParams) string {
	return xmlMessage{
		"appid": v.AppID, "partnerid": v.PartnerID, "prepayid": v.PrepayID, "package": v.Package,
		"noncestr": v.Nonce, "timestamp": strconv.FormatInt(v.Timestamp, 10),
	}.signature(g.key, hmacSHA256)
}

// signJSAPI signs the parameters for the wallet's browser.
func (g *V2) signJSAPI(v payment.ClientParams) string {
	return xmlMessage{
		"appId": v.AppID, "timeStamp": strconv.FormatInt(v.Timestamp, 10), "nonceStr": v.Nonce, "package": v.Package,
		"signType": v.SignType,
	}.signature(g.key, signType(v.SignType))
}
