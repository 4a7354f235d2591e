package sandbox

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// orderFields are the fields of an order with their maximum lengths.
var orderFields = map[string]int{
	"body": 127, "out_trade_no": 32, "total_fee": 10, "spbill_create_ip": 64, "notify_url": 256, "trade_type": 16,
	"openid": 128, "product_id": 32, "scene_info": 256, "time_start": 14, "time_expire": 14, "attach": 127,
	"fee_type": 16, "detail": 6000, "goods_tag": 32, "limit_pay": 32, "device_info": 32,
}

// alsoNeeds are the extra required fields of each trade type.
var alsoNeeds = map[string]string{"JSAPI": "openid", "NATIVE": "product_id", "MWEB": "scene_info", "APP": ""}

var wholeNumber = regexp.MustCompile(`^[1-9][0-9]*$`)

func (s *Server) unifiedOrder(asked fields) (fields, error) {
	expires, err := s.checkOrder(asked)
	if err != nil {
		return nil, err
	}
	t, err := s.place(newTrade(asked, expires))
	if err != nil {
		return nil, err
	}
	return s.prepaymentFields(t), nil
}

// place adds the order, or gives the same order another lifetime.
func (s *Server) place(asked Trade) (Trade, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	t, there := s.trades[asked.OutTradeNo]
	switch {
	case !there && len(s.trades) >= maxTrades:
		return t, errCrowded
	case !there:
		t = asked
		t.Created = now
	default:
		if err := sameOrder(t, asked); err != nil {
			return t, err
		}
	}
	if !t.Expires.IsZero() && !now.Before(t.Expires) {
		return t, invalidParam("time_expire", "has passed")
	}
	s.refresh(&t, now)
	return t, s.commit(t)
}

func (s *Server) checkOrder(asked fields) (expires time.Time, err error) {
	needs := []string{"body", "out_trade_no", "total_fee", "spbill_create_ip", "notify_url", "trade_type"}
	also, known := alsoNeeds[asked["trade_type"]]
	if also != "" {
		needs = append(needs, also)
	}
	if err := s.check(asked, orderFields, needs...); err != nil {
		return time.Time{}, err
	}
	if !known {
		return time.Time{}, invalidParam("trade_type", "must be JSAPI, NATIVE, APP or MWEB")
	}
	if !wholeNumber.MatchString(asked["total_fee"]) {
		return time.Time{}, invalidParam("total_fee", "must be a positive integer")
	}
	if currency := asked["fee_type"]; currency != "" && currency != "CNY" {
		return time.Time{}, invalidParam("fee_type", "must be CNY")
	}
	if _, err := netip.ParseAddr(asked["spbill_create_ip"]); err != nil {
		return time.Time{}, invalidParam("spbill_create_ip", "must be an IP address")
	}
	if !isNotifyURL(asked["notify_url"]) {
		return time.Time{}, invalidParam("notify_url", "must be https, without a query")
	}
	if scene := asked["scene_info"]; scene != "" && json.Unmarshal([]byte(scene), &map[string]any{}) != nil {
		return time.Time{}, invalidParam("scene_info", "must be a JSON object")
	}
	return parsePeriod(asked["time_start"], asked["time_expire"])
}

// isNotifyURL accepts http only for loopback addresses.
func isNotifyURL(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	isLocal := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Scheme == "https" || u.Scheme == "http" && isLocal
}

// parsePeriod reads the start and the end of the time to pay. Either may be absent.
func parsePeriod(from, until string) (expires time.Time, err error) {
	start, err := readTimeOf("time_start", from)
	if err != nil {
		return time.Time{}, err
	}
	if expires, err = readTimeOf("time_expire", until); err != nil {
		return time.Time{}, err
	}
	if from != "" && until != "" && !start.Before(expires) {
		return time.Time{}, invalidParam("time_expire", "must be later than time_start")
	}
	return expires, nil
}

func readTimeOf(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.ParseInLocation(wireTime, text, beijing)
	if err != nil || len(text) != len(wireTime) {
		return time.Time{}, invalidParam(name, "must be yyyyMMddHHmmss")
	}
	return at.UTC(), nil
}

func newTrade(asked fields, expires time.Time) Trade {
	amount, _ := strconv.ParseInt(asked["total_fee"], 10, 64) // checked to have at most ten digits
	return Trade{
		Protocol: V2, OutTradeNo: asked["out_trade_no"], AppID: asked["appid"], TradeType: asked["trade_type"], Body: asked["body"],
		Attach: asked["attach"], OpenID: asked["openid"], Amount: amount, Currency: "CNY", State: NotPaid,
		Expires: expires, SignType: asked["sign_type"], Fingerprint: fingerprint(asked),
		Delivery: Delivery{NotifyURL: asked["notify_url"]},
	}
}

