package bootstrap

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
	"time"

	"plaza/domain/secret"
)

// sandboxMerchantFile is the file in the data directory with the key pair that Plaza signs
// version 3 with when it talks to the sandbox: a private key, and a certificate that the sandbox
// knows it by.
const sandboxMerchantFile = "wallet-sandbox-merchant.pem"

const (
	sandboxMerchantBits = 2048
	sandboxMerchantLife = 100 * 365 * 24 * time.Hour
)

// merchant is the merchant of the sandbox in version 3.
type merchant struct {
	key  secret.String // as PEM
	cert *x509.Certificate
}

// text returns the content of the merchant's file.
func (m merchant) text() string {
	return m.key.Reveal() + string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: m.cert.Raw}))
}

// sandboxMerchant returns the merchant in the data directory. The first call creates a random
// key pair. Concurrent calls return the same one.
func sandboxMerchant(dataDir string) (merchant, error) {
	path := filepath.Join(dataDir, sandboxMerchantFile)
	m, err := readSandboxMerchant(path)
	if errors.Is(err, fs.ErrNotExist) {
		if m, err = newSandboxMerchant(time.Now()); err == nil {
			err = createSandboxFile(path, m.text())
		}
		if err == nil {
			m, err = readSandboxMerchant(path)
		}
	}
	if err != nil {
		return merchant{}, fmt.Errorf("read merchant of the wallet sandbox: %w", err)
	}
	return m, nil
}

func readSandboxMerchant(path string) (merchant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return merchant{}, err
	}
	pair, err := tls.X509KeyPair(text, text)
	key, _ := pem.Decode(text)
	if err != nil || key.Type != "PRIVATE KEY" {
		return merchant{}, fmt.Errorf("%s does not begin with a private key and its certificate: remove the file; the next start creates a new one", path)
	}
	return merchant{secret.New(string(pem.EncodeToMemory(key))), pair.Leaf}, nil
}

// newSandboxMerchant returns a merchant with a random key pair.
func newSandboxMerchant(now time.Time) (merchant, error) {
	key, err := rsa.GenerateKey(rand.Reader, sandboxMerchantBits)
	if err != nil {
		return merchant{}, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 158))
	if err != nil {
		return merchant{}, err
	}
	serial.SetBit(serial, 158, 1) // of 40 hexadecimal digits, as the wallet's are
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Merchant of the wallet sandbox"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(sandboxMerchantLife), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return merchant{}, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return merchant{}, err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return merchant{}, err
	}
	return merchant{secret.New(string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))), cert}, nil
}
