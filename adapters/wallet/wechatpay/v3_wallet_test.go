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
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

const (
	keyV3      = "qazwsxedcrfvtgbyhnujmikolp333333"
	merchantV3 = "1900000109"
	testSerial = "1DDE55AD98ED71D6EDD4A4A16996DE7B47773A8C"
	nonceV3    = "593BEC0C930BF1AFEB40B4A08C8FB242"
	keyID      = "PUB_KEY_ID_0119000001092026112000000000000001"
)

// testKeys returns the wallet's keys, which are of the sandbox's test data, and one of a stranger. Making keys takes long.
var testKeys = sync.OnceValue(func() (keys struct{ first, second, published, stranger *rsa.PrivateKey }) {
	for name, key := range map[string]**rsa.PrivateKey{
		"wallet-1": &keys.first, "wallet-2": &keys.second, "wallet-3": &keys.published, "merchant": &keys.stranger,
	} {
		*key = parsePrivateKey(secret.New(string(must(os.ReadFile("../sandbox/testdata/v3/" + name + ".pem")))))
	}
	return keys
})

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

// must returns the value. It is for what the tests make of their own keys and texts, which cannot fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// x509 returns the certificate, signed by itself.
func (c testCertificate) x509() *x509.Certificate {
	serial, _ := new(big.Int).SetString(c.serial, 16)
	template := x509.Certificate{SerialNumber: serial, Subject: pkix.Name{CommonName: "Wallet of the tests"}, NotBefore: c.from,
		NotAfter: c.until}
	return must(x509.ParseCertificate(must(x509.CreateCertificate(rand.Reader, &template, &template, c.key.Public(), c.key))))
}

func (c testCertificate) pem() string { return pemOf("CERTIFICATE", c.x509().Raw) }

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

func privatePEM(key any) string { return pemOf("PRIVATE KEY", must(x509.MarshalPKCS8PrivateKey(key))) }

func publicPEM(key *rsa.PrivateKey) string {
	return pemOf("PUBLIC KEY", must(x509.MarshalPKIXPublicKey(key.Public())))
}

func merchantPEM() string { return string(must(os.ReadFile("testdata/v3/merchant-key.pem"))) }

// merchantCertificate is what the merchant has given to the wallet.
func merchantCertificate() *x509.Certificate {
	key := parsePrivateKey(secret.New(merchantPEM()))
	return testCertificate{key, testSerial, time.Now().Add(-time.Hour), time.Now().Add(5 * 365 * 24 * time.Hour)}.x509()
}

// sealed returns a resource of the text, encrypted with the key.
func sealed(key, text, associated string) map[string]any {
	gcm := must(cipher.NewGCM(must(aes.NewCipher([]byte(key)))))
	nonce := rand.Text()[:12]
	return map[string]any{
		"algorithm": "AEAD_AES_256_GCM", "nonce": nonce, "associated_data": associated,
		"ciphertext": base64.StdEncoding.EncodeToString(gcm.Seal(nil, []byte(nonce), []byte(text), []byte(associated))),
	}
}

// signedHeader returns the headers that sign the body.
func signedHeader(key *rsa.PrivateKey, serial string, at time.Time, body string) map[string]string {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	sum := sha256.Sum256([]byte(timestamp + "\n" + "n-1" + "\n" + body + "\n"))
	signature := must(rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:]))
	return map[string]string{
		"wechatpay-timestamp": timestamp, "wechatpay-nonce": "n-1", "wechatpay-serial": serial,
		"wechatpay-signature": base64.StdEncoding.EncodeToString(signature),
	}
}

func settingsV3(url string) wallet.Settings {
	return wallet.Settings{
		URL: url, MerchantID: merchantV3, Key: secret.New(keyV3), Deadline: 5 * time.Second,
		AppIDs:     map[payment.WalletApp]string{payment.OfficialAccount: official, payment.SvcIOSApp: service},
		NotifyURL:  "https://plaza.example/api/pay/notify/wallet/v3/",
		PrivateKey: secret.New(merchantPEM()), CertSerial: testSerial,
		PublicKey: secret.New(publicPEM(testKeys().published)), PublicKeyID: keyID,
	}
}

