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
// key. Concurrent calls return the same key.
func sandboxKey(dataDir string) (secret.String, error) {
	create := func() (string, error) { return newSandboxKey().Reveal() + "\n", nil }
	return sandboxFile(filepath.Join(dataDir, sandboxKeyFile), create, func(text []byte) (secret.String, error) {
		key := strings.TrimSpace(string(text))
		if len(key) != sandboxKeyLength {
			return secret.String{}, fmt.Errorf("has no key of %d characters", sandboxKeyLength)
		}
		return secret.New(key), nil
	})
}

func newSandboxKey() secret.String { return secret.New((rand.Text() + rand.Text())[:sandboxKeyLength]) }

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
	create := func() (string, error) {
		m, err := newSandboxMerchant(time.Now())
		if err != nil {
			return "", err
		}
		return m.text(), nil
	}
	return sandboxFile(filepath.Join(dataDir, sandboxMerchantFile), create, func(text []byte) (merchant, error) {
		pair, err := tls.X509KeyPair(text, text)
		key, _ := pem.Decode(text)
		if err != nil || key.Type != "PRIVATE KEY" {
			return merchant{}, errors.New("does not begin with a private key and its certificate")
		}
		return merchant{secret.New(string(pem.EncodeToMemory(key))), pair.Leaf}, nil
	})
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

// sandboxFile returns what parse reads from the file. It first writes a missing file with what create returns.
func sandboxFile[T any](path string, create func() (string, error), parse func([]byte) (T, error)) (v T, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		var content string
		if content, err = create(); err == nil {
			err = createSandboxFile(path, content)
		}
		if err == nil {
			text, err = os.ReadFile(path)
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

// createSandboxFile writes a file that only its owner may read. It keeps a file that another
// process has created meanwhile. Readers never see an incomplete file.
func createSandboxFile(path, content string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
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
// the merchant's key pair. It returns the merchant of version 3. With the in-memory store, a sandbox that the
// server starts gets random keys without files.
func useSandboxKey(c *settings.Config) (m merchant, err error) {
	if !c.UsesSandbox() {
		return merchant{}, nil
	}
	keepsNothing := c.DatabaseURL == settings.InMemory && c.StartsSandbox()
	switch {
	case !c.WalletKey.IsZero():
	case keepsNothing:
		c.WalletKey = newSandboxKey()
	default:
		c.WalletKey, err = sandboxKey(c.DataDir)
	}
	if err != nil || c.Wallet != settings.SandboxV3Wallet {
		return merchant{}, err
	}
	if keepsNothing {
		m, err = newSandboxMerchant(time.Now())
	} else {
		m, err = sandboxMerchant(c.DataDir)
	}
	if err == nil {
		if c.WalletV2Key.IsZero() {
			c.WalletV2Key = c.WalletKey // the sandbox has one key for both versions
		}
		c.WalletPrivateKey, c.WalletCertSerial = m.key, fmt.Sprintf("%X", m.cert.SerialNumber)
	}
	return m, err
}
