package sandbox

import (
	"net/netip"
	"regexp"
	"slices"
	"time"
)

// maxAmount is the largest amount of an order, in minor units.
const maxAmount = 9_999_999_999

// prepayTypes are the trade types by the last part of their path.
var prepayTypes = map[string]string{"native": "NATIVE", "jsapi": "JSAPI", "app": "APP", "h5": "MWEB"}

var dateTime = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+-][0-9]{2}:[0-9]{2}$`)

// prepay reads an order of the trade type.
func (s *Server) prepay(tradeType string) v3Operation {
	return func(r v3Request) (string, func(Trick) (any, error), error) {
		asked, err := s.readOrder(tradeType, r)
		return asked.OutTradeNo, func(Trick) (any, error) {
			t, err := s.place(asked)
			if err != nil {
				return nil, err
			}
			return s.prepayment(t), nil
		}, err
	}
}

func (s *Server) readOrder(tradeType string, r v3Request) (t Trade, err error) {
	if err := r.hasQuery(); err != nil {
		return t, err
	}
	body, err := parseObject(r.body)
	if err != nil {
		return t, invalidParam("the body", err.Error())
	}
	t = Trade{Protocol: V3, TradeType: tradeType, Currency: "CNY", State: NotPaid, Fingerprint: fingerprintOf(body)}
	var merchant, expires, address string
	err = readFields(body, func(f form) {
		t.AppID, merchant = f.text("appid", 1, 32), f.text("mchid", 1, 32)
		t.Body, t.OutTradeNo = f.text("description", 1, 127), f.text("out_trade_no", 6, 32)
		t.Attach, _ = f.text("attach", 0, 128), f.text("goods_tag", 0, 32)
		t.NotifyURL, expires = f.text("notify_url", 1, 255), f.text("time_expire", 0, 64)
		f.object("amount", true, func(f form) {
			t.Amount = f.amount("total")
			if currency := f.text("currency", 0, 16); currency != "" && currency != "CNY" {
				f.refuse("currency", "must be CNY")
			}
		})
		if tradeType == "JSAPI" {
			f.object("payer", true, func(f form) { t.OpenID = f.text("openid", 1, 128) })
		}
		f.object("scene_info", tradeType == "MWEB", func(f form) { address = readScene(f, tradeType) })
	})
	if err != nil {
		return t, err
	}
	return t, s.checkV3Order(&t, merchant, expires, address)
}

// readScene returns the payer's address.
func readScene(f form, tradeType string) (address string) {
	address, _ = f.text("payer_client_ip", 1, 45), f.text("device_id", 0, 32)
	f.object("h5_info", tradeType == "MWEB", func(f form) {
		switch kind := f.text("type", 1, 32); kind {
		case "iOS", "Android", "Wap":
		default:
			f.refuse("type", "must be iOS, Android or Wap")
		}
		_, _ = f.text("app_name", 0, 64), f.text("app_url", 0, 128)
		_, _ = f.text("bundle_id", 0, 128), f.text("package_name", 0, 128)
	})
	return address
}

// checkV3Order checks what the types of the fields don't say, and sets when the order expires.
func (s *Server) checkV3Order(t *Trade, merchant, expires, address string) error {
	if err := s.isOf(merchant); err != nil {
		return err
	}
	if !slices.Contains(s.cfg.AppIDs, t.AppID) {
		return refuseApp
	}
	if !isTradeNo(t.OutTradeNo) {
		return invalidParam("out_trade_no", "must be 6 to 32 digits, letters and _-|*")
	}
	if !isNotifyURL(t.NotifyURL) {
		return invalidParam("notify_url", "must be https, without a query")
	}
	if _, err := netip.ParseAddr(address); address != "" && err != nil {
		return invalidParam("scene_info/payer_client_ip", "must be an IP address")
	}
	if expires == "" {
		return nil
	}
	at, err := time.Parse(time.RFC3339, expires)
	if err != nil || !dateTime.MatchString(expires) {
		return invalidParam("time_expire", "must be yyyy-MM-ddTHH:mm:ss with an offset")
	}
	t.Expires = at.UTC()
	return nil
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

// queryTrade answers with an order, by the merchant's number or by the wallet's ID.
func (s *Server) queryTrade(r v3Request) (string, func(Trick) (any, error), error) {
	no := r.PathValue("no")
	if id := r.PathValue("id"); id != "" {
		s.mu.Lock()
		no = s.paid[id]
		s.mu.Unlock()
	}
	return no, func(Trick) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		t, there := s.trades[no]
		if !there {
			return nil, refuseUnknown
		}
		return s.tradeObject(t), nil
	}, s.asksAsMerchant(r)
}

// asksAsMerchant returns a refusal unless the query names the merchant and nothing else.
func (s *Server) asksAsMerchant(r v3Request) error {
	if err := r.hasQuery("mchid"); err != nil {
		return err
	}
	return s.isOf(r.URL.Query().Get("mchid"))
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
		o["promotion_detail"] = []object{{"coupon_id": "sandbox", "scope": "GLOBAL", "type": "CASH", "amount": t.Coupon, "currency": t.Currency}}
	}
	return o
}

// closeTrade closes an order. Version 3 documents no minimum age.
func (s *Server) closeTrade(r v3Request) (string, func(Trick) (any, error), error) {
	no := r.PathValue("no")
	return no, func(Trick) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		t, there := s.trades[no]
		if !there {
			return nil, refuseUnknown
		}
		return nil, s.shut(t)
	}, s.closesAsMerchant(r)
}

// closesAsMerchant returns a refusal unless the body names the merchant and nothing else.
func (s *Server) closesAsMerchant(r v3Request) error {
	if err := r.hasQuery(); err != nil {
		return err
	}
	body, err := parseObject(r.body)
	if err != nil {
		return invalidParam("the body", err.Error())
	}
	var merchant string
	if err := readFields(body, func(f form) { merchant = f.text("mchid", 1, 32) }); err != nil {
		return err
	}
	return s.isOf(merchant)
}
