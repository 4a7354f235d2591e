package wechatpay

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"strings"

	"plaza/domain/secret"
)

type signType string

// The gateway signs with HMAC-SHA256. The wallet may answer with MD5, the protocol's
// default.
const (
	hmacSHA256 signType = "HMAC-SHA256"
	md5Sum     signType = "MD5"
)

// canonical returns the text to sign: all fields with a value, sorted by name.
func (m xmlMessage) canonical(key secret.String) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name != "sign" && m[name] != "" {
			b.WriteString(name + "=" + m[name] + "&")
		}
	}
	b.WriteString("key=" + key.Reveal())
	return b.String()
}

func (m xmlMessage) signature(key secret.String, t signType) string {
	sum := md5.New()
	if t == hmacSHA256 {
		sum = hmac.New(sha256.New, []byte(key.Reveal()))
	}
	sum.Write([]byte(m.canonical(key)))
	return strings.ToUpper(hex.EncodeToString(sum.Sum(nil)))
}

func (m xmlMessage) sign(key secret.String) xmlMessage {
	m["sign_type"] = string(hmacSHA256)
	m["sign"] = m.signature(key, hmacSHA256)
	return m
}

// verify returns the signature type if the signature covers all received fields. A message
// without a type may be signed with either.
func (m xmlMessage) verify(key secret.String) (signType, error) {
	types := []signType{hmacSHA256, md5Sum}
	switch named := signType(m["sign_type"]); named {
	case "":
	case hmacSHA256, md5Sum:
		types = []signType{named}
	default:
		return "", errors.New("unknown signature type")
	}
	for _, t := range types {
		if subtle.ConstantTimeCompare([]byte(m["sign"]), []byte(m.signature(key, t))) == 1 {
			return t, nil
		}
	}
	return "", errors.New("wrong signature")
}
