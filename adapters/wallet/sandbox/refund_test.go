package sandbox

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const refundsV3 = "/v3/refund/domestic/refunds"

// refundBody returns a valid body. change replaces fields; nil removes one.
func refundBody(t Trade, no string, amount int64, change object) string {
	o := object{
		"transaction_id": t.TransactionID, "out_refund_no": no, "reason": "Paid twice",
		"notify_url": "https://plaza.example/notify/v3/", "amount": object{"refund": amount, "total": t.Amount, "currency": "CNY"},
	}
	for name, value := range change {
		if o[name] = value; value == nil {
			delete(o, name)
		}
	}
	return string(marshal(o))
}

func refundV2(t Trade, no string, amount int64) fields {
	return fields{
		"appid": t.AppID, "mch_id": "10000100", "nonce_str": "n", "sign_type": hmacSign, "transaction_id": t.TransactionID,
		"out_refund_no": no, "total_fee": fmt.Sprint(t.Amount), "refund_fee": fmt.Sprint(amount), "refund_fee_type": "CNY",
		"refund_desc": "Paid twice", "notify_url": "https://plaza.example/notify/refund/",
	}
}

// askRefundV2 asks from this machine.
func askRefundV2(t *testing.T, s *Server, f fields) fields {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/secapi/pay/refund", strings.NewReader(string(render("xml", signedAs(f)))))
	r.RemoteAddr = "127.0.0.1:1"
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	reply, err := parse(w.Body.Bytes())
	require.NoError(t, err)
	return reply
}

// refunder asks for refunds in one of the protocols. It returns the error's code, or none.
type refunder struct {
	ask   func(t *testing.T, s *Server, trade Trade, no string, amount int64) (code string)
	state func(t *testing.T, s *Server, no string) string
}

var refunders = map[Protocol]refunder{
	V2: {
		func(t *testing.T, s *Server, trade Trade, no string, amount int64) string {
			return askRefundV2(t, s, refundV2(trade, no, amount))["err_code"]
		},
		func(t *testing.T, s *Server, no string) string {
			return ask(t, s, RefundQuery, with(about(""), fields{"out_trade_no": "-", "out_refund_no": no}))["refund_status_0"]
		},
	},
	V3: {
		func(t *testing.T, s *Server, trade Trade, no string, amount int64) string {
			_, reply := askV3(t, s, http.MethodPost, refundsV3, refundBody(trade, no, amount, nil))
			code, _ := reply["code"].(string)
			return code
		},
		func(t *testing.T, s *Server, no string) string {
			_, reply := askV3(t, s, http.MethodGet, refundsV3+"/"+no, "")
			return reply["status"].(string)
		},
	},
}

func TestPAY14_version_2_refunds_need_the_merchants_certificate(t *testing.T) {
	s, _ := startV3(t)
	trade := paidV3(t, s, "order-1")
	send := func(s *Server, change func(*http.Request)) string {
		body := render("xml", signedAs(refundV2(trade, "refund-1", 1)))
		r := httptest.NewRequest(http.MethodPost, "/secapi/pay/refund", strings.NewReader(string(body)))
		change(r)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Body.String()
	}
	other, err := x509.ParseCertificate(s.listed.cert.Raw)
	require.NoError(t, err)
	for name, change := range map[string]func(*http.Request){
		"another machine":     func(r *http.Request) { r.RemoteAddr = "192.0.2.1:1" },
		"no address":          func(r *http.Request) { r.RemoteAddr = "" },
		"no certificate":      func(r *http.Request) { r.TLS, r.RemoteAddr = &tls.ConnectionState{}, "127.0.0.1:1" },
		"another certificate": func(r *http.Request) { r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{other}} },
	} {
		assert.Contains(t, send(s, change), "CERT_ERROR", name)
	}
	mine := func(r *http.Request) {
		r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{s.notifier.MerchantCert}}
	}
	assert.Contains(t, send(start(t, config(newClock())), mine), "CERT_ERROR", "there is none")
	assert.Empty(t, s.Refunds())
	assert.NotContains(t, send(s, mine), "FAIL")
	assert.Len(t, s.Refunds(), 1)
}

func TestPAY14_a_refund_survives_a_kill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	withJournal := func(c *Config) { c.Journal = path }
	s, _ := startV3(t, withJournal)
	trade := paidV3(t, s, "order-1")
	for _, no := range []string{"refund-1", "refund-2"} {
		require.Empty(t, refunders[V3].ask(t, s, trade, no, 400))
	}
	require.NoError(t, s.RefundOutcome("refund-2", RefundAbnormal))
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(whole, `{"out_trade_no":"torn`...), 0o600))
	again, _ := startV3(t, withJournal)
	assert.Equal(t, s.Refunds(), again.Refunds())
	assert.Equal(t, s.Ledger(), again.Ledger())
	assert.Equal(t, "INVALID_REQUEST", refunders[V3].ask(t, again, trade, "refund-3", 191))
	assert.Equal(t, s.ledger.Pending(), again.ledger.Pending(), "the merchant is still to be notified")
	placedV3(t, again, "order-2")
	third, _ := startV3(t, withJournal)
	assert.Equal(t, again.Ledger(), third.Ledger(), "nothing is left of the torn line")
	require.NoError(t, again.Close())
	require.Error(t, again.RefundOutcome("refund-1", RefundSucceeded))
	assert.Equal(t, RefundProcessing, again.Refunds()[0].State, "what cannot be kept has not happened")
	assert.Equal(t, "SYSTEM_ERROR", refunders[V3].ask(t, again, trade, "refund-3", 1))
}
