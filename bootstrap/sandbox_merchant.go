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
)

// sandboxMerchantFile is the file in the data directory with the key pair that Plaza signs
// version 3 with when it talks to the sandbox: a private key, and a certificate that the sandbox
// knows it by.
const sandboxMerchantFile = "wallet-sandbox-merchant.pem"

const (
	sandboxMerchantBits = 2048
	sandboxMerchantLife = 100 * 365 * 24 * time.Hour
)

// sandboxMerchant returns the certificate in the data directory. The first call creates a random
// key pair. Concurrent calls return the same one.
func sandboxMerchant(dataDir string) (*x509.Certificate, error) {
	path := filepath.Join(dataDir, sandboxMerchantFile)
	cert, err := readSandboxMerchant(path)
	if errors.Is(err, fs.ErrNotExist) {
		var text []byte
		if text, err = newSandboxMerchant(time.Now()); err == nil {
			err = createSandboxFile(path, string(text))
		}
		if err == nil {
			cert, err = readSandboxMerchant(path)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read merchant of the wallet sandbox: %w", err)
	}
	return cert, nil
}

func readSandboxMerchant(path string) (*x509.Certificate, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return nil, fmt.Errorf("%s has no key pair: remove the file; the next start creates a new one", path)
	}
	return pair.Leaf, nil
}

// newSandboxMerchant returns a private key and a certificate as PEM.
func newSandboxMerchant(now time.Time) ([]byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, sandboxMerchantBits)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 158))
	if err != nil {
		return nil, err
	}
	serial.SetBit(serial, 158, 1) // of 40 hexadecimal digits, as the wallet's are
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Merchant of the wallet sandbox"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(sandboxMerchantLife), KeyUsage: x509.KeyUsageDigitalSignature,
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
	return append(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})...), nil
}
