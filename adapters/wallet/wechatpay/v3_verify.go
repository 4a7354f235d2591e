package wechatpay

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Headers of a signed message, in lower case.
const (
	timestampHeader = "wechatpay-timestamp"
	nonceHeader     = "wechatpay-nonce"
	signatureHeader = "wechatpay-signature"
	serialHeader    = "wechatpay-serial"
)

var signedHeaders = []string{timestampHeader, nonceHeader, signatureHeader, serialHeader}

const (
	maxHeader   = 1024            // bytes of each of those headers
	clockWindow = 5 * time.Minute // between the time of a message and the clock, either way
	probePrefix = "WECHATPAY/SIGNTEST/"
)

// signedMessage is what the wallet says, in an answer or a notification.
type signedMessage struct {
	header map[string]string // the values by lower-case name; a header that came twice is absent
	body   []byte
}

func newMessage(h http.Header, body []byte) signedMessage {
	m := signedMessage{header: map[string]string{}, body: body}
	for _, name := range signedHeaders {
		if values := h.Values(name); len(values) == 1 {
			m.header[name] = values[0]
		}
	}
	return m
}

// isUnsigned reports whether the message has no part of a signature.
func (m signedMessage) isUnsigned() bool {
	for _, name := range signedHeaders {
		if m.header[name] != "" {
			return false
		}
	}
	return true
}

// keyFinder returns the wallet's key with the serial number, or the id, that a message names.
type keyFinder func(ctx context.Context, serial string) (platformKey, error)

// verify returns the key that has signed the message. It fails if the signature does not cover the message,
// is missing or is too old or too new. It may fetch certificates.
func verify(ctx context.Context, m signedMessage, now time.Time, find keyFinder) (platformKey, error) {
	for _, name := range signedHeaders {
		if value := m.header[name]; value == "" || len(value) > maxHeader {
			return platformKey{}, errors.New("missing or oversized header " + name)
		}
	}
	if strings.HasPrefix(m.header[signatureHeader], probePrefix) {
		return platformKey{}, errors.New("a probe with a wrong signature")
	}
	signature, err := decodeBase64(m.header[signatureHeader])
	if err != nil {
		return platformKey{}, errors.New("signature is not base64")
	}
	if err := checkTime(m.header[timestampHeader], now); err != nil {
		return platformKey{}, err
	}
	key, err := find(ctx, m.header[serialHeader])
	if err != nil {
		return platformKey{}, err
	}
	sum := sha256.Sum256(signedText(m.header[timestampHeader], m.header[nonceHeader], string(m.body)))
	if rsa.VerifyPKCS1v15(key.rsa, crypto.SHA256, sum[:], signature) != nil {
		return platformKey{}, errors.New("wrong signature")
	}
	return key, nil
}

// checkTime fails if the time of a message, in seconds since 1970, is too far from the clock's.
func checkTime(timestamp string, now time.Time) error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || !consists(timestamp, 12, digits) {
		return errors.New("timestamp is not a number of seconds")
	}
	if off := secondsBetween(time.Unix(seconds, 0), now); off > clockWindow {
		return fmt.Errorf("timestamp differs from this server's clock by %v: check the clock", off)
	}
	return nil
}

// secondsBetween returns the distance of the instants in whole seconds.
func secondsBetween(a, b time.Time) time.Duration {
	return time.Duration(max(a.Unix()-b.Unix(), b.Unix()-a.Unix())) * time.Second
}
