package sandbox

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"plaza/domain/secret"
)

// The files in the data directory that Plaza and the sandbox share: the key of version 2, and the key pair that Plaza
// signs version 3 with: a private key, and the certificate that the sandbox knows it by.
const (
	keyFile      = "wallet-sandbox.key"
	merchantFile = "wallet-sandbox-merchant.pem"
)

// KeyLength is the length of a key of both versions, in characters.
const KeyLength = 32

const (
	merchantBits = 2048
	merchantLife = 100 * 365 * 24 * time.Hour
)

// SharedKey returns the sandbox's key in the data directory. The first call creates a random
// key. Concurrent calls return the same key. Without a directory, each call returns another one.
func SharedKey(dataDir string) (secret.String, error) {
	create := func() ([]byte, error) { return []byte((rand.Text() + rand.Text())[:KeyLength] + "\n"), nil }
	return sharedFile(dataDir, keyFile, create, func(text []byte) (secret.String, error) {
		key := strings.TrimSpace(string(text))
		if len(key) != KeyLength {
			return secret.String{}, fmt.Errorf("has no key of %d characters", KeyLength)
		}
		return secret.New(key), nil
	})
}

// Merchant is the merchant of the sandbox in version 3.
type Merchant struct {
	Key  secret.String // as PEM
	Cert *x509.Certificate
}

// SharedMerchant returns the merchant in the data directory. The first call creates a random
// key pair. Concurrent calls return the same one. Without a directory, each call returns another one.
func SharedMerchant(dataDir string) (Merchant, error) {
	return sharedFile(dataDir, merchantFile, newMerchantFile, func(text []byte) (Merchant, error) {
		pair, err := tls.X509KeyPair(text, text)
		key, _ := pem.Decode(text)
		if err != nil || key.Type != "PRIVATE KEY" {
			return Merchant{}, errors.New("does not begin with a private key and its certificate")
		}
		return Merchant{secret.New(string(pem.EncodeToMemory(key))), pair.Leaf}, nil
	})
}

// newMerchantFile returns the content of a merchant's file with a random key pair.
func newMerchantFile() ([]byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, merchantBits)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 158))
	if err != nil {
		return nil, err
	}
	serial.SetBit(serial, 158, 1) // of 40 hexadecimal digits, as the wallet's are
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Merchant of the wallet sandbox"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(merchantLife), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return slices.Concat(
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
	), nil
}

// sharedFile returns what parse reads from the file in the directory. It first writes a missing file with what create
// returns. Without a directory, what create returns is not kept.
func sharedFile[T any](dir, name string, create func() ([]byte, error), parse func([]byte) (T, error)) (v T, err error) {
	var text []byte
	path := filepath.Join(dir, name)
	if dir == "" {
		text, err = create()
	} else if text, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
		if text, err = create(); err == nil {
			text, err = createShared(path, text)
		}
	}
	if err != nil {
		return v, fmt.Errorf("read file of the wallet sandbox: %w", err)
	}
	if v, err = parse(text); err != nil {
		return v, fmt.Errorf("%s %w: remove the file; the next start creates a new one", path, err)
	}
	return v, nil
}

// createShared writes a file that only its owner may read, and returns its content, which may be that of another
// process that has created it meanwhile. Readers never see an incomplete file.
func createShared(path string, content []byte) ([]byte, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-") // with mode 0600
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return os.ReadFile(path)
}
