package sandbox

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/secret"
)

const v3Key = "0123456789abcdef0123456789abcdef"

// pemFile returns the content of the first block of a file.
func pemFile(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "v3", name))
	require.NoError(t, err)
	block, _ := pem.Decode(text)
	require.NotNil(t, block)
	return block.Bytes
}

func privateKey(t testing.TB, name string) *rsa.PrivateKey {
	t.Helper()
	key, err := x509.ParsePKCS8PrivateKey(pemFile(t, name))
	require.NoError(t, err)
	return key.(*rsa.PrivateKey)
}

// v3Config is a configuration for version 3, with keys that were made before.
func v3Config(t testing.TB, c *clock) Config {
	t.Helper()
	cert, err := x509.ParseCertificate(pemFile(t, "merchant-cert.pem"))
	require.NoError(t, err)
	cfg := config(c)
	cfg.MerchantCert, cfg.V3Key = cert, secret.New(v3Key)
	cfg.Keys = []*rsa.PrivateKey{privateKey(t, "wallet-1.pem"), privateKey(t, "wallet-2.pem"), privateKey(t, "wallet-3.pem")}
	return cfg
}

func startV3(t testing.TB, change ...func(*Config)) (*Server, *clock) {
	t.Helper()
	clk := newClock()
	cfg := v3Config(t, clk)
	for _, c := range change {
		c(&cfg)
	}
	s, err := New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s, clk
}

// draft is a request of version 3 that a test can spoil before and after it is signed.
type draft struct {
	method, uri, body string
	merchant, nonce   string
	serial, signature string
	at                time.Time
	key               *rsa.PrivateKey
	header            http.Header
}

func drafted(t testing.TB, s *Server, method, uri, body string) draft {
	t.Helper()
	h := http.Header{"User-Agent": {"test"}, "Accept": {"application/json"}}
	if body != "" {
		h.Set("Content-Type", "application/json")
	}
	return draft{
		method: method, uri: uri, body: body, merchant: "10000100", nonce: rand.Text(),
		serial: fmt.Sprintf("%X", s.notifier.MerchantCert.SerialNumber), at: s.ledger.Now(), key: privateKey(t, "merchant.pem"), header: h,
	}
}

func signWith(t testing.TB, key *rsa.PrivateKey, lines ...string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(strings.Join(append(lines, ""), "\n")))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	require.NoError(t, err)
	return base64.StdEncoding.EncodeToString(signature)
}

// send signs the request, if it has no signature, and passes it to the handler without a network.
func (d draft) send(t testing.TB, s http.Handler) *httptest.ResponseRecorder {
	t.Helper()
	at := strconv.FormatInt(d.at.Unix(), 10)
	if d.signature == "" {
		d.signature = signWith(t, d.key, d.method, d.uri, at, d.nonce, d.body)
	}
	r := httptest.NewRequest(d.method, d.uri, strings.NewReader(d.body))
	r.Header = d.header.Clone()
	if r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", fmt.Sprintf(
			`WECHATPAY2-SHA256-RSA2048 mchid="%s",nonce_str="%s",timestamp="%s",serial_no="%s",signature="%s"`,
			d.merchant, d.nonce, at, d.serial, d.signature))
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// isSignedV3 verifies the headers with a key of the wallet as a merchant would, but for the time.
func isSignedV3(t testing.TB, s *Server, h http.Header, body []byte) bool {
	t.Helper()
	signature, err := base64.StdEncoding.DecodeString(h.Get("Wechatpay-Signature"))
	if err != nil {
		return false
	}
	known := []*platformKey{s.listed, s.public()}
	sum := sha256.Sum256([]byte(h.Get("Wechatpay-Timestamp") + "\n" + h.Get("Wechatpay-Nonce") + "\n" + string(body) + "\n"))
	for _, k := range known {
		if k.serial == h.Get("Wechatpay-Serial") {
			return rsa.VerifyPKCS1v15(&k.PublicKey, crypto.SHA256, sum[:], signature) == nil
		}
	}
	return false
}

// askV3 sends a request and checks the signature of the answer. It returns the status and the body.
func askV3(t testing.TB, s *Server, method, uri, body string) (int, object) {
	t.Helper()
	w := drafted(t, s, method, uri, body).send(t, s)
	require.True(t, isSignedV3(t, s, w.Header(), w.Body.Bytes()), w.Body)
	assert.Equal(t, strconv.FormatInt(s.ledger.Now().Unix(), 10), w.Header().Get("Wechatpay-Timestamp"))
	if w.Code == http.StatusNoContent {
		assert.Empty(t, w.Body.Bytes())
		return w.Code, nil
	}
	var o object
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &o))
	return w.Code, o
}

// orderV3 returns a valid body of an order with a QR code. change replaces fields; nil removes
// one.
func orderV3(no string, change object) string {
	o := object{
		"appid": "wxd930ea5d5a258f4f", "mchid": "10000100", "description": "Tea", "out_trade_no": no,
		"notify_url": "https://plaza.example/notify/v3/", "time_expire": "2026-01-03T13:04:05+08:00",
		"amount": object{"total": 990, "currency": "CNY"},
	}
	for name, value := range change {
		if o[name] = value; value == nil {
			delete(o, name)
		}
	}
	return string(marshal(o))
}

const aboutV3 = "/v3/pay/transactions/out-trade-no/"

func placedV3(t testing.TB, s *Server, no string) {
	t.Helper()
	status, reply := askV3(t, s, http.MethodPost, "/v3/pay/transactions/native", orderV3(no, nil))
	require.Equal(t, http.StatusOK, status, reply)
}

func paidV3(t testing.TB, s *Server, no string) Trade {
	t.Helper()
	placedV3(t, s, no)
	trade, err := s.Pay(no)
	require.NoError(t, err)
	return trade
}

// opened decrypts what the wallet has encrypted under the merchant's key.
func opened(t testing.TB, sealed map[string]any) []byte {
	t.Helper()
	require.Equal(t, "AEAD_AES_256_GCM", sealed["algorithm"])
	block, err := aes.NewCipher([]byte(v3Key))
	require.NoError(t, err)
	gcm, err := cipher.NewGCM(block)
	require.NoError(t, err)
	text, err := base64.StdEncoding.DecodeString(sealed["ciphertext"].(string))
	require.NoError(t, err)
	plain, err := gcm.Open(nil, []byte(sealed["nonce"].(string)), text, []byte(sealed["associated_data"].(string)))
	require.NoError(t, err)
	return plain
}
