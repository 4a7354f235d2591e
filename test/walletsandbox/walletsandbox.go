// Package walletsandbox runs the wallet sandbox for the suite of gateways: with a clock of its own, and with a
// merchant that passes on the notifications that it receives.
package walletsandbox

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/domain/payment"
)

// listener is told of a notification, and answers it.
type listener = func(payment.Notification) payment.Acknowledgement

// Sandbox is a wallet that runs until the test ends.
type Sandbox struct {
	*testing.T
	*sandbox.Server
	MerchantURL string // of the merchant, who receives notifications under /paid/; else it is the wallet's
	// Gateway returns a gateway whose wallet is at the address. The merchant reads with it what a notification is about.
	Gateway func(address string, deadline time.Duration) payment.Gateway

	mu    sync.Mutex
	ahead time.Duration
	told  map[string]listener // by the number of the payment or of the refund
}

// Open runs a sandbox. The caller sets the gateway.
func Open(t *testing.T, c sandbox.Config) *Sandbox {
	t.Helper()
	s := &Sandbox{T: t, told: map[string]listener{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/paid/", s.notified)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.Server.ServeHTTP(w, r) })
	merchant := httptest.NewServer(mux)
	t.Cleanup(merchant.Close)
	s.MerchantURL = merchant.URL
	c.PublicURL, c.Clock = "http://127.0.0.1:8090", s.Now
	var err error
	s.Server, err = sandbox.New(c)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { assert.NoError(t, s.Server.Run(ctx)) })
	t.Cleanup(running.Wait)
	t.Cleanup(stop)
	return s
}

// Now returns the time at the wallet.
func (s *Sandbox) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Add(s.ahead)
}

// Pass is ports.Wallet.Pass.
func (s *Sandbox) Pass(life time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ahead += life
}

// listen passes the notifications of the number to the listener.
func (s *Sandbox) listen(number string, told listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.told[number] = told
}

// Pay is ports.Wallet.Pay.
func (s *Sandbox) Pay(no payment.TradeNo, told func(payment.Notification) payment.Acknowledgement) (taken bool, err error) {
	s.listen(string(no), told)
	if _, err := s.Server.Pay(string(no)); err != nil {
		return false, err
	}
	trade := func() sandbox.Trade {
		all := s.Ledger()
		return all[slices.IndexFunc(all, func(t sandbox.Trade) bool { return t.OutTradeNo == string(no) })]
	}
	assert.Eventually(s, func() bool { return trade().Attempts > 0 }, 10*time.Second, time.Millisecond)
	return trade().Notified, nil
}

// refundStates are the wallet's names.
var refundStates = map[payment.RefundState]sandbox.RefundState{
	payment.RefundSucceeded: sandbox.RefundSucceeded, payment.RefundClosed: sandbox.RefundClosed,
	payment.RefundAbnormal: sandbox.RefundAbnormal,
}

// RefundOutcome is ports.Wallet.RefundOutcome.
func (s *Sandbox) RefundOutcome(
	no payment.RefundNo, state payment.RefundState, told func(payment.Notification) payment.Acknowledgement,
) error {
	s.listen(string(no), told)
	if err := s.Server.RefundOutcome(string(no), refundStates[state]); err != nil {
		return err
	}
	assert.Eventually(s, func() bool {
		return slices.ContainsFunc(s.Refunds(), func(r sandbox.Refund) bool { return r.No == string(no) && r.Notified })
	}, 10*time.Second, time.Millisecond)
	return nil
}

// notified passes a notification to its listener and answers as that decides.
func (s *Sandbox) notified(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	assert.NoError(s, err)
	n := payment.Notification{Header: map[string]string{}, Body: body}
	for name, values := range r.Header {
		if strings.HasPrefix(name, "Wechatpay-") && assert.Len(s, values, 1) {
			n.Header[strings.ToLower(name)] = values[0]
		}
	}
	notice, err := s.Gateway(s.MerchantURL, time.Minute).Receive(n)
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
