package bootstrap

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plaza/bootstrap/settings"
	"plaza/domain/secret"
)

// sandboxKeyFile is the file in the data directory with the key that Plaza and the sandbox
// share.
const sandboxKeyFile = "wallet-sandbox.key"

// sandboxKeyLength is the length of a key in the protocol, in characters.
const sandboxKeyLength = 32

// sandboxKey returns the sandbox's key in the data directory. The first call creates a random
// key. Concurrent calls return the same key.
func sandboxKey(dataDir string) (secret.String, error) {
	path := filepath.Join(dataDir, sandboxKeyFile)
	key, err := readSandboxKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = createSandboxFile(path, newSandboxKey().Reveal()+"\n"); err == nil {
			key, err = readSandboxKey(path)
		}
	}
	if err != nil {
		return secret.String{}, fmt.Errorf("read key of the wallet sandbox: %w", err)
	}
	return key, nil
}

func readSandboxKey(path string) (secret.String, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return secret.String{}, err
	}
	key := strings.TrimSpace(string(raw))
	if len(key) != sandboxKeyLength {
		return secret.String{}, fmt.Errorf("%s has no key of %d characters: remove the file; the next start creates a new one", path, sandboxKeyLength)
	}
	return secret.New(key), nil
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

func newSandboxKey() secret.String { return secret.New((rand.Text() + rand.Text())[:sandboxKeyLength]) }

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
