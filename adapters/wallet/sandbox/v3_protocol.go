package sandbox

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// v3Codes are the statuses and codes of version 3 for refusals. The others have status 400 and the
// code of version 2.
var v3Codes = map[string]struct {
	status int
	code   string
}{
	errSystem.code:          {http.StatusInternalServerError, "SYSTEM_ERROR"},
	errCrowded.code:         {http.StatusTooManyRequests, "FREQUENCY_LIMITED"},
	ErrClosed.code:          {http.StatusBadRequest, "ORDER_CLOSED"},
	"LACK_PARAMS":           {http.StatusBadRequest, "PARAM_ERROR"},
	"OUT_TRADE_NO_USED":     {http.StatusForbidden, "OUT_TRADE_NO_USED"},
	refuseMerchant.code:     {http.StatusBadRequest, "MCH_NOT_EXISTS"},
	refuseApp.code:          {http.StatusBadRequest, "APPID_MCHID_NOT_MATCH"},
	ErrUnknown.code:         {http.StatusNotFound, "ORDER_NOT_EXIST"},
	refuseOtherRefund.code:  {http.StatusBadRequest, "INVALID_REQUEST"},
	refuseOverdue.code:      {http.StatusBadRequest, "INVALID_REQUEST"},
	refuseFunds.code:        {http.StatusForbidden, "NOT_ENOUGH"},
	ErrUnknownRefund.code:   {http.StatusNotFound, "RESOURCE_NOT_EXISTS"},
	refuseNoBill.code:       {http.StatusBadRequest, "NO_STATEMENT_EXIST"},
	refuseBillCreating.code: {http.StatusBadRequest, "STATEMENT_CREATING"},
	refuseSignature.code:    {http.StatusUnauthorized, "SIGN_ERROR"},
}

// serveV3 serves an operation of version 3.
func (s *Server) serveV3(op Operation, allowed form, do operation) http.HandlerFunc {
	return s.serve(op, func(w http.ResponseWriter, r *request) (answer, error) {
		w.Header().Set("Date", s.now().Format(http.TimeFormat)) // by the clock that judges the request
		body, err := s.readV3(w, r)
		if err != nil {
			return s.refused(err), err // the sender is unknown, so the answer has no signature
		}
		var reply any
		if r.asked, err = s.fieldsOf(r, body); err == nil {
			reply, err = s.process(r, allowed, do)
		}
		return s.answerV3(r, reply, err), err
	})
}

// readV3 returns the body of a request of the merchant.
func (s *Server) readV3(w http.ResponseWriter, r *request) ([]byte, error) {
	body, err := readBody(w, r)
	if err != nil {
		return nil, refusal{"PARAM_ERROR", "the body can't be read or is too large"}
	}
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return nil, refusal{refuseSignature.code, "one Authorization is needed"}
	}
	if err := s.authorize(headers[0], r.Method, r.RequestURI, body); err != nil {
		return nil, refusal{refuseSignature.code, err.Error()}
	}
	return body, nil
}

// fieldsOf returns the fields of the request's path, and those of its query or its body. It refuses
// a request that breaks the rules for headers.
func (s *Server) fieldsOf(r *request, body []byte) (f fields, err error) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	accepts := r.Header.Get("Accept")
	serial := r.Header.Get("Wechatpay-Serial")
	isGet := r.Method == http.MethodGet
	switch {
	case r.Header.Get("User-Agent") == "":
		return nil, missingParam("User-Agent")
	case !strings.Contains(accepts, "application/json") && !strings.Contains(accepts, "*/*"):
		return nil, invalidParam("Accept", "must have application/json")
	case !isGet && kind != "application/json":
		return nil, invalidParam("Content-Type", "must be application/json")
	case isGet && len(body) > 0:
		return nil, invalidParam("the body", "must be empty")
	case !isGet && r.URL.RawQuery != "":
		return nil, invalidParam("the query", "must be empty")
	case serial != "" && !s.knowsKey(serial):
		return nil, invalidParam("Wechatpay-Serial", "is of no key of the wallet")
	}
	f = fields{}
	if !isGet {
		if f, err = parseObject(body); err != nil {
			return nil, invalidParam("the body", err.Error())
		}
	}
	query := r.URL.Query()
	for _, name := range []string{"out_trade_no", "transaction_id", "out_refund_no"} {
		if value := r.PathValue(name); value != "" {
			query.Add(name, value)
		}
	}
	for name, values := range query {
		if _, twice := f[name]; twice || len(values) != 1 {
			return nil, invalidParam(name, "is repeated")
		}
		f[name] = values[0]
	}
	return f, nil
}

// refused returns the answer that tells the error, without a signature.
func (s *Server) refused(err error) answer {
	no := s.asRefusal(err)
	said, known := v3Codes[no.code]
	if !known {
		said.status, said.code = http.StatusBadRequest, no.code
	}
	return answer{said.status, jsonHeader(), marshal(object{"code": said.code, "message": no.text})}
}

func jsonHeader() http.Header {
	return http.Header{"Content-Type": {"application/json; charset=utf-8"}}
}

// answerV3 returns the answer to a request, signed as its misbehaviour demands.
func (s *Server) answerV3(r *request, reply any, err error) answer {
	raw, isRaw := reply.(content)
	var a answer
	switch {
	case err != nil:
		a = s.refused(err)
	case isRaw:
		return answer{http.StatusOK, http.Header{"Content-Type": {"application/octet-stream"}}, raw}
	case reply == nil:
		a = answer{status: http.StatusNoContent, header: http.Header{}}
	default:
		a = answer{http.StatusOK, jsonHeader(), marshal(reply)}
	}
	s.signV3(a.header, a.body, r.Header.Get("Wechatpay-Serial"), r.trick)
	return a
}

// object is a JSON object.
type object map[string]any

func marshal(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // of a value that JSON does not have
	}
	return body
}

// probe begins the signatures that the wallet sends to try whether a merchant verifies them.
const probe = "WECHATPAY/SIGNTEST/"

// signV3 sets the headers that sign the body, as the trick demands.
func (s *Server) signV3(h http.Header, body []byte, preferred string, trick Misbehaviour) {
	at, nonce := s.now(), s.nonce(16)
	if trick.Do == Old {
		at = at.Add(-clockSkew - time.Second)
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	key := s.signer(preferred, trick.Do)
	signature := key.sign(timestamp, nonce, string(body))
	switch trick.Do {
	case Forge:
		signature = key.sign(timestamp, nonce, string(body)+" ")
	case Probe:
		signature = probe + signature[len(probe):]
	}
	h.Set("Wechatpay-Timestamp", timestamp)
	h.Set("Wechatpay-Nonce", nonce)
	h.Set("Wechatpay-Serial", key.serial)
	h.Set("Wechatpay-Signature", signature)
	h.Set("Wechatpay-Signature-Type", v3Scheme)
	h.Set("Request-ID", strings.ToUpper(nonce[:16]))
}
