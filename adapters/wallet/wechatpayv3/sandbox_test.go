package wechatpayv3_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/domain/payment"
)

// shopper is a gateway at a sandbox, with an order that is prepared.
type shopper struct {
	*box
	payment.Gateway
	order payment.Order
	no    payment.TradeNo
}

func openShop(t *testing.T, mode sandbox.KeyMode) *shopper {
	t.Helper()
	b := openBox(t, mode)
	server := httptest.NewServer(b.server)
	t.Cleanup(server.Close)
	s := &shopper{box: b, Gateway: b.gateway(server.URL, 5*time.Second)}
	s.prepare("order-7-first")
	return s
}

func (s *shopper) prepare(no payment.TradeNo) {
	s.Helper()
	s.no, s.order = no, payment.NewOrder(1, "Tea", 990, 24*time.Hour, s.now())
	request, err := s.BuildRequest(s.order, payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}, no)
	require.NoError(s, err)
	_, err = s.Prepare(s.Context(), request)
	require.NoError(s, err)
}

// paid pays the order and returns what Receive says to the notification.
func (s *shopper) paid() (notice payment.Notice, err error) {
	s.Helper()
	_, problem := s.pay(s.no, func(n payment.Notification) payment.Acknowledgement {
		notice, err = s.Receive(n)
		return s.Acknowledge(err == nil)
	})
	require.NoError(s, problem)
	return notice, err
}

func (s *shopper) query() error {
	_, err := s.Query(s.Context(), payment.OfficialAccount, s.no)
	return err
}

func TestPAY10_the_sandbox_rotates_its_keys(t *testing.T) {
	s := openShop(t, sandbox.Certificates)
	require.NoError(t, s.server.Rotate())
	s.pass(6 * time.Minute) // a fetch is allowed again
	require.NoError(t, s.query(), "an answer that the new key has signed")
	s.server.Retire()
	notice, err := s.paid()
	require.NoError(t, err)
	require.NotNil(t, notice.Receipt)
	assert.Equal(t, s.no, notice.Receipt.TradeNo)

	require.NoError(t, s.server.SignWith(sandbox.PublicKey))
	assert.ErrorIs(t, s.query(), payment.ErrWalletBadResponse, "a public key that the merchant does not have")
	require.NoError(t, s.server.SignWith(sandbox.Certificates))
	assert.NoError(t, s.query())
}

// A notification may be the first message that names a certificate.
func TestPAY10_the_sandbox_changes_over_to_certificates_and_back(t *testing.T) {
	s := openShop(t, sandbox.PublicKey)
	for n, mode := range []sandbox.KeyMode{sandbox.Certificates, sandbox.PublicKey, sandbox.Certificates} {
		require.NoError(t, s.server.SignWith(mode))
		s.prepare(payment.TradeNo("order-8-" + string(rune('a'+n))))
		_, err := s.paid()
		require.NoError(t, err)
	}
}