// openV3 returns a gateway whose clock stands at noon.
func openV3(t testing.TB, url string, changes ...func(*wallet.Settings)) *V3 {
	t.Helper()
	s := settingsV3(url)
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
		standIn: &standIn{answers: answers, shown: shown}, now: noon,
		certificates: []testCertificate{firstCertificate()}, signedBy: firstCertificate(),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v3/certificates", w.list)
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
func (w *walletV3) list(rw http.ResponseWriter, r *http.Request) {
	w.mutex.Lock()
	w.fetches++
	certificates, by, now, instead := w.certificates, w.signedBy, w.now, w.onFetch
	w.mutex.Unlock()
	if instead != nil {
		instead(rw, r)
		return
	}
	saysAsV3(by, now, 200, certificateList(certificates...))(rw, r)
}

func certificateList(certificates ...testCertificate) string {
	var data []any
	for _, c := range certificates {
		data = append(data, map[string]any{
			"serial_no": c.serial, "effective_time": c.from.Format(time.RFC3339), "expire_time": c.until.Format(time.RFC3339),
			"encrypt_certificate": sealed(keyV3, c.pem(), "certificate"),
		})
	}
	return encoded(map[string]any{"data": data})
}

func encoded(v any) string { return string(must(json.Marshal(v))) }

// saysV3 answers, signed with the published key.
func saysV3(status int, body string) http.HandlerFunc {
	return saysAsV3(testCertificate{key: testKeys().published, serial: keyID}, noon, status, body)
}

func saysAsV3(by testCertificate, at time.Time, status int, body string) http.HandlerFunc {
	return writesV3(status, body, signedHeader(by.key, by.serial, at, body))
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

// fieldsV3 returns a JSON object of the names and values, and of those that change them. The value nil omits a field.
func fieldsV3(usual []any, changes ...any) string {
	all := map[string]any{}
	for n, fields := 0, changed(usual, changes...); n < len(fields); n += 2 {
		name := fields[n].(string)
		if all[name] = fields[n+1]; fields[n+1] == nil {
			delete(all, name)
		}
	}
	return encoded(all)
}

// unpaidV3 is a payment that is still to come, paidV3 that of paidReceipt, and refundedV3 the refund of refundReported, as the
// wallet reports them.
var (
	unpaidV3 = []any{
		"appid", official, "mchid", merchantV3, "out_trade_no", string(number), "trade_state", "NOTPAY", "trade_state_desc", "open",
	}
	paidV3 = []any{
		"appid", official, "mchid", merchantV3, "out_trade_no", string(number), "transaction_id", "4200000001", "trade_type", "JSAPI",
		"trade_state", "SUCCESS", "trade_state_desc", "paid", "success_time", "2026-11-20T20:01:02+08:00", "payer",
		map[string]any{"openid": payer},
		"amount", map[string]any{"total": 990, "payer_total": 890, "currency": "CNY", "payer_currency": "CNY"},
	}
	refundedV3 = []any{
		"refund_id", "5030000001", "out_refund_no", string(refundNo), "transaction_id", "4200000001", "out_trade_no", string(number),
		"channel", "ORIGINAL", "status", "PROCESSING", "create_time", "2026-11-20T20:01:02+08:00",
		"amount", map[string]any{"total": 990, "refund": 300, "payer_refund": 250, "currency": "CNY"},
	}
)

// eventV3 is the body of a notification.
func eventV3(kind string, resource map[string]any) string {
	resource["original_type"] = "transaction"
	return encoded(map[string]any{
		"id": "EV-1", "create_time": "2026-11-20T20:01:02+08:00", "event_type": kind, "resource_type": "encrypt-resource",
		"summary": "paid", "resource": resource,
	})
}

// notifiedV3 is the body as a notification, signed with the published key.
func notifiedV3(body string) payment.Notification {
	return payment.Notification{Header: signedHeader(testKeys().published, keyID, noon, body), Body: []byte(body)}
}

// paidEventV3 is the body of a notification of a payment.
func paidEventV3(changes ...any) string {
	return eventV3("TRANSACTION.SUCCESS", sealed(keyV3, fieldsV3(paidV3, changes...), "transaction"))
}

// refusalV3 is the body of an answer that refuses a request.
func refusalV3(code string) string {
	return encoded(map[string]any{"code": code, "message": keyV3 + payer, "detail": map[string]any{"value": payer}})
}
