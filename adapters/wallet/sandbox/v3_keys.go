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
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"slices"
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
	maxCertificates = 10
)

// platformKey is a key of the wallet. A key with a certificate has its serial number, another one
// an ID.
type platformKey struct {
	*rsa.PrivateKey
	serial string
	cert   *x509.Certificate
}

// platformKeys are the wallet's keys. A key is made when it is needed first.
type platformKeys struct {
	mu     sync.Mutex
	given  []*rsa.PrivateKey // used before new ones are made
	mode   KeyMode
	public *platformKey
	listed []*platformKey // with certificates; the last one signs
	former *platformKey   // the one that was retired last
}

// next returns a key that was not used before. The caller must hold the lock.
func (k *platformKeys) next() *rsa.PrivateKey {
	if len(k.given) > 0 {
		key := k.given[0]
		k.given = k.given[1:]
		return key
	}
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		panic(err) // of an impossible size
	}
	return key
}

// PublicKey returns the wallet's public key and its ID, for the merchant's configuration.
func (s *Server) PublicKey() (id string, text []byte) {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	key := s.keys.publicKey()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		panic(err) // of an unknown kind of key
	}
	return key.serial, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// publicKey returns the key without a certificate. The caller must hold the lock.
func (k *platformKeys) publicKey() *platformKey {
	if k.public == nil {
		key := k.next()
		digits := new(big.Int).SetBytes(digest(key)[:8]).String()
		k.public = &platformKey{key, publicKeyPrefix + "01" + fmt.Sprintf("%026s", digits), nil}
	}
	return k.public
}

// digest identifies a key.
func digest(key *rsa.PrivateKey) []byte {
	sum := sha256.Sum256(key.N.Bytes())
	return sum[:]
}

// SignWith chooses the keys with which the wallet signs from now on.
func (s *Server) SignWith(mode KeyMode) error {
	if mode != Certificates && mode != PublicKey {
		return fmt.Errorf("no such keys: %q", mode)
	}
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	s.keys.mode = mode
	return nil
}

// Rotate makes a key with a new certificate, which signs at once. The former certificates are
// listed until Retire.
func (s *Server) Rotate() error {
	now := s.now()
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	if len(s.keys.listed) >= maxCertificates {
		return fmt.Errorf("there are %d certificates: retire the former ones first", maxCertificates)
	}
	key, err := certify(s.keys.next(), now, s.cfg.CertificateLife)
	if err != nil {
		return err
	}
	s.keys.listed = append(s.keys.listed, key)
	return nil
}

// Retire removes all certificates but the newest from the list.
func (s *Server) Retire() {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	if n := len(s.keys.listed); n > 1 {
		s.keys.former = s.keys.listed[n-2]
		s.keys.listed = slices.Clone(s.keys.listed[n-1:])
	}
}

// certify signs a certificate of the key with the key itself.
func certify(key *rsa.PrivateKey, now time.Time, life time.Duration) (*platformKey, error) {
	number := digest(key)[:20]
	number[0] = 0x40 | number[0]&0x3f // neither negative nor shorter than 40 digits
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(number), Subject: pkix.Name{CommonName: "Wallet sandbox"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(life), KeyUsage: x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("making a certificate: %w", err)
	}
	return &platformKey{key, fmt.Sprintf("%X", number), cert}, nil
}

// signer returns the key for a message. preferred is the serial number or ID of a key that the
// merchant asks for, or empty. The trick chooses a key that the merchant must not accept.
func (s *Server) signer(preferred string, trick Trick) *platformKey {
	now := s.now()
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	k := &s.keys
	if trick == RetiredKey {
		if k.former == nil {
			key := k.next()
			k.former = &platformKey{key, fmt.Sprintf("%X", digest(key)[:20]), nil}
		}
		return k.former
	}
	key := k.listed[len(k.listed)-1]
	if k.mode == PublicKey {
		key = k.publicKey()
	}
	for _, other := range k.listed {
		if other.serial == preferred && now.Before(other.cert.NotAfter) {
			key = other
		}
	}
	if strings.HasPrefix(preferred, publicKeyPrefix) && k.publicKey().serial == preferred {
		key = k.publicKey()
	}
	if trick == OtherSerial {
		return &platformKey{key.PrivateKey, fmt.Sprintf("%X", digest(key.PrivateKey)[12:]), nil}
	}
	return key
}

// knowsKey reports whether the wallet has a key with the serial number or ID.
func (s *Server) knowsKey(serial string) bool {
	s.keys.mu.Lock()
	defer s.keys.mu.Unlock()
	return serial == s.keys.publicKey().serial ||
		slices.ContainsFunc(s.keys.listed, func(k *platformKey) bool { return k.serial == serial })
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

// certificates answers with the listed certificates, each encrypted.
func (s *Server) certificates(r v3Request) (string, func(Trick) (any, error), error) {
	return "", func(Trick) (any, error) {
		s.keys.mu.Lock()
		defer s.keys.mu.Unlock()
		data := []any{}
		for _, k := range s.keys.listed {
			text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: k.cert.Raw})
			data = append(data, object{
				"serial_no": k.serial, "effective_time": v3Time(k.cert.NotBefore), "expire_time": v3Time(k.cert.NotAfter),
				"encrypt_certificate": s.seal(text, "certificate"),
			})
		}
		return object{"data": data}, nil
	}, r.hasQuery()
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

// checkV3 returns the problems of the configuration of version 3.
func (c *Config) checkV3() error {
	if c.MerchantCert == nil {
		return nil
	}
	var wrong []error
	if key, is := c.MerchantCert.PublicKey.(*rsa.PublicKey); !is || key.Size()*8 < keyBits {
		wrong = append(wrong, fmt.Errorf("MerchantCert must have an RSA key of %d bits or more", keyBits))
	}
	if len(c.V3Key.Reveal()) != 32 {
		wrong = append(wrong, errors.New("V3Key must be 32 bytes"))
	}
	if c.KeyMode != "" && c.KeyMode != Certificates && c.KeyMode != PublicKey {
		wrong = append(wrong, errors.New("KeyMode is unknown"))
	}
	if c.CertificateLife == 0 {
		c.CertificateLife = certificateLife
	}
	return errors.Join(wrong...)
}

func marshal(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		panic(err) // of a value that JSON does not have
	}
	return body
}
