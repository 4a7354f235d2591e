package sandbox

import (
	"errors"
	"net/http"
)

// billFields are the fields of a request for a bill with their maximum lengths.
var billFields = map[string]int{"bill_date": 8, "bill_type": 8, "tar_type": 8}

// noBill is the code of version 2 of a bill that does not exist, or not yet.
const noBill = "20002"

// downloadBill answers with the bill of a day itself.
func (s *Server) downloadBill(w http.ResponseWriter, r *http.Request) {
	asked, err := s.read(w, r)
	var trick Misbehaviour
	var content []byte
	if err == nil {
		trick = s.nextMisbehaviour(TradeBill, "")
		err = trick.instead(r.Context())
	}
	if err == nil {
		content, err = s.billV2(asked, trick.Do)
	}
	if err == nil {
		err = trick.afterwards()
	}
	s.cfg.Log.Info("sandbox: request", "operation", TradeBill, "day", asked["bill_date"], "trick", trick.Do, "cause", err)
	if err != nil {
		content = render(s.billRefusal(err))
	}
	if !s.holdResponse(r.Context(), trick) {
		trick = Misbehaviour{Do: Reset}
	}
	v3Answer{http.StatusOK, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, content}.sendWith(w, trick)
}

func (s *Server) billV2(asked fields, trick Trick) ([]byte, error) {
	if err := s.check(asked, billFields, "bill_date"); err != nil {
		return nil, err
	}
	text, err := s.bill("20060102", asked["bill_date"], asked["bill_type"], trick)
	if err != nil {
		return nil, err
	}
	return packed(text, asked["tar_type"])
}

// billRefusal returns the fields of a refusal, which has no signature.
func (s *Server) billRefusal(err error) fields {
	no, is := errors.AsType[refusal](err)
	if !is {
		s.cfg.Log.Error("sandbox: processing a request failed", "cause", err)
		no = errSystem
	}
	switch no {
	case refuseNoBill, refuseBillCreating:
		return fields{"return_code": "FAIL", "return_msg": no.code, "error_code": noBill}
	case errSystem:
		return fields{"return_code": "FAIL", "return_msg": no.code, "error_code": "100"}
	}
	return fields{"return_code": "FAIL", "return_msg": no.Error(), "error_code": "20001"}
}
