package bootstrap_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/secret"
)

func TestPAY08_settings_of_the_wallet(t *testing.T) {
	s, err := parsed(t, "--wallet=", "--public-url=https://plaza.example.org")
	require.NoError(t, err)
	assert.Equal(t, "none", s.Wallet)
	assert.Equal(t, 30*time.Second, s.WalletPoll)
	assert.Equal(t, 5*time.Second, s.WalletTimeout)

	s.Wallet = "sandbox"
	c, err := bootstrap.Check(s)
	require.NoError(t, err)
	assert.NotEmpty(t, c.WalletAppID, "the sandbox needs no settings")
	assert.NotEmpty(t, c.WalletSvcAppID)
	assert.NotEmpty(t, c.WalletMchID)
	assert.True(t, c.WalletKey.IsZero(), "the key is of the data directory")

	s.Wallet, s.WalletMchID, s.WalletKey, s.WalletSvcAppID = "wechatpay", "1900000109", secret.New(strings.Repeat("k", 32)), "wx1"
	c, err = bootstrap.Check(s)
	require.NoError(t, err)
	assert.Empty(t, c.WalletAppID, "one will do")
	assert.True(t, strings.HasPrefix(c.WalletURL, "https://"))
}

// settingsV3 are right for version 3 of the wallet's protocol.
func settingsV3(t *testing.T) settings.Config {
	t.Helper()
	private, err := os.ReadFile("../adapters/wallet/wechatpay/testdata/v3/merchant-key.pem")
	require.NoError(t, err)
	public, err := os.ReadFile("../adapters/wallet/wechatpay/testdata/v3/wallet-public-key.pem")
	require.NoError(t, err)
	s, err := parsed(t, "--database-url=memory:", "--public-url=https://plaza.example.org")
	require.NoError(t, err)
	s.Wallet, s.WalletMchID, s.WalletAppID, s.WalletKey = "wechatpayv3", "1900000109", "wx1", secret.New(strings.Repeat("k", 32))
	s.WalletPrivateKey, s.WalletCertSerial = secret.New(string(private)), "1DDE55AD"
	s.WalletPublicKey, s.WalletPublicKeyID = secret.New(string(public)), "PUB_KEY_ID_01"
	return s
}

func TestPAY08_wrong_settings_of_the_wallet_name_the_setting(t *testing.T) {
	_, err := parsed(t, "--wallet=wechatpayv3", "--wallet-poll=5", "--wallet-timeout=1h", "--wallet-sandbox-addr=nowhere")
	require.Error(t, err)
	for _, variable := range []string{"MCH_ID", "KEY", "APP_ID", "PRIVATE_KEY", "CERT_SERIAL"} {
		assert.ErrorContains(t, err, "PLAZA_WALLET_"+variable+": wechatpayv3 needs one")
	}
	for _, variable := range []string{"POLL", "TIMEOUT", "SANDBOX_ADDR"} {
		assert.ErrorContains(t, err, "PLAZA_WALLET_"+variable+": ")
	}
	_, err = parsed(t, "--wallet=cash")
	require.ErrorContains(t, err, "PLAZA_WALLET: ")

	s := settingsV3(t)
	c, err := bootstrap.Check(s)
	require.NoError(t, err)
	assert.Equal(t, "https://api.mch.weixin.qq.com", c.WalletURL)
	s.WalletPublicKeyID, s.WalletNotifyURL = "hunter22", "http://plaza.example/hunter22"
	_, err = bootstrap.Check(s)
	require.ErrorContains(t, err, "PLAZA_WALLET_PUBLIC_KEY_ID: ")
	require.ErrorContains(t, err, "PLAZA_WALLET_NOTIFY_URL: ")
	assert.NotContains(t, err.Error(), "hunter22")

	s = settingsV3(t)
	s.WalletV2Key = secret.New("hunter22")
	_, err = bootstrap.Check(s)
	require.ErrorContains(t, err, "PLAZA_WALLET_V2_KEY: must be 32 visible characters")
	assert.NotContains(t, err.Error(), "hunter22")
}

// TestPAY10_both_versions_are_served: while the key of version 2 is set, its notifications find a gateway.
func TestPAY10_both_versions_are_served(t *testing.T) {
	for key, want := range map[string]map[string]int{
		"":                      {"": http.StatusServiceUnavailable, "v3/": http.StatusBadRequest},
		strings.Repeat("2", 32): {"": http.StatusOK, "v3/": http.StatusBadRequest},
	} {
		s := settingsV3(t)
		s.WalletV2Key = secret.New(key)
		c, err := bootstrap.Check(s)
		require.NoError(t, err)
		app, err := bootstrap.NewApp(t.Context(), c, slog.New(slog.DiscardHandler), bootstrap.Parts{})
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, app.Close()) })
		for path, status := range want {
			w := httptest.NewRecorder()
			app.Handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/pay/notify/wallet/"+path, strings.NewReader("{}")))
			assert.Equal(t, status, w.Code, "%s with %q", path, key)
		}
		w := httptest.NewRecorder()
		app.Metrics.Handler(app.Log).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		assert.Contains(t, w.Body.String(), `plaza_wallet_notifications_total{algorithm="RSA-public-key"} 0`)
		assert.Equal(t, key != "", strings.Contains(w.Body.String(), `plaza_wallet_notifications_total{algorithm="MD5"} 0`))
	}
}
