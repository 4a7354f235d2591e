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
	"fmt"
	"math/big"
	"strings"
	"sync"
	"time"
)

// KeyMode says with which of its keys the wallet signs version 3.
type KeyMode string

// The modes. An answer to a request that names one of the keys in Wechatpay-Serial is signed with
// that key.
const (
	Certificates KeyMode = "certificate"
	PublicKey    KeyMode = "public_key"
)

const (
	keyBits         = 2048
	certificateLife = 5 * 365 * 24 * time.Hour
	publicKeyPrefix = "PUB_KEY_ID_"
)

// platformKey is a key of the wallet. A key with a certificate has its serial number, another one
// an ID.
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
		made, err := rsa.GenerateKey(rand.Reader, keyBits)
		if err != nil {
			panic(err) // of an impossible size
		}
		return made
	}
	k.public = sync.OnceValue(func() *platformKey {
		made := key(1)
		digits := new(big.Int).SetBytes(digest(made)[:8]).String()
		return &platformKey{made, publicKeyPrefix + "01" + fmt.Sprintf("%026s", digits), nil}
	})
	k.listed, err = certify(key(0), now)
	return k, err
}

// PublicKey returns the wallet's public key and its ID, for the merchant's configuration.
func (s *Server) PublicKey() (id string, text []byte) {
	key := s.keys.public()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		panic(err) // of an unknown kind of key
	}
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

// signer returns the key for a message. preferred is the serial number or ID of a key that the
// merchant asks for, or empty. With OtherSerial, the key has a serial number that is not listed.
func (s *Server) signer(preferred string, trick Trick) *platformKey {
	isPublic := s.cfg.KeyMode == PublicKey
	if preferred != "" && s.knowsKey(preferred) {
		isPublic = preferred != s.keys.listed.serial
	}
	key := s.keys.listed
	if isPublic {
		key = s.keys.public()
	}
	if trick == OtherSerial {
		return &platformKey{key.PrivateKey, fmt.Sprintf("%X", digest(key.PrivateKey)[12:]), nil}
	}
	return key
}

// knowsKey reports whether the wallet has a key with the serial number or ID.
func (s *Server) knowsKey(serial string) bool {
	return serial == s.keys.listed.serial || serial == s.keys.public().serial
}

// sign returns the signature over the lines, each of which ends with a line end.
func (k *platformKey) sign(lines ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n") + "\n"))
	signature, err := rsa.SignPKCS1v15(rand.Reader, k.PrivateKey, crypto.SHA256, sum[:])
	if err != nil {
		panic(err) // of a key that is too short
	}
	return base64.StdEncoding.EncodeToString(signature)
}

// certificates answers with the list of certificates, which has one, encrypted.
func (s *Server) certificates(*request) (any, error) {
	k := s.keys.listed
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: k.cert.Raw})
	return object{"data": []object{{
		"serial_no": k.serial, "effective_time": v3Time(k.cert.NotBefore), "expire_time": v3Time(k.cert.NotAfter),
		"encrypt_certificate": s.seal(text, "certificate"),
	}}}, nil
}

// seal encrypts the text under the merchant's key of version 3.
func (s *Server) seal(text []byte, associated string) object {
	block, err := aes.NewCipher([]byte(s.cfg.V3Key.Reveal()))
	if err != nil {
		panic(err) // New has checked the key
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // of a cipher with other blocks
	}
	nonce := s.nonce(gcm.NonceSize() / 2)
	return object{
		"algorithm": "AEAD_AES_256_GCM", "nonce": nonce, "associated_data": associated,
		"ciphertext": base64.StdEncoding.EncodeToString(gcm.Seal(nil, []byte(nonce), text, []byte(associated))),
	}
}