// fingerprint identifies the parameters of a request, without its nonce and signature, which
// may differ between retries.
func fingerprint(asked fields) string {
	hash := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		if name != "nonce_str" && name != "sign" && name != "sign_type" && asked[name] != "" {
			fmt.Fprintf(hash, "%d:%s=%d:%s;", len(name), name, len(asked[name]), asked[name])
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// sameOrder returns a refusal if the number belongs to a different order.
func sameOrder(t, asked Trade) error {
	switch {
	case t.AppID != asked.AppID || t.TradeType != asked.TradeType || t.Protocol != asked.Protocol:
		return refusal{"OUT_TRADE_NO_USED", "the number belongs to an order of another trade type, appid or protocol"}
	case t.Fingerprint != asked.Fingerprint:
		return refusal{"INVALID_REQUEST", "the number was sent before with other parameters"}
	case t.State == Success:
		return refusePaid
	case t.State == Closed:
		return refuseShut
	}
	return nil
}

// refresh extends the time to pay by another lifetime. A valid prepayment keeps its ID.
func (s *Server) refresh(t *Trade, now time.Time) {
	if !now.Before(t.PrepayUntil) {
		t.PrepayID = "wx" + now.In(beijing).Format(wireTime) + s.nonce(10)
	}
	t.Requests++
	t.PrepayUntil = now.Add(s.scaled(prepayLife))
	t.LinkUntil = t.PrepayUntil
	if t.TradeType == "MWEB" {
		t.LinkUntil = now.Add(s.scaled(mwebLife))
	}
}

func (s *Server) prepaymentFields(t Trade) fields {
	reply := fields{"trade_type": t.TradeType, "prepay_id": t.PrepayID}
	switch link := s.link(t); t.TradeType {
	case "NATIVE":
		reply["code_url"] = link
	case "MWEB":
		reply["mweb_url"] = link + "?prepay_id=" + t.PrepayID
	}
	return reply
}

// link returns the URL of the page that pays the trade.
func (s *Server) link(t Trade) string {
	return s.cfg.PublicURL + "/sandbox/pay/" + url.PathEscape(t.OutTradeNo)
}

func (s *Server) orderQuery(asked fields) (fields, error) {
	if err := s.check(asked, map[string]int{"out_trade_no": 32, "transaction_id": 32}); err != nil {
		return nil, err
	}
	if asked["out_trade_no"] == "" && asked["transaction_id"] == "" {
		return nil, missingParam("out_trade_no or transaction_id")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	no := asked["out_trade_no"]
	if id := asked["transaction_id"]; id != "" {
		no = s.paid[id] // the wallet prefers its own ID
	}
	t, err := s.find(asked["appid"], no)
	if err != nil {
		return nil, err
	}
	state := s.stateOf(t)
	reply := fields{"trade_state": state, "trade_state_desc": described[state]}
	if t.State == Success {
		maps.Copy(reply, receipt(t))
	} else {
		reply["out_trade_no"], reply["total_fee"] = t.OutTradeNo, strconv.FormatInt(t.Amount, 10)
		reply["attach"] = t.Attach // the wallet sends fields without a value, too
	}
	return reply, nil
}

// refundedState is what both protocols call a paid order of which something is returned.
const refundedState = "REFUND"

// stateOf returns the state of the trade as the protocols call it. The caller must hold the lock.
func (s *Server) stateOf(t Trade) string {
	if s.returned(t.OutTradeNo) > 0 {
		return refundedState
	}
	return string(t.State)
}

var described = map[string]string{
	string(NotPaid): "not paid", string(Declined): "payment failed", string(Success): "paid", string(Closed): "closed",
	refundedState: "paid, and returned in part or whole",
}

func (s *Server) closeOrder(asked fields) (fields, error) {
	if err := s.check(asked, map[string]int{"out_trade_no": 32}, "out_trade_no"); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.find(asked["appid"], asked["out_trade_no"])
	if err != nil {
		return nil, err
	}
	if t.State != Success && t.State != Closed && s.now().Before(t.Created.Add(s.scaled(closeAge))) {
		// The documentation states the rule without a code.
		return nil, refusal{"ORDER_NOT_YET", "an order is closed 5 minutes after it was made, not sooner"}
	}
	return fields{}, s.shut(t)
}

// shut closes the order. The caller must hold the lock.
func (s *Server) shut(t Trade) error {
	switch t.State {
	case Success:
		return refusePaid
	case Closed:
		return refuseShut
	}
	t.State = Closed
	return s.commit(t)
}

// find returns the trade if it was ordered under the appID. The caller must
// hold the lock.
func (s *Server) find(appID, no string) (Trade, error) {
	t, there := s.trades[no]
	switch {
	case !there:
		return Trade{}, refuseUnknown
	case t.AppID != appID:
		return Trade{}, refuseOtherApp
	}
	return t, nil
}
