package bootstrap_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/domain/secret"
)

// settings are right, and keep everything in memory.
func settings() bootstrap.Config {
	return bootstrap.Config{
		Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", DatabaseURL: "memory:", DatabaseWait: time.Minute, DataDir: "unused",
		TokenTTL: 720 * time.Hour, LogLevel: slog.LevelWarn, LogFormat: "text", PublicURL: "https://plaza.example.org",
		WalletPoll: 30 * time.Second, WalletTimeout: 5 * time.Second,
	}
}

func TestPAY08_settings_of_the_wallet(t *testing.T) {
	c, err := parsed(t, "--wallet=")
	require.NoError(t, err)
	assert.Equal(t, "none", c.Wallet)
	assert.Equal(t, 30*time.Second, c.WalletPoll)
	assert.Equal(t, 5*time.Second, c.WalletTimeout)

	s := settings()
	s.Wallet = "sandbox"
	c, err = s.Check()
	require.NoError(t, err)
	assert.NotEmpty(t, c.WalletAppID, "the sandbox needs no settings")
	assert.NotEmpty(t, c.WalletSvcAppID)
	assert.NotEmpty(t, c.WalletMchID)
	assert.True(t, c.WalletKey.IsZero(), "the key is of the data directory")

	s.Wallet, s.WalletMchID, s.WalletKey, s.WalletSvcAppID = "wechatpay", "1900000109", secret.New("k"), "wx1"
	c, err = s.Check()
	require.NoError(t, err)
	assert.Empty(t, c.WalletAppID, "one will do")
	assert.True(t, strings.HasPrefix(c.WalletURL, "https://"))
}

func TestPAY08_wrong_settings_of_the_wallet_are_told_together(t *testing.T) {
	_, err := parsed(t, "--wallet=wechatpay", "--wallet-poll=5", "--wallet-timeout=1h", "--wallet-sandbox-addr=nowhere")
	require.Error(t, err)
	for _, variable := range []string{"MCH_ID", "KEY", "APP_ID", "POLL", "TIMEOUT", "SANDBOX_ADDR"} {
		assert.Contains(t, err.Error(), "PLAZA_WALLET_"+variable)
	}
	s := settings()
	s.Wallet = "cash"
	_, err = s.Check()
	assert.ErrorContains(t, err, "PLAZA_WALLET: ")
}

// TestPAY08_what_the_wallet_would_not_take: the adapter has rules of its own, and none of
// the values shows.
func TestPAY08_what_the_wallet_would_not_take(t *testing.T) {
	s := settings()
	s.Wallet, s.WalletMchID, s.WalletAppID, s.WalletKey = "wechatpay", "1900000109", "wx1", secret.New("too-short-a-key")
	s.PublicURL = "http://plaza.example.org"
	c, err := s.Check()
	require.NoError(t, err)
	_, err = bootstrap.NewApp(t.Context(), c, slog.New(slog.DiscardHandler), bootstrap.Parts{})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "Key must be 32 visible characters")
	assert.Contains(t, err.Error(), "NotifyURL must be an https URL")
	assert.NotContains(t, err.Error(), "too-short-a-key")

	s.WalletKey, s.PublicURL = secret.New(strings.Repeat("k", 32)), "https://plaza.example.org"
	c, err = s.Check()
	require.NoError(t, err)
	app, err := bootstrap.NewApp(t.Context(), c, slog.New(slog.DiscardHandler), bootstrap.Parts{})
	require.NoError(t, err)
	require.NoError(t, app.Close())
}
