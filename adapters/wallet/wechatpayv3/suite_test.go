package wechatpayv3_test

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/rsa"
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
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/wechatpayv3"
	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/ports"
)

func TestPAY_the_port_of_a_wallet_that_signs_with_a_public_key(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	ports.Gateway(t, func(t *testing.T) ports.Wallet { return openBox(t, sandbox.PublicKey).wallet() })
}

func TestPAY_the_port_of_a_wallet_that_signs_with_certificates(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	ports.Gateway(t, func(t *testing.T) ports.Wallet { return openBox(t, sandbox.Certificates).wallet() })
}

const (
	boxKey      = "qazwsxedcrfvtgbyhnujmikolp444444"
	boxMerchant = "1900000109"
	boxAccount  = "wxd678efh567hg6787"
	boxService  = "wxd930ea5d5a258f4f"
	boxSerial   = "2A"
)

// listener is told of a notification, and answers it.
type listener func(payment.Notification) payment.Acknowledgement

// box is a sandbox with its own clock and a merchant that receives its notifications.
type box struct {
	*testing.T
	server  *sandbox.Server
	shop    *httptest.Server
	mode    sandbox.KeyMode
	private string // the merchant's key

	mu    sync.Mutex
	ahead time.Duration
	off   time.Duration // of the merchant's clock
	told  map[payment.TradeNo]listener
	back  listener // of refunds
}

// walletKeys are the sandbox's keys. Made once, because that takes long.
var walletKeys = sync.OnceValue(func() (keys []*rsa.PrivateKey) {
	for range 3 {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			panic(err)
		}
		keys = append(keys, key)
	}
	return keys
})

func openBox(t *testing.T, mode sandbox.KeyMode) *box {
	t.Helper()
	b := &box{T: t, mode: mode, told: map[payment.TradeNo]listener{}}
	b.shop = httptest.NewServer(http.HandlerFunc(b.hear))
	t.Cleanup(b.shop.Close)
	private, err := os.ReadFile("testdata/merchant-key.pem")
	require.NoError(t, err)
	b.private = string(private)
	b.server, err = sandbox.New(sandbox.Config{
		MerchantID: boxMerchant, Key: secret.New(strings.Repeat("2", 32)), AppIDs: []string{boxAccount, boxService},
		MerchantCert: merchantCertificate(t, private), V3Key: secret.New(boxKey), Keys: walletKeys(), KeyMode: mode,
		PublicURL: "http://127.0.0.1:8090", Clock: b.now,
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, b.server.Run(ctx)) })
	t.Cleanup(running.Wait)
	t.Cleanup(stop)
	return b
}

func (b *box) wallet() ports.Wallet {
	return ports.Wallet{
		Side: b.server, Gateway: b.gateway, Pay: b.pay, RefundOutcome: b.refundEnds, Pass: b.pass, Forgeries: b.forgeries,
		Secrets:  []string{boxKey, strings.Split(b.private, "\n")[1]},
		EndTypes: []payment.EndType{payment.Native, payment.App, payment.JSAPI, payment.H5},
	}
}

// merchantCertificate is what the merchant has given to the wallet.
func merchantCertificate(t *testing.T, private []byte) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode(private)
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	require.NoError(t, err)
	serial, _ := new(big.Int).SetString(boxSerial, 16)
	template := x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: boxMerchant}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(5 * 365 * 24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return certificate
}

func (b *box) gateway(address string, deadline time.Duration) payment.Gateway {
	c := wechatpayv3.Config{
		URL: address, MerchantID: boxMerchant, Key: secret.New(boxKey), PrivateKey: secret.New(b.private), Serial: boxSerial,
		AppIDs:    map[payment.WalletApp]string{payment.OfficialAccount: boxAccount, payment.SvcIOSApp: boxService},
		NotifyURL: b.shop.URL + "/paid/", Deadline: deadline, Now: b.merchantNow,
	}
	if b.mode == sandbox.PublicKey {
		id, text := b.server.PublicKey()
		c.PublicKeyID, c.PublicKey = id, string(text)
	}
	g, err := wechatpayv3.New(c)
	require.NoError(b, err)
	return g
}

