package sandbox

import "maps"

// wireTime is how version 2 writes times.
const wireTime = "20060102150405"

// orderFormV2 has the fields of an order.
var orderFormV2 = form{
	limits{"body": 127, "out_trade_no": 32, "total_fee": 10, "spbill_create_ip": 64, "notify_url": 256, "trade_type": 16},
	limits{
		"openid": 128, "product_id": 32, "scene_info": 256, "time_start": 14, "time_expire": 14, "attach": 127,
		"fee_type": 16, "detail": 6000, "goods_tag": 32, "limit_pay": 32, "device_info": 32,
	},
}

// alsoNeeds are the extra needed fields of each trade type.
var alsoNeeds = map[string]string{"JSAPI": "openid", "NATIVE": "product_id", "MWEB": "scene_info"}

func (s *Server) unifiedOrder(r *request) (any, error) {
	asked := r.asked
	if also := alsoNeeds[asked["trade_type"]]; also != "" && asked[also] == "" {
		return nil, missingParam(also)
	}
	start, err := asked.timeOf("time_start", wireTime)
	if err != nil {
		return nil, err
	}
	expires, err := asked.timeOf("time_expire", wireTime)
	switch {
	case err != nil:
		return nil, err
	case !expires.IsZero() && !start.Before(expires):
		return nil, invalidParam("time_expire", "must be later than time_start")
	}
	t, err := s.place(Trade{
		Protocol: V2, OutTradeNo: asked["out_trade_no"], AppID: asked["appid"], TradeType: asked["trade_type"], Body: asked["body"],
		Attach: asked["attach"], OpenID: asked["openid"], Amount: asked.number("total_fee"), Currency: "CNY", State: NotPaid,
		Expires: expires.UTC(), SignType: asked["sign_type"], Fingerprint: asked.fingerprint(),
		Delivery: Delivery{NotifyURL: asked["notify_url"]},
	})
	if err != nil {
		return nil, err
	}
	reply := fields{"trade_type": t.TradeType, "prepay_id": t.PrepayID}
	switch link := s.link(t); t.TradeType {
	case "NATIVE":
		reply["code_url"] = link
	case "MWEB":
		reply["mweb_url"] = link + "?prepay_id=" + t.PrepayID
	}
	return reply, nil
}

// queryFormV2 has the fields of a query. The wallet prefers its own ID.
var queryFormV2 = form{optional: limits{"out_trade_no": 32, "transaction_id": 32}}

func (s *Server) orderQuery(r *request) (any, error) {
	no := r.asked["out_trade_no"]
	if id := r.asked["transaction_id"]; id != "" {
		no = s.paid[id]
	} else if no == "" {
		return nil, missingParam("out_trade_no or transaction_id")
	}
	t, err := s.find(r.asked["appid"], no)
	if err != nil {
		return nil, err
	}
	state := s.stateOf(t)
	reply := fields{"trade_state": state, "trade_state_desc": described[state]}
	if t.State == Success {
		maps.Copy(reply, receipt(t))
	} else {
		reply["out_trade_no"], reply["total_fee"] = t.OutTradeNo, digits(t.Amount)
		reply["attach"] = t.Attach // the wallet sends fields without a value, too
	}
	return reply, nil
}

// closeFormV2 has the fields of a request to close an order.
var closeFormV2 = form{needed: limits{"out_trade_no": 32}}

func (s *Server) closeOrder(r *request) (any, error) {
	t, err := s.find(r.asked["appid"], r.asked["out_trade_no"])
	if err != nil {
		return nil, err
	}
	if t.open() == nil && s.now().Before(t.Created.Add(s.scaled(closeAge))) {
		// The documentation states the rule without a code.
		return nil, refusal{"ORDER_NOT_YET", "an order is closed 5 minutes after it was made, not sooner"}
	}
	return fields{}, s.shut(t)
}

// find returns the trade if it was ordered under the appID.
func (s *Server) find(appID, no string) (Trade, error) {
	t, there := s.trades[no]
	switch {
	case !there:
		return Trade{}, ErrUnknown
	case t.AppID != appID:
		return Trade{}, refuseOtherApp
	}
	return t, nil
}

// receipt returns the fields of a payment in answers and notifications of version 2.
func receipt(t Trade) fields {
	reply := fields{
		"out_trade_no": t.OutTradeNo, "transaction_id": t.TransactionID, "openid": t.OpenID, "is_subscribe": "N",
		"trade_type": t.TradeType, "bank_type": "OTHERS", "total_fee": digits(t.Amount),
		"fee_type": t.Currency, "cash_fee": digits(t.Amount - t.Coupon), "cash_fee_type": t.Currency,
		"time_end": t.Paid.In(beijing).Format(wireTime),
	}
	if t.Attach != "" {
		reply["attach"] = t.Attach
	}
	if t.Coupon > 0 {
		fee := digits(t.Coupon)
		maps.Copy(reply, fields{"coupon_fee": fee, "coupon_count": "1", "coupon_id_0": "sandbox", "coupon_fee_0": fee})
	}
	return reply
}

// v2Notification returns the message of version 2 about a payment. Like the wallet's, it often
// has no sign_type, which is then the order's.
func (s *Server) v2Notification(t Trade, trick Misbehaviour) []byte {
	message := fields{
		"return_code": "SUCCESS", "result_code": "SUCCESS", "appid": t.AppID, "mch_id": s.cfg.MerchantID,
	}
	maps.Copy(message, receipt(t))
	if trick.Do == Amount {
		message["total_fee"] = digits(t.Amount + 1)
	}
	// A message without sign_type is still signed with the order's type.
	s.signed(message, t.SignType)
	if trick.forges() {
		forge(message)
	}
	return render(message)
}
