package bootstrap

import (
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSandboxKey_is_random_in_each_data_directory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	key, err := sandboxKey(dir)
	require.NoError(t, err)
	assert.Regexp(t, `^[A-Z2-7]{32}$`, key.Reveal())
	again, err := sandboxKey(dir)
	require.NoError(t, err)
	assert.Equal(t, key, again)
	other, err := sandboxKey(t.TempDir())
	require.NoError(t, err)
	assert.NotEqual(t, key, other)

	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	info, err := entries[0].Info()
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	assert.Equal(t, "wallet-sandbox.key", info.Name())
}

func TestSandboxKey_of_many_at_once_is_the_same(t *testing.T) {
	dir := t.TempDir()
	keys := make([]string, 20)
	var wait sync.WaitGroup
	for i := range keys {
		wait.Go(func() {
			key, err := sandboxKey(dir)
			assert.NoError(t, err)
			keys[i] = key.Reveal()
		})
	}
	wait.Wait()
	assert.Len(t, slices.Compact(keys), 1)
	assert.NotEmpty(t, keys[0])
}

func TestSandboxKey_that_was_cut_short_is_told(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, sandboxKeyFile), []byte("short-and-secret"), 0o600))
	_, err := sandboxKey(dir)
	require.ErrorContains(t, err, "wallet-sandbox.key has no key of 32 characters")
	assert.NotContains(t, err.Error(), "short-and-secret")
}

func TestSandboxMerchant_is_one_key_pair_in_each_data_directory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there")
	all := make([]merchant, 3)
	var wait sync.WaitGroup
	for i := range all {
		wait.Go(func() {
			m, err := sandboxMerchant(dir)
			assert.NoError(t, err)
			all[i] = m
		})
	}
	wait.Wait()
	again, err := sandboxMerchant(dir)
	require.NoError(t, err)
	for _, m := range all {
		assert.Equal(t, again.text(), m.text())
	}
	assert.Len(t, fmt.Sprintf("%X", again.cert.SerialNumber), 40)
	assert.NotContains(t, fmt.Sprintf("%v %+v %#v", again, again, again), "PRIVATE KEY")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1)
	info, err := entries[0].Info()
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	assert.Equal(t, "wallet-sandbox-merchant.pem", info.Name())

	require.NoError(t, os.WriteFile(filepath.Join(dir, sandboxMerchantFile), []byte("short-and-secret"), 0o600))
	_, err = sandboxMerchant(dir)
	require.ErrorContains(t, err, "wallet-sandbox-merchant.pem does not begin with a private key")
	assert.NotContains(t, err.Error(), "short-and-secret")
}

func TestSandboxKey_is_needed_by_a_sandbox_without_a_key_only(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings func(*Config)
		makes    bool
		isSet    bool
	}{
		{"a sandbox", func(*Config) {}, true, true},
		{"a sandbox elsewhere, and memory", func(s *Config) { s.DatabaseURL, s.WalletURL = inMemory, "http://127.0.0.1:1" }, true, true},
		{"a sandbox along with memory", func(s *Config) { s.DatabaseURL = inMemory }, false, true},
		{"no wallet", func(s *Config) { s.Wallet = "none" }, false, false},
	} {
		s := serveSettings(t.TempDir())
		s.Wallet = "sandbox"
		c.settings(&s)
		config, err := s.Check()
		require.NoError(t, err, c.name)
		require.NoError(t, config.useSandboxKey(), c.name)
		assert.Equal(t, c.isSet, !config.WalletKey.IsZero(), c.name)
		_, err = os.Stat(filepath.Join(s.DataDir, sandboxKeyFile))
		assert.Equal(t, c.makes, err == nil, c.name)
	}
}

// formerKey was every sandbox's, and stands in the history of the source.
const formerKey = "plaza-sandbox-key-of-no-value-00"

