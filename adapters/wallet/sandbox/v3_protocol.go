package sandbox

import (
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// v3Request is a request that the merchant has signed.
type v3Request struct {
	*http.Request
	body []byte
}

// v3Operation reads a request. It returns the number of the order that the request is about, and
// what processes it: then the answer's body follows, nil for none.
type v3Operation func(v3Request) (no string, process func(Trick) (any, error), err error)

// v3Answer is an answer to the merchant.
type v3Answer struct {
	status int
	header http.Header
	body   []byte
}

// unsigned is an answer that is not JSON and has no signature.
type unsigned []byte

// v3Code is how version 3 says what a refusal of version 2 means.
type v3Code struct {
	status int
	code   string
}

var v3Codes = map[string]v3Code{
	errSystem.code:          {http.StatusInternalServerError, "SYSTEM_ERROR"},
	errCrowded.code:         {http.StatusTooManyRequests, "FREQUENCY_LIMITED"},
	refusePaid.code:         {http.StatusBadRequest, "ORDERPAID"},
	refuseShut.code:         {http.StatusBadRequest, "ORDER_CLOSED"},
	"LACK_PARAMS":           {http.StatusBadRequest, "PARAM_ERROR"},
	"PARAM_ERROR":           {http.StatusBadRequest, "PARAM_ERROR"},
	"INVALID_REQUEST":       {http.StatusBadRequest, "INVALID_REQUEST"},
	"OUT_TRADE_NO_USED":     {http.StatusForbidden, "OUT_TRADE_NO_USED"},
	"MCHID_NOT_EXIST":       {http.StatusBadRequest, "MCH_NOT_EXISTS"},
	refuseApp.code:          {http.StatusBadRequest, "APPID_MCHID_NOT_MATCH"},
	refuseUnknown.code:      {http.StatusNotFound, "ORDER_NOT_EXIST"},
	refuseOtherRefund.code:  {http.StatusBadRequest, "INVALID_REQUEST"},
	refuseOverdue.code:      {http.StatusBadRequest, "INVALID_REQUEST"},
	refuseFunds.code:        {http.StatusForbidden, "NOT_ENOUGH"},
	refuseNoRefund.code:     {http.StatusNotFound, "RESOURCE_NOT_EXISTS"},
	refuseNoBill.code:       {http.StatusBadRequest, "NO_STATEMENT_EXIST"},
	refuseBillCreating.code: {http.StatusBadRequest, "STATEMENT_CREATING"},
	refuseSignature.code:    {http.StatusUnauthorized, "SIGN_ERROR"},
}

var refuseSignature = refusal{"SIGNERROR", "wrong signature"}

// v3Time returns the time as version 3 writes it.
func v3Time(at time.Time) string { return at.In(beijing).Format(time.RFC3339) }

// serveV3 reads a request of version 3, processes and answers it, and applies pending tricks.
func (s *Server) serveV3(op Operation, prepare v3Operation) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", s.now().Format(http.TimeFormat)) // by the clock that judges the request
		asked, err := s.readV3(w, r)
		if err != nil {
			// The sender is unknown, so the answer has no signature.
			s.cfg.Log.Warn("sandbox: request rejected", "operation", op, "cause", err)
			s.refused(err).send(w)
			return
		}
		var trick Misbehaviour
		var reply any
		no, process, err := "", (func(Trick) (any, error))(nil), asked.followsRules(s)
		if err == nil {
			no, process, err = prepare(asked)
		}
		if err == nil {
			trick = s.nextMisbehaviour(op, no)
			err = trick.instead(r.Context())
		}
		if err == nil {
			reply, err = process(trick.Do)
		}
		if err == nil {
			err = trick.afterwards()
		}
		answer := s.answerV3(reply, err, r.Header.Get("Wechatpay-Serial"), trick)
		s.cfg.Log.Info("sandbox: request", "operation", op, "no", no, "trick", trick.Do, "status", answer.status, "cause", err)
		if !s.holdResponse(r.Context(), trick) {
			trick = Misbehaviour{Do: Reset}
		}
		answer.sendWith(w, trick)
	}
}

