package wechatpay

import (
	"crypto"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/walletsandbox"
)

const (
	keyV3      = "qazwsxedcrfvtgbyhnujmikolp333333"
	merchantV3 = "1900000109"
	testSerial = "1DDE55AD98ED71D6EDD4A4A16996DE7B47773A8C"
	nonceV3    = "593BEC0C930BF1AFEB40B4A08C8FB242"
	keyID      = "PUB_KEY_ID_0119000001092026112000000000000001"
)

// testKeys returns the wallet's keys and one of a stranger.
func testKeys() (keys struct{ first, second, published, stranger *rsa.PrivateKey }) {
	all := walletsandbox.Keys()
	keys.first, keys.second, keys.published, keys.stranger = all[0], all[1], all[2], all[3]
	return keys
}

// testCertificate is a certificate of the wallet.
type testCertificate struct {
	key         *rsa.PrivateKey
	serial      string
	from, until time.Time
}

func firstCertificate() testCertificate {
	return testCertificate{testKeys().first, "5157F09EFDC096DE15EBE81A47057A7232F1B8E1", noon.Add(-24 * time.Hour), noon.Add(24 * time.Hour)}
}

func secondCertificate() testCertificate {
	return testCertificate{testKeys().second, "0A15EBE81A47057A7232F1B8E15157F09EFDC096", noon.Add(-time.Hour), noon.Add(48 * time.Hour)}
}

// pem returns the certificate, signed by itself.
func (c testCertificate) pem(t testing.TB) string {
	t.Helper()
	serial, is := new(big.Int).SetString(c.serial, 16)
	require.True(t, is)
	template := x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "Wallet of the tests"}, NotBefore: c.from, NotAfter: c.until}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, c.key.Public(), c.key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// sealed returns a resource of the text, encrypted with the key.
func sealed(t testing.TB, key, text, associated string) map[string]any {
	t.Helper()
	block, err := aes.NewCipher([]byte(key))
	require.NoError(t, err)
	gcm, err := cipher.NewGCM(block)
	require.NoError(t, err)
	nonce := rand.Text()[:12]
	return map[string]any{
		"algorithm": "AEAD_AES_256_GCM", "nonce": nonce, "associated_data": associated,
		"ciphertext": base64.StdEncoding.EncodeToString(gcm.Seal(nil, []byte(nonce), []byte(text), []byte(associated))),
	}
}

// signedHeader returns the headers that sign the body.
func signedHeader(t testing.TB, key *rsa.PrivateKey, serial string, at time.Time, body string) map[string]string {
	t.Helper()
	timestamp := strconv.FormatInt(at.Unix(), 10)
	sum := sha256.Sum256([]byte(timestamp + "\n" + "n-1" + "\n" + body + "\n"))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	require.NoError(t, err)
	return map[string]string{
		"wechatpay-timestamp": timestamp, "wechatpay-nonce": "n-1", "wechatpay-serial": serial,
		"wechatpay-signature": base64.StdEncoding.EncodeToString(signature),
	}
}

func merchantPEM(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/v3/merchant-key.pem")
	require.NoError(t, err)
	return string(text)
}

func publicPEM(t testing.TB, key *rsa.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func configV3(t testing.TB, url string) ConfigV3 {
	return ConfigV3{
		Config: Config{
			URL: url, MerchantID: merchantV3, Key: secret.New(keyV3), Deadline: 5 * time.Second,
			AppIDs:    map[payment.WalletApp]string{payment.OfficialAccount: official, payment.SvcIOSApp: service},
			NotifyURL: "https://plaza.example/api/pay/notify/wallet/v3/",
		},
		PrivateKey: secret.New(merchantPEM(t)), Serial: testSerial, Now: func() time.Time { return noon },
		PublicKey: publicPEM(t, testKeys().published), PublicKeyID: keyID,
	}
}

func newV3(t testing.TB, url string, changes ...func(*ConfigV3)) *V3 {
	t.Helper()
	c := configV3(t, url)
	for _, change := range changes {
		change(&c)
	}
	g, err := NewV3(c)
	require.NoError(t, err)
	g.nonce = func() string { return nonceV3 }
	return g
}

// byCertificates has the gateway fetch the wallet's certificates.
func byCertificates(c *ConfigV3) { c.PublicKey, c.PublicKeyID = "", "" }

// testWallet answers requests in the given ways, one after the other, and repeats the last.
type walletV3 struct {
	*V3
	server  *httptest.Server
	answers []http.HandlerFunc

	mutex        sync.Mutex
	heard        []string
	now          time.Time
	certificates []testCertificate
	signedBy     testCertificate // of the answer with the certificates
	fetches      int
	onFetch      http.HandlerFunc // instead of that answer
}

func newWalletV3(t testing.TB, answers ...http.HandlerFunc) *walletV3 {
	t.Helper()
	return newWalletV3For(t, nil, answers...)
}

// newWalletFor returns a wallet and a gateway with the changed configuration, whose clock is the wallet's.
func newWalletV3For(t testing.TB, change func(*ConfigV3), answers ...http.HandlerFunc) *walletV3 {
	t.Helper()
	w := &walletV3{answers: answers, now: noon, certificates: []testCertificate{firstCertificate()}, signedBy: firstCertificate()}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v3/certificates", func(rw http.ResponseWriter, r *http.Request) { w.list(t, rw, r) })
	mux.Handle("/", w)
	w.server = httptest.NewServer(mux)
	t.Cleanup(w.server.Close)
	w.V3 = newV3(t, w.server.URL, func(c *ConfigV3) {
		if c.Now = w.clock; change != nil {
			change(c)
		}
	})
	return w
}

func (w *walletV3) clock() time.Time {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.now
}

// change changes the wallet while nothing else does.
func (w *walletV3) change(how func()) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	how()
}

