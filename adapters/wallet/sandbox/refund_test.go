package sandbox

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	r := httptest.NewRequest(http.MethodPost, "/secapi/pay/refund", strings.NewReader(string(render(signedAs(f)))))
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

// inBoth runs a test for each protocol.
func inBoth(t *testing.T, f func(t *testing.T, p Protocol, r refunder)) {
	for p, r := range refunders {
		t.Run(string(p), func(t *testing.T) { f(t, p, r) })
	}
}

func TestPAY14_rules_of_refunds(t *testing.T) {
	inBoth(t, func(t *testing.T, p Protocol, r refunder) {
		s, clk := startV3(t)
		trade := paidV3(t, s, "order-1")
		mismatch, overdue := "REFUND_FEE_MISMATCH", "TRADE_OVERDUE"
		if p == V3 {
			mismatch, overdue = "INVALID_REQUEST", "INVALID_REQUEST"
		}
		assert.Empty(t, r.ask(t, s, trade, "refund-1", 400))
		assert.Empty(t, r.ask(t, s, trade, "refund-1", 400), "the same again")
		require.Len(t, s.Refunds(), 1)
		assert.Equal(t, mismatch, r.ask(t, s, trade, "refund-1", 401))
		assert.Equal(t, "INVALID_REQUEST", r.ask(t, s, trade, "refund-2", 591), "more than is left")
		assert.Empty(t, r.ask(t, s, trade, "refund-2", 590))
		assert.Equal(t, "INVALID_REQUEST", r.ask(t, s, trade, "refund-3", 1), "nothing is left")
		require.NoError(t, s.RefundOutcome("refund-2", RefundAbnormal))
		assert.Equal(t, "INVALID_REQUEST", r.ask(t, s, trade, "refund-3", 1), "it left the merchant")
		require.NoError(t, s.RefundOutcome("refund-1", RefundClosed))
		assert.Empty(t, r.ask(t, s, trade, "refund-3", 400), "nothing was returned")

		other := paidV3(t, s, "order-2")
		assert.Equal(t, mismatch, r.ask(t, s, other, "refund-1", 400), "of another order")
		wrong := other
		wrong.Amount = 991
		assert.Equal(t, "INVALID_REQUEST", r.ask(t, s, wrong, "refund-4", 400), "another total")
		for i := range maxParts {
			assert.Empty(t, r.ask(t, s, other, fmt.Sprintf("part-%d", i), 1))
		}
		assert.Equal(t, "INVALID_REQUEST", r.ask(t, s, other, "part-50", 1))

		third := paidV3(t, s, "order-3")
		clk.add(refundTerm + 1)
		assert.Equal(t, overdue, r.ask(t, s, third, "late-1", 1))
		assert.Len(t, s.Refunds(), 3+maxParts)
	})
}

func TestPAY14_a_refund_needs_a_paid_order(t *testing.T) {
	s, _ := startV3(t)
	placedV3(t, s, "order-1")
	for _, change := range []object{{"transaction_id": "4200"}, {"transaction_id": nil, "out_trade_no": "order-1"}, {"transaction_id": nil, "out_trade_no": "order-9"}} {
		status, reply := askV3(t, s, http.MethodPost, refundsV3, refundBody(s.Ledger()[0], "refund-1", 1, change))
		assert.Equal(t, http.StatusNotFound, status)
		assert.Equal(t, "RESOURCE_NOT_EXISTS", reply["code"])
	}
	f := refundV2(s.Ledger()[0], "refund-1", 1)
	for _, change := range []fields{{"transaction_id": "4200"}, {"transaction_id": "-", "out_trade_no": "order-1"}} {
		assert.Equal(t, "ORDERNOTEXIST", askRefundV2(t, s, with(f, change))["err_code"])
	}
	trade := paidV3(t, s, "order-2")
	assert.Equal(t, "APPID_MCHID_NOT_MATCH", askRefundV2(t, s, with(refundV2(trade, "refund-1", 1), fields{"appid": "wxother"}))["err_code"])
	assert.Empty(t, s.Refunds())
	status, reply := askV3(t, s, http.MethodGet, refundsV3+"/refund-1", "")
	assert.Equal(t, http.StatusNotFound, status)
	assert.Equal(t, "RESOURCE_NOT_EXISTS", reply["code"])
}