// forgeries differ from the notification in one thing that makes it genuine.
func (b *box) forgeries(n payment.Notification) []payment.Notification {
	all := []payment.Notification{{Body: n.Body}}
	with := func(name, value string) {
		header := maps.Clone(n.Header)
		header[name] = value
		all = append(all, payment.Notification{Header: header, Body: n.Body})
	}
	const timestamp, nonce, signature, serial = "wechatpay-timestamp", "wechatpay-nonce", "wechatpay-signature", "wechatpay-serial"
	for _, name := range []string{timestamp, nonce, signature, serial} {
		with(name, "")
	}
	at, err := strconv.ParseInt(n.Header[timestamp], 10, 64)
	require.NoError(b, err)
	with(timestamp, strconv.FormatInt(at-301, 10))
	with(timestamp, strconv.FormatInt(at+301, 10))
	with(serial, "5157F09EFDC096DE15EBE81A47057A7232F1B8E1")
	with(serial, "PUB_KEY_ID_0")
	with(serial, boxSerial)
	with(signature, "WECHATPAY/SIGNTEST/"+n.Header[signature])
	with(signature, base64.StdEncoding.EncodeToString(make([]byte, 256)))
	all = append(all, payment.Notification{Header: n.Header, Body: []byte(strings.Replace(string(n.Body), "transaction", "refund", 1))})
	return all
}

func (b *box) now() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Add(b.ahead)
}

// merchantNow is the time by the merchant's clock, which skew changes.
func (b *box) merchantNow() time.Time {
	now := b.now()
	b.mu.Lock()
	defer b.mu.Unlock()
	return now.Add(b.off)
}

func (b *box) pass(life time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ahead += life
}

func (b *box) pay(no payment.TradeNo, told func(payment.Notification) payment.Acknowledgement) (taken bool, err error) {
	b.mu.Lock()
	b.told[no] = told
	b.mu.Unlock()
	if _, err := b.server.Pay(string(no), sandbox.PaymentOptions{}); err != nil {
		return false, err
	}
	assert.Eventually(b, func() bool { return b.trade(no).Attempts > 0 }, 10*time.Second, time.Millisecond)
	return b.trade(no).Notified, nil
}

// refundStates are the wallet's names.
var refundStates = map[payment.RefundState]sandbox.RefundState{
	payment.RefundSucceeded: sandbox.RefundSucceeded, payment.RefundClosed: sandbox.RefundClosed, payment.RefundAbnormal: sandbox.RefundAbnormal,
}

func (b *box) refundEnds(no payment.RefundNo, s payment.RefundState, told func(payment.Notification) payment.Acknowledgement) error {
	b.mu.Lock()
	b.back = told
	b.mu.Unlock()
	if err := b.server.RefundOutcome(string(no), refundStates[s]); err != nil {
		return err
	}
	assert.Eventually(b, func() bool {
		return slices.ContainsFunc(b.server.Refunds(), func(r sandbox.Refund) bool { return r.No == string(no) && r.Notified })
	}, 10*time.Second, time.Millisecond)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.back = nil
	return nil
}

func (b *box) trade(no payment.TradeNo) sandbox.Trade {
	all := b.server.Ledger()
	return all[slices.IndexFunc(all, func(t sandbox.Trade) bool { return t.OutTradeNo == string(no) })]
}

// hear passes a notification to its listener and answers as that decides.
func (b *box) hear(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	assert.NoError(b, err)
	told := b.listener(body)
	if !assert.NotNil(b, told, "a notification of no payment") {
		return
	}
	n := payment.Notification{Header: map[string]string{}, Body: body}
	for name, values := range r.Header {
		if strings.HasPrefix(name, "Wechatpay-") && assert.Len(b, values, 1) {
			n.Header[strings.ToLower(name)] = values[0]
		}
	}
	answer := told(n)
	w.Header().Set("Content-Type", answer.MediaType)
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body) // the sandbox checks that the answer arrives
}

// listener receives the notification. Its number is encrypted.
func (b *box) listener(body []byte) listener {
	var said struct {
		Resource struct {
			Ciphertext []byte `json:"ciphertext"`
			Nonce      string `json:"nonce"`
			Data       string `json:"associated_data"`
		} `json:"resource"`
	}
	if !assert.NoError(b, json.Unmarshal(body, &said)) {
		return nil
	}
	block, err := aes.NewCipher([]byte(boxKey))
	assert.NoError(b, err)
	gcm, err := cipher.NewGCM(block)
	assert.NoError(b, err)
	plain, err := gcm.Open(nil, []byte(said.Resource.Nonce), said.Resource.Ciphertext, []byte(said.Resource.Data))
	var about struct {
		No     payment.TradeNo  `json:"out_trade_no"`
		Refund payment.RefundNo `json:"out_refund_no"`
	}
	if !assert.NoError(b, err) || !assert.NoError(b, json.Unmarshal(plain, &about)) {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if about.Refund != "" {
		return b.back
	}
	return b.told[about.No]
}
