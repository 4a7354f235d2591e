package sandbox

import (
	"crypto/aes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// refundFields are the fields of a request for a refund with their maximum lengths.
var refundFields = map[string]int{
	"transaction_id": 32, "out_trade_no": 32, "out_refund_no": 64, "total_fee": 10, "refund_fee": 10, "refund_fee_type": 8,
	"refund_desc": 80, "refund_account": 30, "notify_url": 256,
}

// withCertificate lets requests pass that bring the merchant's certificate, as the wallet demands
// for refunds. Without TLS there are no certificates: then the client must be on this machine.
func (s *Server) withCertificate(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.bringsCertificate(r) {
			s.cfg.Log.Warn("sandbox: request rejected", "path", r.URL.Path, "cause", "no certificate of the merchant")
			write(w, fields{"return_code": "FAIL", "return_msg": "CERT_ERROR: the merchant's certificate is needed"})
			return
		}
		next(w, r)
	}
}

func (s *Server) bringsCertificate(r *http.Request) bool {
	if r.TLS == nil {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		ip := net.ParseIP(host)
		return err == nil && ip != nil && ip.IsLoopback()
	}
	brought := r.TLS.PeerCertificates
	return s.cfg.MerchantCert != nil && len(brought) > 0 && brought[0].Equal(s.cfg.MerchantCert)
}

// refundV2 answers to a request for a refund.
func (s *Server) refundV2(asked fields) (fields, error) {
	r, err := s.checkRefund(asked)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t, err := s.paidTrade(asked["transaction_id"], asked["out_trade_no"])
	if err != nil {
		return nil, err
	}
	if t.AppID != asked["appid"] {
		return nil, refuseOtherApp
	}
	if r, err = s.refund(t, r); err != nil {
		return nil, err
	}
	reply := refundReply(t, r)
	reply["out_trade_no"], reply["transaction_id"] = r.OutTradeNo, r.TransactionID
	return reply, nil
}

func (s *Server) checkRefund(asked fields) (r Refund, err error) {
	if err := s.check(asked, refundFields, "out_refund_no", "total_fee", "refund_fee"); err != nil {
		return r, err
	}
	for _, name := range []string{"total_fee", "refund_fee"} {
		if !wholeNumber.MatchString(asked[name]) {
			return r, invalidParam(name, "must be a positive integer")
		}
	}
	amount, _ := strconv.ParseInt(asked["refund_fee"], 10, 64) // checked to have at most ten digits
	total, _ := strconv.ParseInt(asked["total_fee"], 10, 64)
	switch {
	case asked["transaction_id"] == "" && asked["out_trade_no"] == "":
		return r, missingParam("out_trade_no or transaction_id")
	case !isRefundNo(asked["out_refund_no"]):
		return r, invalidParam("out_refund_no", "must be 1 to 64 digits, letters and _-|*@")
	case asked["refund_fee_type"] != "" && asked["refund_fee_type"] != "CNY":
		return r, invalidParam("refund_fee_type", "must be CNY")
	case asked["notify_url"] != "" && !isNotifyURL(asked["notify_url"]):
		return r, invalidParam("notify_url", "must be https, without a query")
	case amount > total:
		return r, invalidParam("refund_fee", "must be at most total_fee")
	}
	return Refund{
		Protocol: V2, No: asked["out_refund_no"], Amount: amount, Total: total, Reason: asked["refund_desc"],
		Delivery: Delivery{NotifyURL: asked["notify_url"]},
	}, nil
}

// refundReply returns the fields of a refund.
func refundReply(t Trade, r Refund) fields {
	return fields{
		"out_refund_no": r.No, "refund_id": r.ID, "refund_fee": strconv.FormatInt(r.Amount, 10),
		"cash_refund_fee": strconv.FormatInt(paidBack(t, r.Amount), 10), "total_fee": strconv.FormatInt(t.Amount, 10),
		"cash_fee": strconv.FormatInt(t.Amount-t.Coupon, 10), "fee_type": t.Currency,
	}
}

// v2States are the states of refunds in version 2.
var v2States = map[RefundState]string{
	RefundProcessing: "PROCESSING", RefundSucceeded: "SUCCESS", RefundClosed: "REFUNDCLOSE", RefundAbnormal: "CHANGE",
}

// maxListed is the largest number of refunds in an answer of version 2.
const maxListed = 10

