package bootstrap

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
)

// begins begins a payment of the open order, and returns the address of the page that pays it.
func (s *serving) begins() string {
	s.Helper()
	status, body := s.post("/api/pay/order/pay/", s.login("+86-13800000001"), payOpenOrder)
	require.Equal(s, 200, status, body)
	var reply struct {
		Data struct {
			CodeURL string `json:"code_url"`
		}
	}
	require.NoError(s, json.Unmarshal([]byte(body), &reply))
	return reply.Data.CodeURL
}

// isPaid waits until the person has no open order any more.
func (s *serving) isPaid() {
	s.Helper()
	key := s.login("+86-13800000001")
	require.Eventually(s, func() bool {
		_, body := s.asks("GET", s.url+"/api/pay/order/", key, "")
		return !strings.Contains(body, `"open"`)
	}, 30*time.Second, 100*time.Millisecond)
}

func TestPAY08_version_3_with_a_sandbox_of_the_server(t *testing.T) {
	dir := demoDir(t)
	settings := serveSettings(dir)
	settings.Wallet = "sandboxv3"
	s := startServing(t, serveCommand{Config: settings})
	link := s.begins()
	assert.Equal(t, sandbox.V3, ledgerOf(t, link)[0].Protocol)
	pays(t, link)
	s.isPaid()
	assert.Contains(t, s.metrics(), `plaza_wallet_notifications_total{algorithm="RSA-certificate"} 1`)
	s.stop()
	merchant, err := os.ReadFile(filepath.Join(dir, sandboxMerchantFile))
	require.NoError(t, err)
	assert.NotContains(t, s.log.String(), string(merchant[30:80]))
}

func ledgerOf(t *testing.T, link string) (trades []sandbox.Trade) {
	t.Helper()
	address, _, _ := strings.Cut(link, "/sandbox/pay/")
	response, err := http.Get(address + "/sandbox/ledger")
	require.NoError(t, err)
	defer response.Body.Close()
	require.NoError(t, json.NewDecoder(response.Body).Decode(&trades))
	return trades
}

func pays(t *testing.T, link string) {
	t.Helper()
	response, err := http.Post(link, "", http.NoBody)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)
}
