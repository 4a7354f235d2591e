package sandbox

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"strings"
	"time"
)

// Limits of what version 3 signs.
const (
	v3Scheme  = "WECHATPAY2-SHA256-RSA2048"
	clockSkew = 5 * time.Minute
	nonceLife = 10 * time.Minute
	maxNonces = 100_000 // older ones are then forgotten
)

// authorizationForm has the fields of the header with which the merchant signs a request.
var authorizationForm = form{needed: limits{"mchid": 32, "nonce_str": 32, "timestamp": 10, "serial_no": 40, "signature": 1024}}

var authorizationField = regexp.MustCompile(`^([a-z_]+)="([^"]+)"$`)

// parseAuthorization reads the header. It accepts each field once, in any order.
func parseAuthorization(header string) (fields, error) {
	text, is := strings.CutPrefix(header, v3Scheme+" ")
	if !is {
		return nil, errors.New("the scheme must be " + v3Scheme)
	}
	a := fields{}
	for field := range strings.SplitSeq(text, ",") {
		parts := authorizationField.FindStringSubmatch(field)
		if parts == nil || a[parts[1]] != "" {
			return nil, errors.New("fields must be name=\"value\", each once, with commas between them")
		}
		a[parts[1]] = parts[2]
	}
	return a, nil
}

// authorize returns why the request is not the merchant's, or nil. uri is the path and the query
// as they were sent.
func (s *Server) authorize(header, method, uri string, body []byte) error {
	a, err := parseAuthorization(header)
	if err == nil {
		err = s.check(a, authorizationForm)
	}
	if err != nil {
		return err
	}
	now := s.now()
	serial, _ := new(big.Int).SetString(a["serial_no"], 16)
	signature, err := base64.StdEncoding.Strict().DecodeString(a["signature"])
	switch {
	case now.Sub(time.Unix(a.number("timestamp"), 0)).Abs() > clockSkew:
		return fmt.Errorf("timestamp is more than %v away from the wallet's clock", clockSkew)
	case serial.Cmp(s.cfg.MerchantCert.SerialNumber) != 0:
		return errors.New("serial_no is not that of the merchant's certificate")
	case err != nil:
		return errors.New("signature is not base64")
	}
	signed := method + "\n" + uri + "\n" + a["timestamp"] + "\n" + a["nonce_str"] + "\n" + string(body) + "\n"
	key, _ := s.cfg.MerchantCert.PublicKey.(*rsa.PublicKey) // checked by New
	sum := sha256.Sum256([]byte(signed))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) != nil {
		return refuseSignature
	}
	return s.useNonce(a["nonce_str"], now)
}

// useNonce returns an error if the nonce was used within the last ten minutes.
func (s *Server) useNonce(nonce string, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, used := s.nonces[nonce]; used && now.Sub(at) < nonceLife {
		return errors.New("nonce_str was used before")
	}
	if len(s.nonces) >= maxNonces {
		maps.DeleteFunc(s.nonces, func(_ string, at time.Time) bool { return now.Sub(at) >= nonceLife })
	}
	if len(s.nonces) >= maxNonces {
		return errors.New("too many requests within ten minutes")
	}
	s.nonces[nonce] = now
	return nil
}