// refundQuery answers with the refunds of an order, or with one refund.
func (s *Server) refundQuery(asked fields) (fields, error) {
	allowed := map[string]int{"out_trade_no": 32, "transaction_id": 32, "out_refund_no": 64, "refund_id": 32, "offset": 3}
	if err := s.check(asked, allowed); err != nil {
		return nil, err
	}
	offset, err := strconv.Atoi(asked["offset"])
	if asked["offset"] != "" && (err != nil || offset < 0) {
		return nil, invalidParam("offset", "must be 0 or greater")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	numbers, err := s.asksFor(asked)
	if err != nil {
		return nil, err
	}
	if len(numbers) == 0 {
		return nil, refuseNoRefund
	}
	t := s.trades[s.refunds[numbers[0]].OutTradeNo]
	switch {
	case t.AppID != asked["appid"]:
		return nil, refuseOtherApp
	case offset >= len(numbers):
		return nil, invalidParam("offset", "must be less than the number of refunds")
	}
	reply := fields{
		"transaction_id": t.TransactionID, "out_trade_no": t.OutTradeNo, "total_fee": strconv.FormatInt(t.Amount, 10),
		"cash_fee": strconv.FormatInt(t.Amount-t.Coupon, 10), "fee_type": t.Currency, "total_refund_count": strconv.Itoa(len(numbers)),
	}
	numbers = numbers[offset:min(offset+maxListed, len(numbers))]
	reply["refund_count"] = strconv.Itoa(len(numbers))
	for i, no := range numbers {
		listRefund(reply, i, s.refunds[no])
	}
	return reply, nil
}

// asksFor returns the numbers of the refunds that are asked for. The wallet prefers refund_id to
// out_refund_no, and both to the order. The caller must hold the lock.
func (s *Server) asksFor(asked fields) ([]string, error) {
	no := asked["out_refund_no"]
	if id := asked["refund_id"]; id != "" {
		no = s.refundIDs[id]
	}
	if asked["out_refund_no"] != "" || asked["refund_id"] != "" {
		if _, there := s.refunds[no]; !there {
			return nil, refuseNoRefund
		}
		return []string{no}, nil
	}
	if asked["out_trade_no"] == "" && asked["transaction_id"] == "" {
		return nil, missingParam("out_refund_no, refund_id, transaction_id or out_trade_no")
	}
	t, err := s.paidTrade(asked["transaction_id"], asked["out_trade_no"])
	return slices.Clone(s.refundsOf[t.OutTradeNo]), err
}

// listRefund adds the fields of the refund with the index.
func listRefund(reply fields, i int, r Refund) {
	one := fields{
		"out_refund_no": r.No, "refund_id": r.ID, "refund_channel": "ORIGINAL", "refund_fee": strconv.FormatInt(r.Amount, 10),
		"settlement_refund_fee": strconv.FormatInt(r.Amount, 10), "refund_status": v2States[r.State], "refund_recv_accout": "sandbox",
	}
	if r.State == RefundSucceeded {
		one["refund_success_time"] = r.Ended.In(beijing).Format(refundTime)
	}
	for name, value := range one {
		reply[fmt.Sprintf("%s_%d", name, i)] = value
	}
}

// refundTime is how version 2 writes the time of a refund.
const refundTime = "2006-01-02 15:04:05"

// v2RefundNotification returns the message of version 2 about the end of a refund. It has no
// signature: what it tells is encrypted under the merchant's key.
func (s *Server) v2RefundNotification(r Refund, t Trade, trick Misbehaviour) []byte {
	amount := r.Amount
	if trick.Do == Amount {
		amount++
	}
	told := fields{
		"transaction_id": r.TransactionID, "out_trade_no": r.OutTradeNo, "refund_id": r.ID, "out_refund_no": r.No,
		"total_fee": strconv.FormatInt(t.Amount, 10), "refund_fee": strconv.FormatInt(amount, 10),
		"settlement_refund_fee": strconv.FormatInt(amount, 10), "refund_status": v2States[r.State],
		"refund_recv_accout": "sandbox", "refund_account": "REFUND_SOURCE_UNSETTLED_FUNDS", "refund_request_source": "API",
	}
	if r.State == RefundSucceeded {
		told["success_time"] = r.Ended.In(beijing).Format(refundTime)
	}
	key := s.cfg.Key.Reveal()
	if trick.forges() {
		key += " "
	}
	return render(fields{
		"return_code": "SUCCESS", "appid": t.AppID, "mch_id": s.cfg.MerchantID, "nonce_str": s.nonce(16),
		"req_info": sealV2(renderAs("root", told), key),
	})
}

// sealV2 encrypts with AES-256 in ECB mode, which the protocol demands, under the MD5 of the key.
func sealV2(text []byte, key string) string {
	sum := md5.Sum([]byte(key))
	block, err := aes.NewCipher([]byte(hex.EncodeToString(sum[:])))
	if err != nil {
		panic(err) // of a key that has not 32 bytes
	}
	padding := aes.BlockSize - len(text)%aes.BlockSize
	text = append(slices.Clone(text), strings.Repeat(string(rune(padding)), padding)...)
	for at := 0; at < len(text); at += aes.BlockSize {
		block.Encrypt(text[at:], text[at:at+aes.BlockSize])
	}
	return base64.StdEncoding.EncodeToString(text)
}
