package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/secret"
)

const key = "192006250b4c09247ec02edce69f6a2d"

// clock is a time that only the test advances.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(c.ahead.Load()))
}

func (c *clock) add(d time.Duration) {
	c.ahead.Add(int64(d))
}

func newClock() *clock { return new(clock) }

func config(c *clock) Config {
	return Config{
		MerchantID: "10000100", Key: secret.New(key), AppIDs: []string{"wxd930ea5d5a258f4f", "wxother"},
		PublicURL: "http://127.0.0.1:8090/", Config: ledger.Config{Clock: c.now},
	}
}

func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	s, err := New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// order returns a valid request for a QR code.
func order(no string) fields {
	return fields{
		"appid": "wxd930ea5d5a258f4f", "mch_id": "10000100", "nonce_str": "ibuaiVcKdpRxkhJA", "sign_type": hmacSign,
		"body": "Tea", "out_trade_no": no, "total_fee": "990", "fee_type": "CNY", "spbill_create_ip": "127.0.0.1",
		"notify_url": "https://plaza.example/notify/", "trade_type": "NATIVE", "product_id": "1",
		"time_expire": "20260103130405",
	}
}

func about(no string) fields {
	return fields{
		"appid": "wxd930ea5d5a258f4f", "mch_id": "10000100", "nonce_str": "n", "sign_type": hmacSign, "out_trade_no": no,
	}
}

func with(f fields, change fields) fields {
	f = maps.Clone(f)
	for name, value := range change {
		if f[name] = value; value == "-" {
			delete(f, name)
		}
	}
	return f
}

func signedAs(f fields) fields {
	f = maps.Clone(f)
	f["sign"], _ = sign(f, key, f["sign_type"])
	return f
}

// ask signs the request and checks the signature of the answer.
func ask(t *testing.T, s *Server, op Operation, f fields) fields {
	t.Helper()
	f = signedAs(f)
	w := call(s, http.MethodPost, "/pay/"+string(op), string(render("xml", f)))
	assert.Equal(t, http.StatusOK, w.Code)
	reply, err := parse(w.Body.Bytes())
	require.NoError(t, err)
	require.Equal(t, "SUCCESS", reply["return_code"], reply["return_msg"])
	want, err := sign(reply, key, f["sign_type"])
	require.NoError(t, err)
	require.Equal(t, want, reply["sign"])
	return reply
}

func placed(t *testing.T, s *Server, no string) {
	t.Helper()
	require.Equal(t, "SUCCESS", ask(t, s, UnifiedOrder, order(no))["result_code"])
}

func paid(t *testing.T, s *Server, no string) ledger.Trade {
	t.Helper()
	placed(t, s, no)
	trade, err := s.Pay(no)
	require.NoError(t, err)
	return trade
}

// merchant receives notifications without a network.
type merchant struct {
	got    chan fields
	answer func(fields) (int, string)
}

const yes = "<xml><return_code><![CDATA[SUCCESS]]></return_code><return_msg><![CDATA[OK]]></return_msg></xml>"

func newMerchant(s *Server) *merchant {
	m := &merchant{got: make(chan fields, 100), answer: func(fields) (int, string) { return http.StatusOK, yes }}
	s.notifier.client.Transport = m
	return m
}

func (m *merchant) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	f, err := parse(body)
	if err != nil {
		return nil, err
	}
	status, reply := m.answer(f)
	m.got <- f
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(reply)), Request: r}, nil
}

// running sends the server's notifications until the returned function is called.
func running(t *testing.T, s *Server) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { assert.NoError(t, s.Run(ctx)) })
	stop = func() { cancel(); wg.Wait() }
	t.Cleanup(stop)
	return stop
}

func TestLifetimes_end_and_are_scaled(t *testing.T) {
	web := fields{"trade_type": "MWEB", "scene_info": "{}", "time_expire": "-"}
	for name, c := range map[string]struct {
		change fields
		scale  int
		life   time.Duration
	}{
		"a code":         {fields{"time_expire": "-"}, 1, 2 * time.Hour},
		"a page, scaled": {web, 60, 5 * time.Second},
		"an order's end": {fields{"time_expire": "20260102110505"}, 60, time.Minute},
	} {
		clk := newClock()
		cfg := config(clk)
		cfg.Scale = c.scale
		s := start(t, cfg)
		for _, no := range []string{"order-1", "order-2"} {
			require.Equal(t, "SUCCESS", ask(t, s, UnifiedOrder, with(order(no), c.change))["result_code"])
		}
		clk.add(c.life - 1)
		_, err := s.Pay("order-1")
		require.NoError(t, err, name)
		clk.add(1)
		_, err = s.Pay("order-2")
		require.ErrorIs(t, err, ledger.ErrExpired, name)
	}
}

func TestWhat_is_wrong_with_a_configuration_is_told_at_once(t *testing.T) {
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	_, err = New(Config{
		PublicURL: "ftp://x", Config: ledger.Config{Scale: -1, RefundTime: -1}, MerchantCert: &x509.Certificate{PublicKey: short.Public()},
		V3Key: secret.New("short"), KeyMode: "else",
	})
	require.Error(t, err)
	for _, what := range []string{
		"MerchantID", "the key", "AppIDs", "PublicURL", "the scale", "RefundTime", "RSA key of 2048 bits", "V3Key must be 32 bytes", "KeyMode",
	} {
		assert.ErrorContains(t, err, what)
	}
}

func TestA_journal_that_is_damaged_in_its_middle_is_refused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	require.NoError(t, os.WriteFile(path, []byte("{}\nnonsense\n{}\n"), 0o600))
	cfg := config(newClock())
	cfg.Journal = path
	_, err := New(cfg)
	assert.ErrorContains(t, err, "line 2")
}

func TestPAY08_a_request_with_wrong_fields_is_refused(t *testing.T) {
	s := start(t, config(newClock()))
	for want, changes := range map[string][]fields{
		"LACK_PARAMS": {{"body": ""}, {"product_id": "-"}, {"trade_type": "JSAPI"}},
		"PARAM_ERROR": {
			{"extra": "1"}, {"total_fee": "0"}, {"total_fee": "1.0"}, {"fee_type": "USD"}, {"out_trade_no": "short"},
			{"notify_url": "http://plaza.example/"}, {"time_expire": "20260101000000"}, {"attach": strings.Repeat("a", 128)},
		},
		"APPID_NOT_EXIST": {{"appid": "wxelse"}},
	} {
		for _, change := range changes {
			assert.Equal(t, want, ask(t, s, UnifiedOrder, with(order("order-1"), change))["err_code"], change)
		}
	}
	assert.Empty(t, s.Trades())
}
