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

func TestPAY10_signatures_that_the_sandbox_makes_wrong(t *testing.T) {
	for _, mode := range []sandbox.KeyMode{sandbox.Certificates, sandbox.PublicKey} {
		for _, trick := range []sandbox.Trick{sandbox.Probe, sandbox.Old, sandbox.OtherSerial, sandbox.Forge} {
			t.Run(string(mode)+" "+string(trick), func(t *testing.T) {
				s := openShop(t, mode)
				require.NoError(t, s.server.Misbehave(sandbox.Misbehaviour{On: sandbox.QueryTrade, Do: trick}))
				assert.ErrorIs(t, s.query(), payment.ErrWalletBadResponse)
				require.NoError(t, s.query())

				require.NoError(t, s.server.Misbehave(sandbox.Misbehaviour{On: sandbox.CloseTrade, Do: trick}))
				assert.ErrorIs(t, s.Close(t.Context(), payment.OfficialAccount, s.no), payment.ErrWalletBadResponse, "204 without a valid signature")
				assert.ErrorIs(t, s.Close(t.Context(), payment.OfficialAccount, s.no), payment.ErrWalletClosed)

				s.prepare("order-7-second")
				require.NoError(t, s.server.Misbehave(sandbox.Misbehaviour{On: sandbox.Notify, Do: trick}))
				_, err := s.paid()
				assert.ErrorIs(t, err, payment.ErrForged)
			})
		}
	}
}

// The wallet takes no request whose time is more than five minutes away, and says so without a signature. The server takes
// no notification then. Both say what is wrong, and go on when the clock is right.
func TestPAY13_a_clock_that_is_ten_minutes_off(t *testing.T) {
	for _, off := range []time.Duration{-10 * time.Minute, 10 * time.Minute} {
		s := openShop(t, sandbox.PublicKey)
		s.skew(off)
		err := s.query()
		require.ErrorIs(t, err, payment.ErrWalletRefused)
		assert.ErrorContains(t, err, "this server's clock differs from the wallet's by 10m0s")
		_, err = s.paid()
		require.ErrorIs(t, err, payment.ErrForged)
		assert.ErrorContains(t, err, "timestamp differs from this server's clock by 10m0s: check the clock")
		s.skew(0)
		report, err := s.Query(t.Context(), payment.OfficialAccount, s.no)
		require.NoError(t, err)
		assert.Equal(t, payment.WalletPaid, report.State)
	}
}

func TestPAY10_what_the_payer_pays_may_be_less_than_the_order(t *testing.T) {
	s := openShop(t, sandbox.PublicKey)
	_, err := s.server.Pay(string(s.no), sandbox.PaymentOptions{Coupon: 90, Notification: sandbox.Misbehaviour{Do: sandbox.Lose}})
	require.NoError(t, err)
	report, err := s.Query(t.Context(), payment.OfficialAccount, s.no)
	require.NoError(t, err)
	assert.Equal(t, int64(990), report.Receipt.Amount)
}

func TestPAY15_bills_that_go_wrong(t *testing.T) {
	s := openShop(t, sandbox.PublicKey)
	day := payment.DayOf(s.now())
	_, err := s.paid()
	require.NoError(t, err)
	s.pass(48 * time.Hour)
	read := func() (lines []payment.BillLine, err error) {
		err = s.Gateway.Bill(t.Context(), day, func(l payment.BillLine) error {
			lines = append(lines, l)
			return nil
		})
		return lines, err
	}
	lines, err := read()
	require.NoError(t, err)
	require.Len(t, lines, 1)
	for trick, on := range map[sandbox.Trick]sandbox.Operation{
		sandbox.BadHash: sandbox.TradeBill, sandbox.Forge: sandbox.TradeBill, sandbox.Truncate: sandbox.DownloadBill, sandbox.Garbage: sandbox.DownloadBill,
	} {
		require.NoError(t, s.server.Misbehave(sandbox.Misbehaviour{On: on, Do: trick}))
		lines, err := read()
		require.ErrorIs(t, err, payment.ErrWalletBadResponse, trick)
		assert.Empty(t, lines)
	}
}
