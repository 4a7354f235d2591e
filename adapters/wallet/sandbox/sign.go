package sandbox

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Signature types of the wallet. MD5 is the default.
const (
	md5Sign  = "MD5"
	hmacSign = "HMAC-SHA256"
)

// sign returns the signature of all fields with a value, except the signature.
func sign(f fields, key, signType string) (string, error) {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if name != "sign" && f[name] != "" {
			text.WriteString(name + "=" + f[name] + "&")
		}
	}
	text.WriteString("key=" + key)
	switch signType {
	case "", md5Sign:
		return fmt.Sprintf("%X", md5.Sum([]byte(text.String()))), nil
	case hmacSign:
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(text.String()))
		return fmt.Sprintf("%X", mac.Sum(nil)), nil
	}
	return "", fmt.Errorf("unknown sign_type %q", signType)
}

// isSigned verifies the signature in constant time.
func isSigned(f fields, key string) bool {
	want, err := sign(f, key, f["sign_type"])
	return err == nil && hmac.Equal([]byte(want), []byte(f["sign"]))
}

// signed adds a nonce and the signature.
func (s *Server) signed(f fields, signType string) fields {
	f["nonce_str"] = s.nonce(16)
	f["sign"], _ = sign(f, s.cfg.Key.Reveal(), signType) // the type was checked on receipt
	return f
}

// forge gives the message a well-formed but wrong signature.
func forge(f fields) {
	first := "0"
	if strings.HasPrefix(f["sign"], first) {
		first = "1"
	}
	f["sign"] = first + f["sign"][1:]
}
