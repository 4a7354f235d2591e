package wechatpay

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// certificates fetches the wallet's certificates by their serial numbers. Their trust rests on the encryption under the
// APIv3 key, which only the wallet and the merchant have, and on TLS. The answer must be signed with a key that is known
// or that is in the answer itself, as it is the first time.
func (g *V3) certificates(ctx context.Context, known keyFinder) (map[string]platformKey, error) {
	a, err := g.exchange(ctx, requestV3{method: http.MethodGet, target: "/v3/certificates"})
	if err != nil {
		return nil, err
	}
	if a.status != http.StatusOK {
		return nil, fmt.Errorf("status %d%s", a.status, a.clockHint(g.now()))
	}
	listed, err := g.readCertificates(a.body)
	if err != nil {
		return nil, err
	}
	_, err = verify(ctx, a.signedMessage, g.now(), func(ctx context.Context, serial string) (platformKey, error) {
		if key, is := listed[serial]; is && key.isValid(g.now()) {
			return key, nil
		}
		return known(ctx, serial)
	})
	if err != nil {
		return nil, err
	}
	return listed, nil
}

func (g *V3) readCertificates(body []byte) (map[string]platformKey, error) {
	answer, err := parseObject(body)
	if err != nil {
		return nil, err
	}
	entries := answer.list("data")
	if len(entries) == 0 || len(entries) > maxCertificates {
		return nil, errors.New("no certificates, or too many")
	}
	found := map[string]platformKey{}
	for _, entry := range entries {
		text, err := decryptResource(entry.object("encrypt_certificate"), g.key)
		if err != nil {
			return nil, err
		}
		key, err := parseCertificate(text, entry.text("serial_no"))
		if err != nil {
			return nil, err
		}
		found[entry.text("serial_no")] = key
	}
	return found, nil
}

// parseCertificate returns the key of a certificate that must have the serial number.
func parseCertificate(text []byte, serial string) (platformKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return platformKey{}, errors.New("a certificate is not PEM")
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return platformKey{}, errors.New("a certificate is malformed")
	}
	key, is := c.PublicKey.(*rsa.PublicKey)
	switch {
	case !is || key.N.BitLen() < minKeyBits:
		return platformKey{}, errors.New("a certificate's key is not RSA with 2,048 bits or more")
	case !isSerial(serial) || strings.TrimLeft(serial, "0") != fmt.Sprintf("%X", c.SerialNumber):
		return platformKey{}, errors.New("a certificate has another serial number than its entry")
	}
	return platformKey{mode: byCertificate, rsa: key, from: c.NotBefore, until: c.NotAfter}, nil
}
