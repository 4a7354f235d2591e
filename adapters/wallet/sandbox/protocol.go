package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Operation is a request of the protocol, or the wallet's notification.
type Operation string

// Operations of version 2 that Misbehave supports.
const (
	UnifiedOrder Operation = "unifiedorder"
	OrderQuery   Operation = "orderquery"
	CloseOrder   Operation = "closeorder"
)

// Operations of version 3 that Misbehave supports.
const (
	Prepay       Operation = "prepay"
	QueryTrade   Operation = "query"
	CloseTrade   Operation = "close"
	ListKeys     Operation = "certificates"
	DownloadBill Operation = "download"
)

// Operations of both versions that Misbehave supports. The bill of version 2 is the answer itself.
const (
	RefundOrder  Operation = "refund"
	RefundQuery  Operation = "refundquery"
	TradeBill    Operation = "tradebill"
	Notify       Operation = "notify" // of a payment
	NotifyRefund Operation = "notifyrefund"
)

// refusal is a signed answer that refuses a request.
type refusal struct{ code, text string }

func (r refusal) Error() string { return r.code + ": " + r.text }

var (
	errSystem  = refusal{"SYSTEMERROR", "the system is busy; query the order or repeat the request"}
	errCrowded = refusal{"FREQUENCY_LIMITED", "too many requests"}
	refusePaid = refusal{"ORDERPAID", "the order is already paid"}
	refuseShut = refusal{"ORDERCLOSED", "the order is closed"}

	refuseOtherApp = refusal{"APPID_MCHID_NOT_MATCH", "the order belongs to another appid"}

	refuseApp     = refusal{"APPID_NOT_EXIST", "unknown appid"}
	refuseUnknown = refusal{"ORDERNOTEXIST", "order not found"}
)

func missingParam(name string) error      { return refusal{"LACK_PARAMS", name + " is missing"} }
func invalidParam(name, why string) error { return refusal{"PARAM_ERROR", name + " " + why} }

const readTime = 10 * time.Second

// serve reads a request, processes and answers it, and applies pending tricks.
func (s *Server) serve(op Operation, do func(fields) (fields, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		asked, err := s.read(w, r)
		if err != nil {
			s.cfg.Log.Warn("sandbox: request rejected", "operation", op, "cause", err)
			write(w, fields{"return_code": "FAIL", "return_msg": err.Error()})
			return
		}
		no := s.orderOf(asked)
		trick := s.nextMisbehaviour(op, no)
		reply, err := fields(nil), trick.instead(r.Context())
		if err == nil {
			reply, err = do(asked)
		}
		if err == nil {
			err = trick.afterwards()
		}
		answer := s.answer(asked, reply, err)
		s.cfg.Log.Info("sandbox: request", "operation", op, "no", no, "trick", trick.Do,
			"result", answer["result_code"], "code", answer["err_code"])
		if !s.holdResponse(r.Context(), trick) {
			trick = Misbehaviour{Do: Reset}
		}
		trick.send(w, answer)
	}
}

// orderOf returns the number of the order that the request is about, if the wallet knows it.
func (s *Server) orderOf(asked fields) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(asked["out_trade_no"], s.paid[asked["transaction_id"]], s.refunds[asked["out_refund_no"]].OutTradeNo,
		s.refunds[s.refundIDs[asked["refund_id"]]].OutTradeNo)
}

// read returns an authenticated request of the merchant. Its errors are sent without a
// signature, because the sender is unknown.
func (s *Server) read(w http.ResponseWriter, r *http.Request) (fields, error) {
	if r.Method != http.MethodPost {
		return nil, refusal{"REQUIRE_POST_METHOD", "only POST is supported"}
	}
	body, err := readBody(w, r)
	if err != nil {
		return nil, refusal{"POST_DATA_EMPTY", "the body can't be read or is too large"}
	}
	asked, err := parse(body)
	if err != nil {
		return nil, refusal{"XML_FORMAT_ERROR", err.Error()}
	}
	switch {
	case asked["mch_id"] == "":
		return nil, missingParam("mch_id")
	case asked["mch_id"] != s.cfg.MerchantID:
		return nil, refusal{"MCHID_NOT_EXIST", "unknown mch_id"}
	case !isSigned(asked, s.cfg.Key.Reveal()):
		return nil, refusal{"SIGNERROR", "wrong signature"}
	}
	return asked, nil
}

// readBody returns the body of the request.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	// The deadline is for the body only; later it would end a held request. A writer without
	// deadlines has none to miss.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(readTime))
	defer func() { _ = control.SetReadDeadline(time.Time{}) }()
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}

// answer returns the signed answer to a request: reply, or the refusal of err.
func (s *Server) answer(asked, reply fields, err error) fields {
	all := fields{
		"return_code": "SUCCESS", "return_msg": "OK", "result_code": "SUCCESS",
		"appid": asked["appid"], "mch_id": s.cfg.MerchantID,
	}
	if err != nil {
		no, is := errors.AsType[refusal](err)
		if !is {
			s.cfg.Log.Error("sandbox: processing a request failed", "cause", err)
			no = errSystem
		}
		all["result_code"], all["err_code"], all["err_code_des"] = "FAIL", no.code, no.text
	}
	for name, value := range reply {
		if err == nil {
			all[name] = value
		}
	}
	return s.signed(all, asked["sign_type"])
}

func write(w http.ResponseWriter, f fields) {
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	_, _ = w.Write(render(f)) // fails only when the client has disconnected
}

// check returns a refusal unless the request has the required fields and only valid ones.
func (s *Server) check(asked fields, allowed map[string]int, required ...string) error {
	for _, name := range append([]string{"appid", "nonce_str"}, required...) {
		if asked[name] == "" {
			return missingParam(name)
		}
	}
	for name, value := range asked {
		limit, known := allowed[name]
		if !known {
			limit, known = everywhere[name]
		}
		if !known {
			return invalidParam(name, "is not a field of this request")
		}
		if len(value) > limit {
			return invalidParam(name, fmt.Sprintf("has more than %d bytes", limit))
		}
	}
	if !slices.Contains(s.cfg.AppIDs, asked["appid"]) {
		return refuseApp
	}
	if no := asked["out_trade_no"]; no != "" && !isTradeNo(no) {
		return invalidParam("out_trade_no", "must be 6 to 32 digits, letters and _-|*")
	}
	return nil
}

var everywhere = map[string]int{"appid": 32, "mch_id": 32, "nonce_str": 32, "sign": 64, "sign_type": 32}

func isTradeNo(no string) bool { return len(no) >= 6 && len(no) <= 32 && hasOnly(no, "_-|*") }

// hasOnly reports whether the text has only letters and digits of ASCII, and the others.
func hasOnly(text, others string) bool {
	for _, r := range text {
		isLetter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !isLetter && (r < '0' || r > '9') && !strings.ContainsRune(others, r) {
			return false
		}
	}
	return true
}

// pause waits. It reports false if the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