// signedNotification is a notification of a payment, signed by the key.
func signedNotification(key, algorithm string) string {
	fields := map[string]string{
		"return_code": "SUCCESS", "result_code": "SUCCESS", "appid": demoAppID, "mch_id": demoMerchant, "nonce_str": "n0nce",
		"out_trade_no": "p1nowhere", "transaction_id": "4200000001", "total_fee": "1", "fee_type": "CNY",
		"time_end": "20261120200102", "sign_type": algorithm, "trade_type": "NATIVE", "openid": "a-payer",
	}
	var text, xml strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&text, "%s=%s&", name, fields[name])
		fmt.Fprintf(&xml, "<%s><![CDATA[%s]]></%[1]s>", name, fields[name])
	}
	fmt.Fprintf(&text, "key=%s", key)
	sum := md5.New()
	if algorithm != "MD5" {
		sum = hmac.New(sha256.New, []byte(key))
	}
	sum.Write([]byte(text.String()))
	return fmt.Sprintf("<xml>%s<sign><![CDATA[%X]]></sign></xml>", xml.String(), sum.Sum(nil))
}

const payOpenOrder = `{"pay_method": 200, "end_type": 0}`

func TestPAY10_the_former_constant_key_signs_nothing(t *testing.T) {
	dir := t.TempDir()
	s := startServing(t, serveCommand{Demo: true, Config: serveSettings(dir)})
	status, body := s.post("/api/pay/order/pay/", s.login("+86-13800000001"), payOpenOrder)
	require.Equal(t, 200, status, "the server and its sandbox have the same key: %s", body)
	assert.Equal(t, 4, strings.Count(s.get(s.url+"/docs/"), `class="person"`), "the page offers the people of the demo")

	_, body = s.post(notifyPath, "", signedNotification(formerKey, "HMAC-SHA256"))
	assert.Contains(t, body, "FAIL")
	key, err := sandboxKey(dir)
	require.NoError(t, err)
	for _, algorithm := range []string{"HMAC-SHA256", "MD5", "MD5"} {
		_, body = s.post(notifyPath, "", signedNotification(key.Reveal(), algorithm))
		assert.Contains(t, body, "SUCCESS", algorithm)
	}
	metrics := s.metrics()
	assert.Contains(t, metrics, `plaza_wallet_notifications_total{algorithm="HMAC-SHA256"} 1`+"\n")
	assert.Contains(t, metrics, `plaza_wallet_notifications_total{algorithm="MD5"} 2`+"\n")
	s.stop()
	assert.NotContains(t, s.log.String(), key.Reveal())
}

// TestPAY08_a_sandbox_by_itself_has_the_key_of_the_data_directory starts the sandbox first,
// and then a server of the same directory, or of another one.
func TestPAY08_a_sandbox_by_itself_has_the_key_of_the_data_directory(t *testing.T) {
	dir := demoDir(t)
	out := newOutput()
	ctx, end := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	box := sandboxCommand{
		Scale: 1, DataDir: dir, LogLevel: slog.LevelWarn, MerchantConfig: MerchantConfig{WalletSandboxAddr: "127.0.0.1:0"},
	}
	go func() { done <- box.Run(ctx, streams{out: out, err: newOutput()}) }()
	t.Cleanup(func() {
		end()
		require.NoError(t, <-done)
	})
	<-out.wrote
	said := regexp.MustCompile(`PLAZA_WALLET_URL=(\S+)`).FindStringSubmatch(out.String())
	require.NotNil(t, said, out.String())

	response, err := http.Get(said[1] + "/v3/certificates")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	assert.Equal(t, http.StatusUnauthorized, response.StatusCode, "it serves version 3 too")

	for dataDir, want := range map[string]int{dir: 200, demoDir(t): 502} {
		settings := serveSettings(dataDir)
		settings.WalletURL = said[1]
		s := startServing(t, serveCommand{Demo: true, Config: settings})
		status, body := s.post("/api/pay/order/pay/", s.login("+86-13800000001"), payOpenOrder)
		assert.Equal(t, want, status, body)
	}
}
