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
	"io"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet"
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
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.der(t)}))
}

func (c testCertificate) der(t testing.TB) []byte {
	t.Helper()
	serial, is := new(big.Int).SetString(c.serial, 16)
	require.True(t, is)
	template := x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "Wallet of the tests"}, NotBefore: c.from, NotAfter: c.until}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, c.key.Public(), c.key)
	require.NoError(t, err)
	return der
}

// merchantCertificate is what the merchant has given to the wallet.
func merchantCertificate(t testing.TB) *x509.Certificate {
	t.Helper()
	c := testCertificate{parsePrivateKey(secret.New(merchantPEM(t))), testSerial, time.Now().Add(-time.Hour), time.Now().Add(5 * 365 * 24 * time.Hour)}
	certificate, err := x509.ParseCertificate(c.der(t))
	require.NoError(t, err)
	return certificate
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

func privatePEM(t testing.TB, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func publicPEM(t testing.TB, key *rsa.PrivateKey) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func settingsV3(t testing.TB, url string) wallet.Settings {
	return wallet.Settings{
		URL: url, MerchantID: merchantV3, Key: secret.New(keyV3), Deadline: 5 * time.Second,
		AppIDs:     map[payment.WalletApp]string{payment.OfficialAccount: official, payment.SvcIOSApp: service},
		NotifyURL:  "https://plaza.example/api/pay/notify/wallet/v3/",
		PrivateKey: secret.New(merchantPEM(t)), CertSerial: testSerial,
		PublicKey: secret.New(publicPEM(t, testKeys().published)), PublicKeyID: keyID,
	}
}

// openV3 returns a gateway whose clock stands at noon.
func openV3(t testing.TB, url string, changes ...func(*wallet.Settings)) *V3 {
	t.Helper()
	s := settingsV3(t, url)
	for _, change := range changes {
		change(&s)
	}
	g, found := newV3(s)
	require.Empty(t, found)
	g.nonce = func() string { return nonceV3 }
	g.setClock(func() time.Time { return noon })
	return g
}

func (g *V3) setClock(now func() time.Time) { g.now, g.keys.now = now, now }

// byCertificates has the gateway fetch the wallet's certificates.
func byCertificates(s *wallet.Settings) { s.PublicKey, s.PublicKeyID = secret.String{}, "" }

type walletV3 struct {
	*V3
	*standIn
	server *httptest.Server

	now          time.Time
	certificates []testCertificate
	signedBy     testCertificate // of the answer with the certificates
	fetches      int
	onFetch      http.HandlerFunc // instead of that answer
}

func newWalletV3(t testing.TB, answers ...http.HandlerFunc) *walletV3 {
	t.Helper()
	return newWalletV3For(t, func(*wallet.Settings) {}, answers...)
}

// newWalletV3For returns a wallet and a gateway with the changed settings, whose clock is the wallet's.
func newWalletV3For(t testing.TB, change func(*wallet.Settings), answers ...http.HandlerFunc) *walletV3 {
	t.Helper()
	shown := []string{"Accept", "Authorization", "Content-Type", "User-Agent", "Wechatpay-Serial"}
	w := &walletV3{
		standIn: &standIn{answers: answers, shown: shown}, now: noon, certificates: []testCertificate{firstCertificate()}, signedBy: firstCertificate(),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v3/certificates", func(rw http.ResponseWriter, r *http.Request) { w.list(t, rw, r) })
	mux.Handle("/", w.standIn)
	w.server = httptest.NewServer(mux)
	t.Cleanup(w.server.Close)
	w.V3 = openV3(t, w.server.URL, change)
	w.setClock(w.clock)
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
	all := map[string]any{}
	maps.Copy(all, usual)
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

// refundFieldsV3 is the refund of refundReported, as the wallet reports it.
func refundFieldsV3() map[string]any {
	return map[string]any{
		"refund_id": "5030000001", "out_refund_no": string(refundNo), "transaction_id": "4200000001", "out_trade_no": string(number),
		"channel": "ORIGINAL", "status": "PROCESSING", "create_time": "2026-11-20T20:01:02+08:00",
		"amount": map[string]any{"total": 990, "refund": 300, "payer_refund": 250, "currency": "CNY"},
	}
}

// refusalV3 is the body of an answer that refuses a request.
func refusalV3(t testing.TB, code string) string {
	t.Helper()
	return encoded(t, map[string]any{"code": code, "message": keyV3 + payer, "detail": map[string]any{"value": payer}})
}
