package wechatpay

import (
	"context"
	"crypto/rsa"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/ports"
)

// listener is told of a notification, and answers it.
type listener = func(payment.Notification) payment.Acknowledgement

// sandboxed is a sandbox with a clock of its own, and with a merchant that passes on the notifications that it receives.
type sandboxed struct {
	*testing.T
	*sandbox.Server
	merchantURL string // of the merchant, who receives notifications under /paid/; else it is the wallet's
	// gateway returns a gateway whose wallet is at the address. The merchant reads with it what a notification is about.
	gateway func(address string, deadline time.Duration) payment.Gateway

	ahead atomic.Int64
	mu    sync.Mutex
	told  map[string]listener // by the number of the payment or of the refund
}

// openSandbox runs a sandbox of both versions until the test ends. The caller sets the gateway.
func openSandbox(t *testing.T, mode sandbox.KeyMode) (ports.Wallet, *sandboxed) {
	t.Helper()
	s := &sandboxed{T: t, told: map[string]listener{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/paid/", s.notified)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.Server.ServeHTTP(w, r) })
	merchant := httptest.NewServer(mux)
	t.Cleanup(merchant.Close)
	s.merchantURL = merchant.URL
	keys := testKeys()
	s.Server = must(sandbox.New(sandbox.Config{
		MerchantID: merchantV2, Key: secret.New(keyV2), AppIDs: []string{official, service}, MerchantCert: merchantCertificate(),
		V3Key: secret.New(keyV3), Keys: []*rsa.PrivateKey{keys.first, keys.second, keys.published}, KeyMode: mode,
		PublicURL: "http://127.0.0.1:8090", Config: ledger.Config{Clock: s.Now},
	}))
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, s.Server.Run(ctx)) })
	t.Cleanup(running.Wait)
	t.Cleanup(stop)
	return ports.Wallet{
		Side: s.Server, Pay: s.Pay, RefundOutcome: s.RefundOutcome, Pass: s.Pass,
		EndTypes: []payment.EndType{payment.Native, payment.App, payment.JSAPI, payment.H5},
	}, s
}

// Now returns the time at the wallet.
func (s *sandboxed) Now() time.Time {
	return time.Now().Add(time.Duration(s.ahead.Load()))
}

// Pass is ports.Wallet.Pass.
func (s *sandboxed) Pass(life time.Duration) {
	s.ahead.Add(int64(life))
}

// listen passes the notifications of the number to the listener.
func (s *sandboxed) listen(number string, told listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told[number] = told
}

// Pay is ports.Wallet.Pay.
func (s *sandboxed) Pay(no payment.TradeNo, told func(payment.Notification) payment.Acknowledgement) (taken bool, err error) {
	s.listen(string(no), told)
	if _, err := s.Server.Pay(string(no)); err != nil {
		return false, err
	}
	trade := func() ledger.Trade {
		all := s.Trades()
		return all[slices.IndexFunc(all, func(t ledger.Trade) bool { return t.OutTradeNo == string(no) })]
	}
	assert.Eventually(s, func() bool { return trade().Attempts > 0 }, 10*time.Second, time.Millisecond)
	return trade().Notified, nil
}

// sandboxStates are the sandbox's names.
var sandboxStates = map[payment.RefundState]ledger.RefundState{
	payment.RefundSucceeded: ledger.RefundSucceeded, payment.RefundClosed: ledger.RefundClosed,
	payment.RefundAbnormal: ledger.RefundAbnormal,
}

// RefundOutcome is ports.Wallet.RefundOutcome.
func (s *sandboxed) RefundOutcome(
	no payment.RefundNo, state payment.RefundState, told func(payment.Notification) payment.Acknowledgement,
) error {
	s.listen(string(no), told)
	if err := s.Server.EndRefund(string(no), sandboxStates[state]); err != nil {
		return err
	}
	assert.Eventually(s, func() bool {
		return slices.ContainsFunc(s.Refunds(), func(r ledger.Refund) bool { return r.No == string(no) && r.Notified })
	}, 10*time.Second, time.Millisecond)
	return nil
}

// notified passes a notification to its listener and answers as that decides.
func (s *sandboxed) notified(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	assert.NoError(s, err)
	n := payment.Notification{Header: map[string]string{}, Body: body}
	for name, values := range r.Header {
		if strings.HasPrefix(name, "Wechatpay-") && assert.Len(s, values, 1) {
			n.Header[strings.ToLower(name)] = values[0]
		}
	}
	notice, err := s.gateway(s.merchantURL, time.Minute).Receive(n)
	assert.NoError(s, err)
	number := string(notice.Refund)
	if notice.Receipt != nil {
		number = string(notice.Receipt.TradeNo)
	}
	s.mu.Lock()
	told := s.told[number]
	s.mu.Unlock()
	if !assert.NotNil(s, told, "a notification of no payment") {
		return
	}
	answer := told(n)
	w.Header().Set("Content-Type", answer.MediaType)
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body) // the sandbox checks that the answer arrives
}