func TestPAY14_requests_for_refunds_are_checked(t *testing.T) {
	s, _ := startV3(t)
	trade := paidV3(t, s, "order-1")
	amount := func(refund, total any, currency string) object {
		return object{"amount": object{"refund": refund, "total": total, "currency": currency}}
	}
	for _, change := range []object{
		{"out_refund_no": nil}, {"out_refund_no": "a b"}, {"out_refund_no": strings.Repeat("a", 65)}, {"transaction_id": nil},
		{"out_trade_no": "order-1"}, {"reason": strings.Repeat("a", 81)}, {"notify_url": "http://plaza.example/"}, {"amount": nil},
		amount(1, 990, "EUR"), amount(0, 990, "CNY"), amount("1", 990, "CNY"), amount(991, 990, "CNY"), {"op_user_id": "x"},
	} {
		status, reply := askV3(t, s, http.MethodPost, refundsV3, refundBody(trade, "refund-1", 1, change))
		assert.Equal(t, http.StatusBadRequest, status, change)
		assert.Equal(t, "PARAM_ERROR", reply["code"], change)
	}
	for _, change := range []fields{
		{"out_refund_no": "-"}, {"out_refund_no": "a b"}, {"transaction_id": "-"}, {"total_fee": "1.5"}, {"refund_fee": "0"},
		{"refund_fee": "991"}, {"refund_fee_type": "EUR"}, {"notify_url": "http://plaza.example/"}, {"refund_desc": strings.Repeat("a", 81)}, {"x": "y"},
	} {
		assert.Contains(t, []string{"PARAM_ERROR", "LACK_PARAMS"}, askRefundV2(t, s, with(refundV2(trade, "refund-1", 1), change))["err_code"], change)
	}
	assert.Empty(t, s.Refunds())
}

func TestPAY14_version_2_refunds_need_the_merchants_certificate(t *testing.T) {
	s, _ := startV3(t)
	trade := paidV3(t, s, "order-1")
	send := func(s *Server, change func(*http.Request)) string {
		r := httptest.NewRequest(http.MethodPost, "/secapi/pay/refund", strings.NewReader(string(render(signedAs(refundV2(trade, "refund-1", 1))))))
		change(r)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Body.String()
	}
	other, err := x509.ParseCertificate(s.keys.listed[0].cert.Raw)
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
		r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{s.cfg.MerchantCert}}
	}
	assert.Contains(t, send(start(t, config(newClock())), mine), "CERT_ERROR", "there is none")
	assert.Empty(t, s.Refunds())
	assert.NotContains(t, send(s, mine), "FAIL")
	assert.Len(t, s.Refunds(), 1)
}

func TestPAY14_a_refund_ends_as_the_wallet_says(t *testing.T) {
	v2 := map[RefundState]string{RefundSucceeded: "SUCCESS", RefundClosed: "REFUNDCLOSE", RefundAbnormal: "CHANGE"}
	inBoth(t, func(t *testing.T, p Protocol, r refunder) {
		for state, want := range v2 {
			s, clk := startV3(t)
			trade := paidV3(t, s, "order-1")
			require.Empty(t, r.ask(t, s, trade, "refund-1", 400))
			assert.Equal(t, "PROCESSING", r.state(t, s, "refund-1"))
			assert.Equal(t, "REFUND", ask(t, s, OrderQuery, about("order-1"))["trade_state"])
			clk.add(time.Minute)
			require.NoError(t, s.RefundOutcome("refund-1", state))
			if p == V3 {
				want = string(state)
			}
			assert.Equal(t, want, r.state(t, s, "refund-1"))
			_, reply := askV3(t, s, http.MethodGet, refundsV3+"/refund-1", "")
			assert.Equal(t, state == RefundSucceeded, reply["success_time"] == "2026-01-02T11:05:05+08:00")
			assert.Equal(t, map[string]any{
				"refund": 400.0, "total": 990.0, "currency": "CNY", "payer_total": 990.0, "payer_refund": 400.0, "settlement_total": 990.0, "settlement_refund": 400.0,
			}, reply["amount"])
			_, reply = askV3(t, s, http.MethodGet, aboutV3+"order-1?mchid=10000100", "")
			assert.Equal(t, state != RefundClosed, reply["trade_state"] == "REFUND")
			assert.Equal(t, Success, s.Ledger()[0].State, "the payment keeps its state")
			for _, again := range []RefundState{RefundClosed, RefundAbnormal} {
				require.ErrorIs(t, s.RefundOutcome("refund-1", again), ErrRefundEnded)
			}
			err := s.RefundOutcome("refund-1", RefundSucceeded)
			assert.Equal(t, state == RefundAbnormal, err == nil, "a lost one can still succeed")
			require.ErrorIs(t, s.RefundOutcome("refund-2", RefundSucceeded), ErrUnknownRefund)
			require.ErrorIs(t, s.RefundOutcome("refund-1", RefundProcessing), errNoOutcome)
		}
	})
}

