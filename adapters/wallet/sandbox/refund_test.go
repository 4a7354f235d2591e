package sandbox

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/secret"
)

// refundRequest returns a request for a refund of the trade, from this machine.
func refundRequest(t ledger.Trade, no string, amount int64) *http.Request {
	body := render("xml", signedAs(fields{
		"appid": t.AppID, "mch_id": "10000100", "nonce_str": "n", "sign_type": hmacSign, "transaction_id": t.TransactionID,
		"out_refund_no": no, "total_fee": fmt.Sprint(t.Amount), "refund_fee": fmt.Sprint(amount), "refund_fee_type": "CNY",
		"refund_desc": "Paid twice", "notify_url": "https://plaza.example/notify/refund/",
	}))
	r := httptest.NewRequest(http.MethodPost, "/secapi/pay/refund", bytes.NewReader(body))
	r.RemoteAddr = "127.0.0.1:1"
	return r
}

// refunds asks for a refund, and returns the code of the refusal, or none.
func refunds(t *testing.T, s *Server, trade ledger.Trade, no string, amount int64) (code string) {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, refundRequest(trade, no, amount))
	reply, err := parse(w.Body.Bytes())
	require.NoError(t, err)
	return reply["err_code"]
}

func TestPAY14_version_2_refunds_need_the_merchants_certificate(t *testing.T) {
	text, err := os.ReadFile("testdata/v3/merchant-cert.pem")
	require.NoError(t, err)
	block, _ := pem.Decode(text)
	own, err := x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	cfg := config(newClock())
	cfg.MerchantCert, cfg.V3Key = own, secret.New("0123456789abcdef0123456789abcdef")
	s := start(t, cfg)
	trade := paid(t, s, "order-1")
	send := func(s *Server, change func(*http.Request)) string {
		r := refundRequest(trade, "refund-1", 1)
		change(r)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Body.String()
	}
	brings := func(c *x509.Certificate) func(*http.Request) {
		return func(r *http.Request) { r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{c}} }
	}
	for name, change := range map[string]func(*http.Request){
		"another machine":     func(r *http.Request) { r.RemoteAddr = "192.0.2.1:1" },
		"no certificate":      func(r *http.Request) { r.TLS = &tls.ConnectionState{} },
		"another certificate": brings(s.listed.cert),
	} {
		assert.Contains(t, send(s, change), "CERT_ERROR", name)
	}
	assert.Contains(t, send(start(t, config(newClock())), brings(own)), "CERT_ERROR", "there is none")
	assert.Empty(t, s.Refunds())
	assert.NotContains(t, send(s, brings(own)), "FAIL")
	assert.Len(t, s.Refunds(), 1)
}

func TestPAY14_a_refund_survives_a_kill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	cfg := config(newClock())
	cfg.Journal = path
	s := start(t, cfg)
	trade := paid(t, s, "order-1")
	for _, no := range []string{"refund-1", "refund-2"} {
		require.Empty(t, refunds(t, s, trade, no, 400))
	}
	require.NoError(t, s.EndRefund("refund-2", ledger.RefundAbnormal))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(whole, `{"out_trade_no":"torn`...), 0o600))
	again := start(t, cfg)
	assert.Equal(t, s.Refunds(), again.Refunds())
	assert.Equal(t, s.Trades(), again.Trades())
	assert.Equal(t, "INVALID_REQUEST", refunds(t, again, trade, "refund-3", 191))
	assert.Equal(t, s.Ledger.Pending(), again.Ledger.Pending(), "the merchant is still to be notified")
	placed(t, again, "order-2")
	assert.Equal(t, again.Trades(), start(t, cfg).Trades(), "nothing is left of the torn line")
	require.NoError(t, again.Close())
	require.Error(t, again.EndRefund("refund-1", ledger.RefundSucceeded))
	assert.Equal(t, ledger.RefundProcessing, again.Refunds()[0].State, "what cannot be kept has not happened")
	assert.Equal(t, "SYSTEMERROR", refunds(t, again, trade, "refund-3", 1))
}

func TestPAY14_refunds_end_by_themselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := config(nil)
		cfg.Clock, cfg.RefundTime, cfg.Scale = time.Now, time.Hour, 60
		s := start(t, cfg)
		m := newMerchant(s)
		running(t, s)
		require.Equal(t, "SUCCESS", ask(t, s, UnifiedOrder, with(order("order-1"), fields{"time_expire": "-"}))["result_code"])
		trade, err := s.Pay("order-1")
		require.NoError(t, err)
		<-m.got
		require.Empty(t, refunds(t, s, trade, "refund-1", 400))
		pass(time.Minute - time.Millisecond)
		synctest.Wait()
		assert.Equal(t, ledger.RefundProcessing, s.Refunds()[0].State)
		pass(time.Millisecond)
		synctest.Wait()
		assert.Equal(t, ledger.RefundSucceeded, s.Refunds()[0].State)
		assert.True(t, s.Refunds()[0].Notified)
	})
}

func TestPAY15_bills_that_go_wrong(t *testing.T) {
	clk := newClock()
	s := start(t, config(clk))
	paid(t, s, "order-1")
	require.Empty(t, refunds(t, s, paid(t, s, "order-2"), "refund-1", 10))
	require.NoError(t, s.EndRefund("refund-1", ledger.RefundSucceeded))
	clk.add(48 * time.Hour)
	bill := func() string {
		f := with(about(""), fields{"out_trade_no": "-", "bill_date": "20260102", "bill_type": "ALL"})
		return call(s, http.MethodPost, "/pay/downloadbill", string(render("xml", signedAs(f)))).Body.String()
	}
	good := bill()
	assert.Contains(t, good, "`3,`19.80,`0.10")
	for trick, want := range map[Trick]string{
		LoseLine: "`2,`19.80,`0.00", Amount: "`3,`19.81,`0.10", BadHash: "`3,`19.81,`0.10", Garbage: "<html>", ErrorAfter: "SYSTEMERROR",
	} {
		require.NoError(t, s.Misbehave(Misbehaviour{On: TradeBill, Do: trick}))
		assert.Contains(t, bill(), want, trick)
	}
	require.NoError(t, s.Misbehave(Misbehaviour{On: TradeBill, Do: Truncate}))
	assert.Len(t, bill(), len(good)/2)
}
