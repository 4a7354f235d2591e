package sandbox

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits and words of version 3.
const (
	v3Scheme        = "WECHATPAY2-SHA256-RSA2048"
	clockSkew       = 5 * time.Minute
	maxNonces       = 100_000               // one more replaces them all
	maxBills        = 16                    // that wait to be downloaded; one more replaces them all
	probe           = "WECHATPAY/SIGNTEST/" // begins signatures with which the wallet tries whether a merchant verifies them
	certificateLife = 5 * 365 * 24 * time.Hour
)

// object is a JSON object.
type object map[string]any

// v3 is version 3 of the protocol.
type v3 struct {
	*wallet
	keys platformKeys

	mu     sync.Mutex // guards the fields below
	nonces map[string]bool
	bills  map[string][]byte // by token
}

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

// authorize returns why the request is not the merchant's, or nil.
func (v *v3) authorize(r *http.Request, body []byte) error {
	headers := r.Header.Values("Authorization")
	if len(headers) != 1 {
		return errors.New("one Authorization is needed")
	}
	a, err := parseAuthorization(headers[0])
	if err == nil {
		err = v.check(a, authorizationForm)
	}
	if err != nil {
		return err
	}
	serial, _ := new(big.Int).SetString(a["serial_no"], 16)
	signature, err := base64.StdEncoding.Strict().DecodeString(a["signature"])
	switch {
	case v.ledger.Now().Sub(time.Unix(a.number("timestamp"), 0)).Abs() > clockSkew:
		return fmt.Errorf("timestamp is more than %v away from the wallet's clock", clockSkew)
	case serial.Cmp(v.MerchantCert.SerialNumber) != 0:
		return errors.New("serial_no is not that of the merchant's certificate")
	case err != nil:
		return errors.New("signature is not base64")
	}
	key, _ := v.MerchantCert.PublicKey.(*rsa.PublicKey) // checked by New
	sum := hashed(r.Method, r.RequestURI, a["timestamp"], a["nonce_str"], string(body))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) != nil {
		return errSignature
	}
	return v.useNonce(a["nonce_str"])
}

// useNonce returns an error if the nonce was used before.
func (v *v3) useNonce(nonce string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.nonces[nonce] {
		return errors.New("nonce_str was used before")
	}
	if len(v.nonces) >= maxNonces {
		clear(v.nonces)
	}
	v.nonces[nonce] = true
	return nil
}

// platformKey is a key of the wallet. A key with a certificate has its serial number, another one an ID.
type platformKey struct {
	*rsa.PrivateKey
	serial string
	cert   *x509.Certificate
}

// platformKeys are the wallet's keys. A key that is used seldom is made when it is needed first.
type platformKeys struct {
	listed *platformKey        // with a certificate
	public func() *platformKey // without a certificate
}

// newPlatformKeys uses the given keys before it makes new ones.
func newPlatformKeys(given []*rsa.PrivateKey, now time.Time) (k platformKeys, err error) {
	key := func(i int) *rsa.PrivateKey {
		if i < len(given) {
			return given[i]
		}
		made, _ := rsa.GenerateKey(rand.Reader, keyBits) // the size is possible
		return made
	}
	k.public = sync.OnceValue(func() *platformKey {
		made := key(1)
		digits := new(big.Int).SetBytes(digest(made)[:8]).String()
		return &platformKey{made, "PUB_KEY_ID_01" + fmt.Sprintf("%026s", digits), nil}
	})
	k.listed, err = certify(key(0), now)
	return k, err
}

// PublicKey returns the wallet's public key and its ID, for the merchant's configuration.
func (k platformKeys) PublicKey() (id string, text []byte) {
	key := k.public()
	der, _ := x509.MarshalPKIXPublicKey(key.Public()) // it knows this kind of key
	return key.serial, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// digest identifies a key.
func digest(key *rsa.PrivateKey) []byte {
	sum := sha256.Sum256(key.N.Bytes())
	return sum[:]
}

// certify signs a certificate of the key with the key itself.
func certify(key *rsa.PrivateKey, now time.Time) (*platformKey, error) {
	number := digest(key)[:20]
	number[0] = 0x40 | number[0]&0x3f // neither negative nor shorter than 40 digits
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(number), Subject: pkix.Name{CommonName: "Wallet sandbox"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certificateLife), KeyUsage: x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	template.Raw = der
	return &platformKey{key, fmt.Sprintf("%X", number), template}, nil
}

// signer returns the key for a message. preferred is the serial number or ID of a key that the merchant asks for, or empty.
func (v *v3) signer(preferred string) platformKey {
	isPublic := v.KeyMode == PublicKey
	if preferred != "" && v.knowsKey(preferred) {
		isPublic = preferred != v.keys.listed.serial
	}
	if isPublic {
		return *v.keys.public()
	}
	return *v.keys.listed
}

// knowsKey reports whether the wallet has a key with the serial number or ID.
func (v *v3) knowsKey(serial string) bool {
	return serial == v.keys.listed.serial || serial == v.keys.public().serial
}

// hashed returns the hash of the lines, each of which ends with a line end.
func hashed(lines ...string) [sha256.Size]byte {
	return sha256.Sum256([]byte(strings.Join(lines, "\n") + "\n"))
}

func (k platformKey) sign(lines ...string) string {
	sum := hashed(lines...)
	signature, err := rsa.SignPKCS1v15(rand.Reader, k.PrivateKey, crypto.SHA256, sum[:])
	if err != nil {
		panic(err) // of a key that is too short
	}
	return base64.StdEncoding.EncodeToString(signature)
}

// seal encrypts the text under the merchant's key of version 3.
func (v *v3) seal(text []byte, associated string) object {
	block, _ := aes.NewCipher([]byte(v.V3Key.Reveal())) // New has checked the key
	gcm, _ := cipher.NewGCM(block)                      // AES has the blocks that it needs
	nonce := rand.Text()[:gcm.NonceSize()]
	return object{
		"algorithm": "AEAD_AES_256_GCM", "nonce": nonce, "associated_data": associated,
		"ciphertext": base64.StdEncoding.EncodeToString(gcm.Seal(nil, []byte(nonce), text, []byte(associated))),
	}
}

// sign sets the headers that sign the message, as the trick demands. preferred is the serial number or ID of a key that the
// merchant asks for, or empty.
func (v *v3) sign(m message, preferred string, trick Misbehaviour) {
	at, nonce := v.ledger.Now(), rand.Text()
	if trick.Do == Old {
		at = at.Add(-clockSkew - time.Second)
	}
	timestamp := strconv.FormatInt(at.Unix(), 10)
	key := v.signer(preferred)
	if trick.Do == OtherSerial {
		key.serial = fmt.Sprintf("%X", digest(key.PrivateKey)[12:])
	}
	signature := key.sign(timestamp, nonce, string(m.body))
	switch trick.Do {
	case Forge:
		signature = key.sign(timestamp, nonce, string(m.body)+" ")
	case Probe:
		signature = probe + signature[len(probe):]
	}
	m.header.Set("Wechatpay-Timestamp", timestamp)
	m.header.Set("Wechatpay-Nonce", nonce)
	m.header.Set("Wechatpay-Serial", key.serial)
	m.header.Set("Wechatpay-Signature", signature)
	m.header.Set("Wechatpay-Signature-Type", v3Scheme)
	m.header.Set("Request-ID", nonce[:16])
}
