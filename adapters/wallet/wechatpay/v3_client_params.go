package wechatpay

import (
	"fmt"
	"strconv"
	"time"

	"plaza/domain/payment"
)

// ClientParams implements payment.Gateway. Parameters for a QR code or a web page need no
// signature, and have no prepay_id: the protocol gives none.
func (g *V3) ClientParams(i payment.Intent, t payment.Ticket, now time.Time) (payment.ClientParams, error) {
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
	signed := t.PrepayID
	switch i.EndType {
	case payment.App:
		v.PartnerID, v.Package = g.merchant, "Sign=WXPay"
	case payment.JSAPI:
		v.Package, v.SignType = "prepay_id="+t.PrepayID, "RSA"
		signed = v.Package
	default:
		return payment.ClientParams{}, fmt.Errorf("wechatpayv3: no client parameters for the end type %d", i.EndType)
	}
	v.Signature, err = g.signer.sign(v.AppID, strconv.FormatInt(v.Timestamp, 10), v.Nonce, signed)
	if err != nil {
		return payment.ClientParams{}, err
	}
	return v, nil
}