// readV3 returns a request of the merchant. Its error is sent without a signature.
func (s *Server) readV3(w http.ResponseWriter, r *http.Request) (v3Request, error) {
	body, err := readBody(w, r)
	if err != nil {
		return v3Request{}, refusal{"PARAM_ERROR", "the body can't be read or is too large"}
	}
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return v3Request{}, refusal{refuseSignature.code, "one Authorization is needed"}
	}
	err = s.authorize(headers[0], r.Method, r.RequestURI, body)
	if _, is := errors.AsType[refusal](err); err != nil && !is {
		err = refusal{refuseSignature.code, err.Error()}
	}
	return v3Request{r, body}, err
}

// followsRules returns a refusal of a request that breaks the rules for headers.
func (r v3Request) followsRules(s *Server) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	accepts := r.Header.Get("Accept")
	serial := r.Header.Get("Wechatpay-Serial")
	switch {
	case r.Header.Get("User-Agent") == "":
		return missingParam("User-Agent")
	case !strings.Contains(accepts, "application/json") && !strings.Contains(accepts, "*/*"):
		return invalidParam("Accept", "must have application/json")
	case len(r.body) > 0 && kind != "application/json":
		return invalidParam("Content-Type", "must be application/json")
	case r.Method == http.MethodGet && len(r.body) > 0:
		return invalidParam("the body", "must be empty")
	case serial != "" && !s.knowsKey(serial):
		return invalidParam("Wechatpay-Serial", "is of no key of the wallet")
	}
	return nil
}

// hasQuery returns a refusal unless the query has the needed fields and no others, each once.
func (r v3Request) hasQuery(needed ...string) error { return r.hasQueryOr(nil, needed...) }

// hasQueryOr is hasQuery with fields that may be missing.
func (r v3Request) hasQueryOr(optional []string, needed ...string) error {
	query := r.URL.Query()
	for _, name := range needed {
		if len(query[name]) != 1 || query.Get(name) == "" {
			return missingParam(name)
		}
		delete(query, name)
	}
	for _, name := range optional {
		if len(query[name]) > 1 {
			return invalidParam(name, "is repeated")
		}
		delete(query, name)
	}
	for name := range query {
		return invalidParam(name, "is not a field of this request")
	}
	return nil
}

// isOf returns a refusal unless the request names the merchant.
func (s *Server) isOf(merchant string) error {
	if merchant != s.cfg.MerchantID {
		return refusal{"MCHID_NOT_EXIST", "unknown mchid"}
	}
	return nil
}

// refused returns the answer that tells the error, without a signature.
func (s *Server) refused(err error) v3Answer {
	no, is := errors.AsType[refusal](err)
	said, known := v3Codes[no.code]
	if !is || !known {
		s.cfg.Log.Error("sandbox: processing a request failed", "cause", err)
		no, said = errSystem, v3Codes[errSystem.code]
	}
	return v3Answer{said.status, jsonHeader(), marshal(object{"code": said.code, "message": no.text})}
}

func jsonHeader() http.Header {
	return http.Header{"Content-Type": {"application/json; charset=utf-8"}}
}

// answerV3 returns the answer to a request, signed as the trick demands. preferred is the key
// that the merchant asks for.
func (s *Server) answerV3(reply any, err error, preferred string, trick Misbehaviour) v3Answer {
	raw, isRaw := reply.(unsigned)
	switch {
	case err == nil && isRaw:
		return v3Answer{http.StatusOK, http.Header{"Content-Type": {"application/octet-stream"}}, raw}
	case err != nil:
		answer := s.refused(err)
		s.signV3(answer.header, answer.body, preferred, trick)
		return answer
	case reply == nil:
		answer := v3Answer{status: http.StatusNoContent, header: http.Header{}}
		s.signV3(answer.header, nil, preferred, trick)
		return answer
	}
	answer := v3Answer{http.StatusOK, jsonHeader(), marshal(reply)}
	s.signV3(answer.header, answer.body, preferred, trick)
	return answer
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

// send writes the answer.
func (a v3Answer) send(w http.ResponseWriter) {
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // fails only when the client has disconnected
}

// sendWith writes the answer, or the trick's bad one.
func (a v3Answer) sendWith(w http.ResponseWriter, trick Misbehaviour) {
	switch trick.Do {
	case Reset:
		reset(w)
	case Garbage:
		garbage(w)
	case Truncate:
		a.body = a.body[:len(a.body)/2]
		a.send(w)
	default:
		a.send(w)
	}
}
