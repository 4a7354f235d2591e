package bootstrap

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"plaza/domain/secret"
)

// sandboxKeyFile is the file of the data directory with the key that Plaza and the sandbox
// share.
const sandboxKeyFile = "wallet-sandbox.key"

// sandboxKeyLength is how long the protocol wants a key to be, in characters.
const sandboxKeyLength = 32

// sandboxKey returns the sandbox's key of the data directory. The first call makes it, at
// random; of several at once all return the same.
func sandboxKey(dataDir string) (secret.String, error) {
	path := filepath.Join(dataDir, sandboxKeyFile)
	key, err := readSandboxKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = writeSandboxKey(path); err == nil {
			key, err = readSandboxKey(path)
		}
	}
	if err != nil {
		return secret.String{}, fmt.Errorf("the key of the wallet sandbox: %w", err)
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
		return secret.String{}, fmt.Errorf("%s has no key of %d characters: remove the file, and the next start makes a new one", path, sandboxKeyLength)
	}
	return secret.New(key), nil
}

// writeSandboxKey writes a new key to a file that only its owner may read, unless another
// program is faster. The file has its whole content from the beginning.
func writeSandboxKey(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+sandboxKeyFile+"-") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.WriteString(newSandboxKey().Reveal() + "\n")
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

func newSandboxKey() secret.String { return secret.New((rand.Text() + rand.Text())[:sandboxKeyLength]) }

// useSandboxKey sets the wallet's key where a sandbox is the wallet and no key was set. A
// sandbox that ends with its server, as its database does, needs no file.
func (c *Config) useSandboxKey() (err error) {
	switch {
	case c.Wallet.Kind != sandboxWallet || !c.Wallet.Key.IsZero():
	case c.DatabaseURL == inMemory && c.Wallet.startsSandbox():
		c.Wallet.Key = newSandboxKey()
	default:
		c.Wallet.Key, err = sandboxKey(c.DataDir)
	}
	return err
}
