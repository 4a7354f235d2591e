package bootstrap

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

func TestFiles_of_the_sandbox_are_random_in_each_data_directory(t *testing.T) {
	for name, read := range map[string]func(dir string) (string, error){
		sandboxKeyFile:      func(dir string) (string, error) { key, err := sandboxKey(dir); return key.Reveal(), err },
		sandboxMerchantFile: func(dir string) (string, error) { m, err := sandboxMerchant(dir); return m.key.Reveal(), err },
	} {
		dir := filepath.Join(t.TempDir(), "not", "there")
		all := make([]string, 3)
		var wait sync.WaitGroup
		for i := range all {
			wait.Go(func() {
				found, err := read(dir)
				assert.NoError(t, err, name)
				all[i] = found
			})
		}
		wait.Wait()
		assert.Len(t, slices.Compact(all), 1, "%s: calls at once find the same", name)
		other, err := read(t.TempDir())
		require.NoError(t, err, name)
		assert.NotEqual(t, all[0], other, name)
		entries, err := os.ReadDir(dir)
		require.NoError(t, err, name)
		require.Len(t, entries, 1, name)
		info, err := entries[0].Info()
		require.NoError(t, err, name)
		assert.Equal(t, os.FileMode(0o600), info.Mode(), name)
		assert.Equal(t, name, info.Name())

		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("short-and-secret"), 0o600))
		_, err = read(dir)
		require.ErrorContains(t, err, "remove the file", name)
		assert.NotContains(t, err.Error(), "short-and-secret", name)
	}
}

func TestSandboxKey_is_needed_by_a_sandbox_without_a_key_only(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*settings.Config)
		makes  bool
		isSet  bool
	}{
		{"a sandbox", func(*settings.Config) {}, true, true},
		{"a sandbox elsewhere, and memory", func(s *settings.Config) {
			s.DatabaseURL, s.WalletURL = settings.InMemory, "http://127.0.0.1:1"
		}, true, true},
		{"a sandbox along with memory", func(s *settings.Config) { s.DatabaseURL = settings.InMemory }, false, true},
		{"no wallet", func(s *settings.Config) { s.Wallet = "none" }, false, false},
	} {
		s := serveSettings(t.TempDir())
		s.Wallet = "sandbox"
		c.change(&s)
		config, err := Check(s)
		require.NoError(t, err, c.name)
		_, err = useSandboxKey(&config)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.isSet, !config.WalletKey.IsZero(), c.name)
		_, err = os.Stat(filepath.Join(s.DataDir, sandboxKeyFile))
		assert.Equal(t, c.makes, err == nil, c.name)
	}
}

const payOpenOrder = `{"pay_method": 200, "end_type": 0}`

func TestPAY08_a_sandbox_by_itself_has_the_key_of_the_data_directory(t *testing.T) {
	dir := demoDir(t)
	at := make(chan string, 1)
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	box := Sandbox{Scale: 1, Log: newOutput(), Serving: func(url string) { at <- url }, Config: settings.SandboxConfig{
		DataDir: dir, LogLevel: slog.LevelWarn, MerchantConfig: settings.MerchantConfig{WalletSandboxAddr: "127.0.0.1:0"},
	}}
	go func() { done <- box.Run(ctx) }()
	t.Cleanup(func() {
		end()
		require.NoError(t, <-done)
	})
	url := <-at

	response, err := http.Get(url + "/v3/certificates")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusUnauthorized, response.StatusCode, "it serves version 3 too")

	config := serveSettings(dir)
	config.WalletURL = url
	s := startServing(t, Server{Demo: true, Config: config})
	status, body := s.post("/api/pay/order/pay/", s.login("+86-13800000001"), payOpenOrder)
	assert.Equal(t, 200, status, body)
}
