package wechatpay

import (
	"fmt"
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
