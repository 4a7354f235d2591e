package wechatpay

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"strconv"
	"strings"

	"plaza/domain/secret"
)

// minKeyBits is the least length of an RSA key, the wallet's and the merchant's.
const minKeyBits = 2048

// signer signs with the merchant's private key. However it is printed, the key does not show.
type signer struct {
	_   [0]func()
	key *rsa.PrivateKey
}

// Format prints a mask for every verb.
func (s signer) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "***") }

// parsePrivateKey returns the merchant's key, or nil if the text is no RSA key of minKeyBits or more.
func parsePrivateKey(text secret.String) *rsa.PrivateKey {
	block, _ := pem.Decode([]byte(text.Reveal()))
	if block == nil {
		return nil
	}
	parse := x509.ParsePKCS8PrivateKey
	if block.Type == "RSA PRIVATE KEY" {
		parse = func(der []byte) (any, error) { return x509.ParsePKCS1PrivateKey(der) }
	}
	parsed, err := parse(block.Bytes)
	key, is := parsed.(*rsa.PrivateKey)
	if err != nil || !is || key.N.BitLen() < minKeyBits {
		return nil
	}
	return key
}

// parsePublicKey returns the wallet's public key, or nil if the text is no RSA key of minKeyBits or more.
func parsePublicKey(text secret.String) *rsa.PublicKey {
	block, _ := pem.Decode([]byte(text.Reveal()))
	if block == nil {
		return nil
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	key, is := parsed.(*rsa.PublicKey)
	if err != nil || !is || key.N.BitLen() < minKeyBits {
		return nil
	}
	return key
}

// signedText returns the text to sign: each line ends with a newline, the last one included.
func signedText(lines ...string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

// sign returns the signature of the lines in base64: RSA PKCS #1 v1.5 over SHA-256.
func (s signer) sign(lines ...string) (string, error) {
	sum := sha256.Sum256(signedText(lines...))
	signature, err := rsa.SignPKCS1v15(nil, s.key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("signing with the merchant's private key: %w", err)
	}
	return base64.StdEncoding.EncodeToString(signature), nil
}

// authorise returns the header Authorization of a request. The URI is the path with the query as they
// are sent, escaped. The time is the present: the wallet takes no signature that is older than
// five minutes.
func (g *V3) authorise(method, uri string, body []byte) (string, error) {
	timestamp, nonce := strconv.FormatInt(g.now().Unix(), 10), g.nonce()
	signature, err := g.signer.sign(method, uri, timestamp, nonce, string(body))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`WECHATPAY2-SHA256-RSA2048 mchid="%s",nonce_str="%s",timestamp="%s",serial_no="%s",signature="%s"`,
		g.merchant, nonce, timestamp, g.serial, signature), nil
}
