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

// signType is how a message is signed.
type signType string

// The protocol's ways to sign. What we send is signed with HMAC-SHA256; MD5 is its default,
// which the wallet may go back to.
const (
	hmacSHA256 signType = "HMAC-SHA256"
	md5Sum     signType = "MD5"
)

// canonical is what is signed: all fields that have a value, in the order of their names.
func (m message) canonical(key secret.String) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name != "sign" && m[name] != "" {
			b.WriteString(name + "=" + m[name] + "&")
		}
	}
	b.WriteString("key=" + key.Reveal())
	return b.String()
}

func (m message) signature(key secret.String, t signType) string {
	sum := md5.New()
	if t == hmacSHA256 {
		sum = hmac.New(sha256.New, []byte(key.Reveal()))
	}
	sum.Write([]byte(m.canonical(key)))
	return strings.ToUpper(hex.EncodeToString(sum.Sum(nil)))
}

// sign adds the signature, and how it is made.
func (m message) sign(key secret.String) message {
	m["sign_type"] = string(hmacSHA256)
	m["sign"] = m.signature(key, hmacSHA256)
	return m
}

// verify is nil when the signature is right for all fields that came.
func (m message) verify(key secret.String) error {
	_, err := m.signedBy(key)
	return err
}

// signedBy returns how the message is signed, if the signature is right for all fields that
// came. A message that does not say how it is signed may be signed in any way.
func (m message) signedBy(key secret.String) (signType, error) {
	types := []signType{hmacSHA256, md5Sum}
	switch named := signType(m["sign_type"]); named {
	case "":
	case hmacSHA256, md5Sum:
		types = []signType{named}
	default:
		return "", errors.New("it is signed in an unknown way")
	}
	for _, t := range types {
		if subtle.ConstantTimeCompare([]byte(m["sign"]), []byte(m.signature(key, t))) == 1 {
			return t, nil
		}
	}
	return "", errors.New("its signature is wrong")
}
