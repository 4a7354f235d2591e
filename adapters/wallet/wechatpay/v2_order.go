package wechatpay

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// Trade types of the protocol.
const (
	nativeV2 = "NATIVE"
	inAppV2  = "APP"
	jsapiV2  = "JSAPI"
	mwebV2   = "MWEB"
)

var errOddPayer = fault.Field("extra_params.open_id", "Not a valid wallet identifier.")

// BuildRequest implements payment.Gateway. It returns the whole body, so that a retry sends
// the same bytes.
func (g *V2) BuildRequest(o payment.Order, i payment.Intent, no payment.TradeNo, payer netip.Addr) ([]byte, error) {
	m, err := g.requestFields(i.App, no)
	if err != nil {
		return nil, err
	}
	m["body"] = printable(o.Subject)
	m["total_fee"] = strconv.FormatInt(o.Amount, 10)
	m["fee_type"] = o.Currency
	m["spbill_create_ip"] = addressOf(i, payer)
	m["notify_url"] = g.notify
	m["time_expire"] = o.Expires.In(beijing).Format(instantLayout)
	switch i.EndType {
	case payment.Native:
		m["trade_type"] = nativeV2
		m["product_id"] = strconv.FormatInt(int64(o.ID), 10)
	case payment.App:
		m["trade_type"] = inAppV2
	case payment.JSAPI:
		m["trade_type"] = jsapiV2
		m["openid"] = i.OpenID
	case payment.H5:
		m["trade_type"] = mwebV2
		m["scene_info"] = g.scene
	default:
		return nil, fmt.Errorf("wechatpay: no trade type for the end type %d", i.EndType)
	}
	if m["openid"] != printable(m["openid"]) {
		return nil, errOddPayer
	}
	return m.sign(g.key).encode(), nil
}

// sceneOf describes, for the wallet, the site of the address: payers come from there with browsers.
func sceneOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	info := map[string]string{"type": "Wap", "wap_url": u.Scheme + "://" + u.Host, "wap_name": "Plaza"}
	text, _ := json.Marshal(map[string]any{"h5_info": info}) // texts can always be written
	return string(text)
}
