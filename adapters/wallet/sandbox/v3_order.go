package sandbox

import "time"

// prepayTypes are the trade types by the last part of their path.
var prepayTypes = map[string]string{"native": "NATIVE", "jsapi": "JSAPI", "app": "APP", "h5": "MWEB"}

// v3Time returns the time as version 3 writes it.
func v3Time(at time.Time) string { return at.In(beijing).Format(time.RFC3339) }

// orderFormsV3 have the fields of an order by its trade type.
var orderFormsV3 = map[string]form{
	"NATIVE": orderFormV3, "APP": orderFormV3,
	"JSAPI": orderFormV3.with(limits{"payer/openid": 128}, nil),
	"MWEB":  orderFormV3.with(limits{"scene_info/payer_client_ip": 45, "scene_info/h5_info/type": 32}, nil),
}

// orderFormV3 has what orders of all trade types have. The wallet knows the payer's scene of each;
// the sandbox, of a payment from a web page alone.
var orderFormV3 = form{
	limits{"appid": 32, "mchid": 32, "description": 127, "out_trade_no": 32, "notify_url": 255, "amount/total": 10},
	limits{"attach": 128, "goods_tag": 32, "time_expire": 25, "amount/currency": 16},
}

// prepay returns what processes an order of the trade type.
func (s *Server) prepay(tradeType string) operation {
	return func(r *request) (any, error) {
		asked := r.asked
		expires, err := asked.timeOf("time_expire", "2006-01-02T15:04:05-07:00")
		if err != nil {
			return nil, err
		}
		t, err := s.place(Trade{
			Protocol: V3, OutTradeNo: asked["out_trade_no"], AppID: asked["appid"], TradeType: tradeType, Body: asked["description"],
			Attach: asked["attach"], OpenID: asked["payer/openid"], Amount: asked.number("amount/total"), Currency: "CNY", State: NotPaid,
			Expires: expires.UTC(), Fingerprint: asked.fingerprint(), Delivery: Delivery{NotifyURL: asked["notify_url"]},
		})
		if err != nil {
			return nil, err
		}
		return s.prepayment(t), nil
	}
}

// prepayment returns what the merchant needs to let the payer pay.
func (s *Server) prepayment(t Trade) object {
	switch t.TradeType {
	case "NATIVE":
		return object{"code_url": s.link(t)}
	case "MWEB":
		return object{"h5_url": s.link(t) + "?prepay_id=" + t.PrepayID}
	}
	return object{"prepay_id": t.PrepayID}
}

// Fields of requests about an order: by the merchant's number, and by the wallet's ID.
var (
	aboutFormV3 = form{needed: limits{"mchid": 32, "out_trade_no": 32}}
	idFormV3    = form{needed: limits{"mchid": 32, "transaction_id": 32}}
)

// queryTrade answers with an order.
func (s *Server) queryTrade(r *request) (any, error) {
	t, there := s.trades[r.number]
	if !there {
		return nil, ErrUnknown
	}
	return s.tradeObject(t), nil
}

// tradeObject returns the order as answers and notifications of version 3 have it. An order that
// is not paid has neither an amount nor the wallet's ID. The caller must hold the lock.
func (s *Server) tradeObject(t Trade) object {
	state := s.stateOf(t)
	o := object{
		"appid": t.AppID, "mchid": s.cfg.MerchantID, "out_trade_no": t.OutTradeNo, "attach": t.Attach,
		"trade_state": state, "trade_state_desc": described[state],
	}
	if t.State != Success {
		return o
	}
	o["transaction_id"], o["trade_type"], o["bank_type"], o["success_time"] = t.TransactionID, t.TradeType, "OTHERS", v3Time(t.Paid)
	o["payer"] = object{"openid": t.OpenID}
	o["amount"] = object{
		"total": t.Amount, "payer_total": t.Amount - t.Coupon, "currency": t.Currency, "payer_currency": t.Currency,
	}
	if t.Coupon > 0 {
		coupon := object{"coupon_id": "sandbox", "scope": "GLOBAL", "type": "CASH", "amount": t.Coupon, "currency": t.Currency}
		o["promotion_detail"] = []object{coupon}
	}
	return o
}

// closeTrade closes an order. Version 3 documents no minimum age.
func (s *Server) closeTrade(r *request) (any, error) {
	t, there := s.trades[r.number]
	if !there {
		return nil, ErrUnknown
	}
	return nil, s.shut(t)
}
