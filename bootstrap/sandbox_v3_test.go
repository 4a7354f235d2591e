package bootstrap

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
)

func TestPAY08_version_3_with_a_sandbox_of_the_server(t *testing.T) {
	dir := demoDir(t)
	settings := serveSettings(dir)
	settings.Wallet = "sandboxv3"
	s := startServing(t, serveCommand{Config: settings})
	key := s.login("+86-13800000001")
	status, body := s.post("/api/pay/order/pay/", key, payOpenOrder)
	require.Equal(t, 200, status, body)
	link := regexp.MustCompile(`"code_url":"([^"]+)"`).FindStringSubmatch(body)[1]
	address, _, _ := strings.Cut(link, "/sandbox/pay/")
	var trades []sandbox.Trade
	require.NoError(t, json.Unmarshal([]byte(s.get(address+"/sandbox/ledger")), &trades))
	assert.Equal(t, sandbox.V3, trades[0].Protocol)
	status, _ = s.asks("POST", link, "", "")
	require.Equal(t, 200, status)
	require.Eventually(t, func() bool {
		_, body := s.asks("GET", s.url+"/api/pay/order/", key, "")
		return !strings.Contains(body, `"open"`)
	}, 30*time.Second, 100*time.Millisecond)
	assert.Contains(t, s.metrics(), `plaza_wallet_notifications_total{algorithm="RSA-certificate"} 1`)
	s.stop()
	merchant, err := os.ReadFile(filepath.Join(dir, sandboxMerchantFile))
	require.NoError(t, err)
	assert.NotContains(t, s.log.String(), string(merchant[30:80]))
}
