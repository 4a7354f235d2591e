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
	"slices"
	"strings"
	"time"

	"plaza/bootstrap/settings"
	"plaza/domain/secret"
)

// The files in the data directory that Plaza and the sandbox share: the key of version 2, and the key pair that Plaza
// signs version 3 with: a private key, and the certificate that the sandbox knows it by.
const (
	sandboxKeyFile      = "wallet-sandbox.key"
	sandboxMerchantFile = "wallet-sandbox-merchant.pem"
)

// sandboxKeyLength is the length of a key in the protocol, in characters.
const sandboxKeyLength = 32

const (
	sandboxMerchantBits = 2048
	sandboxMerchantLife = 100 * 365 * 24 * time.Hour
)

// sandboxKey returns the sandbox's key in the data directory. The first call creates a random
// key. Concurrent calls return the same key. Without a directory, each call returns another one.
func sandboxKey(dataDir string) (secret.String, error) {
	create := func() ([]byte, error) { return []byte((rand.Text() + rand.Text())[:sandboxKeyLength] + "\n"), nil }
	return sandboxFile(dataDir, sandboxKeyFile, create, func(text []byte) (secret.String, error) {
		key := strings.TrimSpace(string(text))
		if len(key) != sandboxKeyLength {
			return secret.String{}, fmt.Errorf("has no key of %d characters", sandboxKeyLength)
		}
		return secret.New(key), nil
	})
}

// merchant is the merchant of the sandbox in version 3.
type merchant struct {
	key  secret.String // as PEM
	cert *x509.Certificate
}

// sandboxMerchant returns the merchant in the data directory. The first call creates a random
// key pair. Concurrent calls return the same one. Without a directory, each call returns another one.
func sandboxMerchant(dataDir string) (merchant, error) {
	return sandboxFile(dataDir, sandboxMerchantFile, newMerchantFile, func(text []byte) (merchant, error) {
		pair, err := tls.X509KeyPair(text, text)
		key, _ := pem.Decode(text)
		if err != nil || key.Type != "PRIVATE KEY" {
			return merchant{}, errors.New("does not begin with a private key and its certificate")
		}
		return merchant{secret.New(string(pem.EncodeToMemory(key))), pair.Leaf}, nil
	})
}

// newMerchantFile returns the content of a merchant's file with a random key pair.
func newMerchantFile() ([]byte, error) {
	key, err := rsa.GenerateKey(rand.Reader, sandboxMerchantBits)
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
	return slices.Concat(
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}),
		pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
	), nil
}

// sandboxFile returns what parse reads from the file in the directory. It first writes a missing file with what create
// returns. Without a directory, what create returns is not kept.
func sandboxFile[T any](dir, name string, create func() ([]byte, error), parse func([]byte) (T, error)) (v T, err error) {
	var text []byte
	path := filepath.Join(dir, name)
	if dir == "" {
		text, err = create()
	} else if text, err = os.ReadFile(path); errors.Is(err, fs.ErrNotExist) {
		if text, err = create(); err == nil {
			text, err = createSandboxFile(path, text)
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

// createSandboxFile writes a file that only its owner may read, and returns its content, which may be that of another
// process that has created it meanwhile. Readers never see an incomplete file.
func createSandboxFile(path string, content []byte) ([]byte, error) {
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

// UseSandbox sets the key of a sandbox, and the address of the one that a server on this machine runs.
func UseSandbox(c *settings.Config) error {
	if c.StartsSandbox() {
		c.WalletURL = "http://" + c.WalletSandboxAddr
	}
	_, err := useSandboxKey(c)
	return err
}

// useSandboxKey sets the wallet's key if the wallet is a sandbox and no key is set, and for version 3
// the merchant's key pair. It returns the merchant of version 3. With memory:, a sandbox that the
// server starts gets random keys without files.
func useSandboxKey(c *settings.Config) (m merchant, err error) {
	if !c.UsesSandbox() {
		return merchant{}, nil
	}
	dir := c.DataDir
	if c.DatabaseURL == settings.InMemory && c.StartsSandbox() {
		dir = ""
	}
	if c.WalletKey.IsZero() {
		c.WalletKey, err = sandboxKey(dir)
	}
	if err != nil || c.Wallet != settings.SandboxV3Wallet {
		return merchant{}, err
	}
	if m, err = sandboxMerchant(dir); err != nil {
		return merchant{}, err
	}
	if c.WalletV2Key.IsZero() {
		c.WalletV2Key = c.WalletKey // the sandbox has one key for both versions
	}
	c.WalletPrivateKey, c.WalletCertSerial = m.key, fmt.Sprintf("%X", m.cert.SerialNumber)
	return m, nil
}
