package sandbox

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Limits of what version 3 signs.
const (
	v3Scheme     = "WECHATPAY2-SHA256-RSA2048"
	clockSkew    = 5 * time.Minute
	nonceLife    = 10 * time.Minute
	maxNonces    = 100_000
	maxSignature = 1024
)

// authorization is the header with which the merchant signs a request.
type authorization struct {
	merchant, nonce, timestamp, serial, signature string
}

var (
	authorizationField = regexp.MustCompile(`^([a-z_]+)="([^"]*)"$`)
	wholeSeconds       = regexp.MustCompile(`^[1-9][0-9]{0,9}$`)
	nonceText          = regexp.MustCompile(`^[0-9A-Za-z]{1,32}$`)
	hexadecimal        = regexp.MustCompile(`^[0-9A-F]{1,40}$`)
)

// parseAuthorization reads the header. It accepts each field exactly once, in any order.
func parseAuthorization(header string) (authorization, error) {
	scheme, rest, _ := strings.Cut(header, " ")
	if scheme != v3Scheme {
		return authorization{}, errors.New("the scheme must be " + v3Scheme)
	}
	var a authorization
	fields := map[string]*string{
		"mchid": &a.merchant, "nonce_str": &a.nonce, "timestamp": &a.timestamp, "serial_no": &a.serial, "signature": &a.signature,
	}
	for text := range strings.SplitSeq(rest, ",") {
		parts := authorizationField.FindStringSubmatch(text)
		if parts == nil {
			return authorization{}, errors.New("fields must be name=\"value\", with commas between them")
		}
		field := fields[parts[1]]
		if field == nil || *field != "" || parts[2] == "" {
			return authorization{}, fmt.Errorf("%s is unknown, repeated or empty", parts[1])
		}
		*field = parts[2]
	}
	for name, field := range fields {
		if *field == "" {
			return authorization{}, fmt.Errorf("%s is missing", name)
		}
	}
	return a, nil
}

// authorize returns why the request is not the merchant's, or nil. uri is the path and the query
// as they were sent.
func (s *Server) authorize(header, method, uri string, body []byte) error {
	a, err := parseAuthorization(header)
	if err != nil {
		return err
	}
	now := s.now()
	seconds, _ := strconv.ParseInt(a.timestamp, 10, 64) // checked to have at most ten digits
	serial, _ := new(big.Int).SetString(a.serial, 16)
	signature, err := base64.StdEncoding.Strict().DecodeString(a.signature)
	switch {
	case a.merchant != s.cfg.MerchantID:
		return errors.New("unknown mchid")
	case !nonceText.MatchString(a.nonce):
		return errors.New("nonce_str must be 1 to 32 letters and digits")
	case !wholeSeconds.MatchString(a.timestamp):
		return errors.New("timestamp must be the seconds since 1970")
	case now.Sub(time.Unix(seconds, 0)).Abs() > clockSkew:
		return fmt.Errorf("timestamp is more than %v away from the wallet's clock", clockSkew)
	case !hexadecimal.MatchString(a.serial) || serial.Cmp(s.cfg.MerchantCert.SerialNumber) != 0:
		return errors.New("serial_no is not that of the merchant's certificate")
	case err != nil || len(signature) > maxSignature:
		return errors.New("signature is not base64")
	}
	signed := method + "\n" + uri + "\n" + a.timestamp + "\n" + a.nonce + "\n" + string(body) + "\n"
	key, _ := s.cfg.MerchantCert.PublicKey.(*rsa.PublicKey) // checked by New
	sum := sha256.Sum256([]byte(signed))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) != nil {
		return errors.New("wrong signature")
	}
	return s.useNonce(a.nonce, now)
}

// useNonce returns an error if the nonce was used within the last ten minutes.
func (s *Server) useNonce(nonce string, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.nonceOrder) > 0 && now.Sub(s.nonces[s.nonceOrder[0]]) >= nonceLife {
		delete(s.nonces, s.nonceOrder[0])
		s.nonceOrder = s.nonceOrder[1:]
	}
	if _, used := s.nonces[nonce]; used {
		return errors.New("nonce_str was used before")
	}
	if len(s.nonces) >= maxNonces {
		return errCrowded
	}
	s.nonces[nonce] = now
	s.nonceOrder = append(s.nonceOrder, nonce)
	return nil
}