func TestPAY14_refunds_of_an_order_in_version_2(t *testing.T) {
	s, _ := startV3(t)
	trade := paidV3(t, s, "order-1")
	query := func(change fields) fields {
		return ask(t, s, RefundQuery, with(with(about(""), fields{"out_trade_no": "-"}), change))
	}
	assert.Equal(t, "REFUNDNOTEXIST", query(fields{"transaction_id": trade.TransactionID})["err_code"])
	for i := range 12 {
		require.Empty(t, askRefundV2(t, s, refundV2(trade, fmt.Sprintf("refund-%d", i), 1))["err_code"])
	}
	first := query(fields{"out_trade_no": "order-1"})
	assert.Equal(t, "12", first["total_refund_count"])
	assert.Equal(t, "10", first["refund_count"])
	assert.Equal(t, "refund-9", first["out_refund_no_9"])
	last := query(fields{"out_trade_no": "order-1", "offset": "10"})
	assert.Equal(t, "2", last["refund_count"])
	assert.Equal(t, "refund-11", last["out_refund_no_1"])
	assert.Equal(t, "refund-3", query(fields{"refund_id": s.Refunds()[3].ID})["out_refund_no_0"])
	for _, c := range []struct {
		change fields
		want   string
	}{
		{fields{}, "LACK_PARAMS"}, {fields{"out_refund_no": "none"}, "REFUNDNOTEXIST"}, {fields{"refund_id": "none"}, "REFUNDNOTEXIST"},
		{fields{"out_trade_no": "order-9"}, "ORDERNOTEXIST"}, {fields{"out_trade_no": "order-1", "offset": "12"}, "PARAM_ERROR"},
		{fields{"out_trade_no": "order-1", "offset": "-1"}, "PARAM_ERROR"}, {fields{"out_refund_no": "refund-1", "appid": "wxother"}, "APPID_MCHID_NOT_MATCH"},
	} {
		assert.Equal(t, c.want, query(c.change)["err_code"], c.change)
	}
}

func TestPAY14_coupons_are_not_returned(t *testing.T) {
	s, _ := startV3(t)
	placedV3(t, s, "order-1")
	trade, err := s.Pay("order-1", PaymentOptions{Coupon: 90})
	require.NoError(t, err)
	reply := askRefundV2(t, s, refundV2(trade, "refund-1", 99))
	assert.Equal(t, "99", reply["refund_fee"])
	assert.Equal(t, "90", reply["cash_refund_fee"])
}

func TestPAY14_the_merchants_balance_is_too_low(t *testing.T) {
	inBoth(t, func(t *testing.T, p Protocol, r refunder) {
		s, _ := startV3(t)
		trade := paidV3(t, s, "order-1")
		require.NoError(t, s.Misbehave(Misbehaviour{On: RefundOrder, Do: NoFunds}))
		assert.Equal(t, map[Protocol]string{V2: "NOTENOUGH", V3: "NOT_ENOUGH"}[p], r.ask(t, s, trade, "refund-1", 1))
		assert.Empty(t, s.Refunds())
		assert.Empty(t, r.ask(t, s, trade, "refund-1", 1), "the same again")
	})
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
	_, err := s.journal.file.WriteAt([]byte(`{"refund":{"out_refund_no":"torn`), s.journal.size)
	require.NoError(t, err)
	again, _ := startV3(t, withJournal)
	assert.Equal(t, s.Refunds(), again.Refunds())
	assert.Equal(t, s.Ledger(), again.Ledger())
	assert.Equal(t, "INVALID_REQUEST", refunders[V3].ask(t, again, trade, "refund-3", 191))
	assert.Equal(t, s.pending, again.pending, "the merchant is still to be notified")
	require.NoError(t, again.Close())
	require.Error(t, again.RefundOutcome("refund-1", RefundSucceeded))
	assert.Equal(t, RefundProcessing, again.Refunds()[0].State, "what cannot be kept has not happened")
	assert.Equal(t, "SYSTEM_ERROR", refunders[V3].ask(t, again, trade, "refund-3", 1))
}

func TestA_journal_of_an_older_version_has_orders_of_version_2(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	line := strings.Replace(string(marshal(s.Ledger()[0])), `"protocol":"v2",`, "", 1)
	require.NotContains(t, line, "protocol")
	writeFile(t, path, line+"\n")
	cfg := config(newClock())
	cfg.Journal = path
	assert.Equal(t, s.Ledger(), start(t, cfg).Ledger())
}

func TestPAY14_a_refund_whose_answer_was_lost_is_found_by_asking(t *testing.T) {
	inBoth(t, func(t *testing.T, p Protocol, r refunder) {
		s, _ := startV3(t)
		trade := paidV3(t, s, "order-1")
		require.NoError(t, s.Misbehave(Misbehaviour{On: RefundOrder, Do: ErrorAfter, No: "order-1"}))
		assert.Equal(t, map[Protocol]string{V2: "SYSTEMERROR", V3: "SYSTEM_ERROR"}[p], r.ask(t, s, trade, "refund-1", 400))
		assert.Equal(t, "PROCESSING", r.state(t, s, "refund-1"))
		assert.Empty(t, r.ask(t, s, trade, "refund-1", 400))
		require.NoError(t, s.Misbehave(Misbehaviour{On: RefundOrder, Do: ErrorBefore}))
		assert.NotEmpty(t, r.ask(t, s, trade, "refund-2", 400))
		assert.Len(t, s.Refunds(), 1)
	})
}