func (w *walletV3) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.mutex.Lock()
	w.heard = append(w.heard, transcript(r, body))
	answer := w.answers[min(len(w.heard), len(w.answers))-1]
	w.mutex.Unlock()
	answer(rw, r)
}

// transcript is a request as the files in testdata have it.
func transcript(r *http.Request, body []byte) string {
	text := fmt.Sprintf("%s %s\n", r.Method, r.RequestURI)
	for _, name := range []string{"Accept", "Authorization", "Content-Type", "User-Agent", "Wechatpay-Serial"} {
		if value := r.Header.Get(name); value != "" {
			text += name + ": " + value + "\n"
		}
	}
	return text + "\n" + string(body) + "\n"
}

func (w *walletV3) requests() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]string(nil), w.heard...)
}

func (w *walletV3) fetched() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.fetches
}

// list answers with the wallet's certificates.
func (w *walletV3) list(t testing.TB, rw http.ResponseWriter, r *http.Request) {
	w.mutex.Lock()
	w.fetches++
	certificates, by, now, instead := w.certificates, w.signedBy, w.now, w.onFetch
	w.mutex.Unlock()
	if instead != nil {
		instead(rw, r)
		return
	}
	saysAsV3(t, by.key, by.serial, now, 200, certificateList(t, certificates...))(rw, r)
}

func certificateList(t testing.TB, certificates ...testCertificate) string {
	t.Helper()
	var data []any
	for _, c := range certificates {
		data = append(data, map[string]any{
			"serial_no": c.serial, "effective_time": c.from.Format(time.RFC3339), "expire_time": c.until.Format(time.RFC3339),
			"encrypt_certificate": sealed(t, keyV3, c.pem(t), "certificate"),
		})
	}
	return encoded(t, map[string]any{"data": data})
}

func encoded(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}

// says answers, signed with the published key.
func saysV3(t testing.TB, status int, body string) http.HandlerFunc {
	t.Helper()
	return saysAsV3(t, testKeys().published, keyID, noon, status, body)
}

func saysAsV3(t testing.TB, key *rsa.PrivateKey, serial string, at time.Time, status int, body string) http.HandlerFunc {
	t.Helper()
	return writesV3(status, body, signedHeader(t, key, serial, at, body))
}

// writes answers with exactly that.
func writesV3(status int, body string, header map[string]string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// hangs blocks until the caller gives up.
func hangs(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// fields returns a JSON object of the fields and the changed ones. The value nil omits a field.
func fieldsV3(t testing.TB, usual map[string]any, changes ...any) string {
	t.Helper()
	all := maps.Clone(usual)
	for n := 0; n < len(changes); n += 2 {
		name := changes[n].(string)
		if all[name] = changes[n+1]; changes[n+1] == nil {
			delete(all, name)
		}
	}
	return encoded(t, all)
}

// paidFields is a completed payment, as the wallet reports it.
func paidFieldsV3() map[string]any {
	return map[string]any{
		"appid": official, "mchid": merchantV3, "out_trade_no": string(number), "transaction_id": "4200000001", "trade_type": "JSAPI",
		"trade_state": "SUCCESS", "trade_state_desc": "paid", "success_time": "2026-11-20T20:01:02+08:00", "payer": map[string]any{"openid": payer},
		"amount": map[string]any{"total": 990, "payer_total": 890, "currency": "CNY", "payer_currency": "CNY"},
	}
}

func paidReceiptV3() payment.Receipt {
	return payment.Receipt{
		TransactionID: "4200000001", TradeNo: number, App: payment.OfficialAccount, Amount: 990, Currency: "CNY",
		Paid: noon.Add(time.Minute + 2*time.Second),
	}
}

// unpaidFields is a payment that is still to come.
func unpaidFieldsV3() map[string]any {
	return map[string]any{"appid": official, "mchid": merchantV3, "out_trade_no": string(number), "trade_state": "NOTPAY", "trade_state_desc": "open"}
}

// event is a notification with the resource, without headers.
func eventV3(t testing.TB, kind string, resource map[string]any) string {
	t.Helper()
	resource["original_type"] = "transaction"
	return encoded(t, map[string]any{
		"id": "EV-1", "create_time": "2026-11-20T20:01:02+08:00", "event_type": kind, "resource_type": "encrypt-resource",
		"summary": "paid", "resource": resource,
	})
}

// notified is the body as a notification, signed with the published key.
func notifiedV3(t testing.TB, body string) payment.Notification {
	t.Helper()
	return payment.Notification{Header: signedHeader(t, testKeys().published, keyID, noon, body), Body: []byte(body)}
}

// paidEvent is the body of a notification of a payment.
func paidEventV3(t testing.TB, changes ...any) string {
	t.Helper()
	return eventV3(t, "TRANSACTION.SUCCESS", sealed(t, keyV3, fieldsV3(t, paidFieldsV3(), changes...), "transaction"))
}
