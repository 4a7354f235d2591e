package bootstrap

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

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
		_, err = os.Stat(filepath.Join(s.DataDir, "wallet-sandbox.key"))
		assert.Equal(t, c.makes, err == nil, c.name)
	}
}

func TestUseSandbox_reaches_the_sandbox_of_a_server_on_this_machine(t *testing.T) {
	for at, want := range map[string]string{"127.0.0.1:8090": "127.0.0.1:8090", "0.0.0.0:8090": "127.0.0.1:8090", ":8090": "127.0.0.1:8090",
		"[::]:8090": "127.0.0.1:8090", "[::1]:8090": "[::1]:8090", "box:8090": "box:8090"} {
		c := serveSettings(t.TempDir())
		c.Wallet, c.WalletSandboxAddr = "sandbox", at
		require.NoError(t, UseSandbox(&c))
		assert.Equal(t, "http://"+want, c.WalletURL, at)
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
