package sandbox

import (
	"maps"
	"net"
	"net/http"
)

// serveV2 serves an operation of version 2.
func (s *Server) serveV2(op Operation, allowed form, do operation) http.HandlerFunc {
	allowed = allowed.with(limits{"appid": 32, "mch_id": 32, "nonce_str": 32, "sign": 64}, limits{"sign_type": 32})
	return s.serve(op, func(w http.ResponseWriter, r *request) (answer, error) {
		var reply any
		err := s.readV2(w, r)
		if err == nil {
			reply, err = s.process(r, allowed, do)
		}
		return s.answerV2(r, reply, err), err
	})
}

// readV2 reads a request of the merchant.
func (s *Server) readV2(w http.ResponseWriter, r *request) error {
	if r.operation == RefundOrder && !s.bringsCertificate(r.Request) {
		return refusal{"CERT_ERROR", "the merchant's certificate is needed"}
	}
	if r.Method != http.MethodPost {
		return refusal{"REQUIRE_POST_METHOD", "only POST is supported"}
	}
	body, err := readBody(w, r)
	if err != nil {
		return refusal{"POST_DATA_EMPTY", "the body can't be read or is too large"}
	}
	asked, err := parse(body)
	switch {
	case err != nil:
		return refusal{"XML_FORMAT_ERROR", err.Error()}
	case asked["mch_id"] != s.cfg.MerchantID:
		return refuseMerchant
	case !isSigned(asked, s.cfg.Key.Reveal()):
		return refuseSignature
	}
	r.asked = asked
	return nil
}

// bringsCertificate reports whether the client has the merchant's certificate, which the wallet
// demands for refunds. Without TLS there are no certificates: then the client must be on this
// machine.
func (s *Server) bringsCertificate(r *http.Request) bool {
	if r.TLS == nil {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		ip := net.ParseIP(host)
		return err == nil && ip != nil && ip.IsLoopback()
	}
	brought := r.TLS.PeerCertificates
	return s.cfg.MerchantCert != nil && len(brought) > 0 && brought[0].Equal(s.cfg.MerchantCert)
}

// answerV2 returns the answer to a request: reply, or the refusal of err.
func (s *Server) answerV2(r *request, reply any, err error) answer {
	var no refusal
	if err != nil {
		no = s.asRefusal(err)
	}
	text, isText := reply.(content)
	switch {
	case r.operation == TradeBill && err != nil:
		return xmlAnswer(billRefusal(no))
	case isText:
		return answer{http.StatusOK, http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, text}
	case r.asked == nil: // the sender is unknown, so the answer has no signature
		return xmlAnswer(fields{"return_code": "FAIL", "return_msg": no.Error()})
	}
	all := fields{
		"return_code": "SUCCESS", "return_msg": "OK", "result_code": "SUCCESS",
		"appid": r.asked["appid"], "mch_id": s.cfg.MerchantID,
	}
	if err != nil {
		all["result_code"], all["err_code"], all["err_code_des"] = "FAIL", no.code, no.text
	} else {
		told, _ := reply.(fields)
		maps.Copy(all, told)
	}
	s.signed(all, r.asked["sign_type"])
	if r.trick.forges() {
		forge(all)
	}
	return xmlAnswer(all)
}

func xmlAnswer(f fields) answer {
	return answer{http.StatusOK, http.Header{"Content-Type": {"text/xml; charset=utf-8"}}, render(f)}
}
