package wechatpay

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

// reqInfo was made by openssl, with K as the hex of the MD5 of testKey, itself in lower-case hex:
//
//	printf '<root><out_refund_no>refund-71-A</out_refund_no><refund_status>SUCCESS</refund_status></root>' |
//	openssl enc -aes-256-ecb -K $K -base64 -A
const reqInfo = "WBzGpzQuNpcFxIlFjUUD9PWXCaqhdU2VYbyAYdvuOVWNQXonUnjFThe6jdv6U1oCz6JufrGJRUlLGohZ1L98S8B1oU9ms4N8ydOljqxb62glgkorIPK7v8Z99XaaElpG"

const refundNoV2 payment.RefundNo = "refund-71-A"

var coldV2 = payment.RefundRequest{
	No: refundNoV2, App: payment.OfficialAccount, TransactionID: "t1", Amount: 300, Total: 990, Currency: "CNY", Reason: "Cold",
}

func refundV2(t *testing.T, w *walletV2) error {
	t.Helper()
	_, err := w.Refund(t.Context(), coldV2)
	return err
}

func queryRefundV2(t *testing.T, w *walletV2) error {
	t.Helper()
	_, err := w.QueryRefund(t.Context(), payment.OfficialAccount, refundNoV2)
	return err
}

func TestPAY14_a_refund(t *testing.T) {
	w := newWalletV2(t, saysV2("out_refund_no", string(refundNoV2), "refund_id", "5030", "transaction_id", "t1", "refund_fee", "300", "total_fee", "990"))
	w.refunded = "https://plaza.example/api/pay/notify/wallet/refund/"
	report, err := w.Refund(t.Context(), coldV2)
	require.NoError(t, err)
	assert.Equal(t, payment.RefundReport{
		No: refundNoV2, WalletID: "5030", TransactionID: "t1", State: payment.RefundProcessing, Amount: 300, Currency: "CNY",
	}, report)
	sent := w.requests()[0]
	assert.True(t, strings.HasPrefix(sent, "POST /secapi/pay/refund\n"))
	for _, field := range []string{
		"<appid>" + official, "<mch_id>" + merchantV2, "<out_refund_no>refund-71-A", "<transaction_id>t1", "<refund_fee>300", "<total_fee>990",
		"<refund_fee_type>CNY", "<refund_desc>Cold", "<notify_url>https://plaza.example/api/pay/notify/wallet/refund/", "<sign>",
	} {
		assert.Contains(t, sent, field)
	}
	unknown := coldV2
	unknown.App = ""
	_, err = w.Refund(t.Context(), unknown)
	require.NoError(t, err, "the payment of an unknown application")
	unknown.App = "another"
	_, err = w.Refund(t.Context(), unknown)
	assert.ErrorIs(t, err, payment.ErrNoWallet)
	unknown.No = "short"
	_, err = w.Refund(t.Context(), unknown)
	assert.Error(t, err)
}

func TestPAY14_codes_of_refunds(t *testing.T) {
	for code, want := range map[string]error{
		"REFUND_FEE_MISMATCH": payment.ErrRefundDiffers, "INVALID_REQUEST": payment.ErrRefundTooMuch, "TRADE_OVERDUE": payment.ErrRefundTooMuch,
		"NOTENOUGH": payment.ErrMerchantFunds, "ORDERNOTEXIST": payment.ErrWalletNotFound, "INVALID_TRANSACTIONID": payment.ErrWalletNotFound,
		"FREQUENCY_LIMITED": payment.ErrWalletBusy, "INVALID_REQ_TOO_MUCH": payment.ErrWalletBusy, "NOAUTH": payment.ErrWalletRefused,
		"SIGNERROR": payment.ErrWalletRefused, "NEVER_HEARD_OF": payment.ErrWalletBadResponse,
	} {
		err := refundV2(t, newWalletV2(t, saysV2("result_code", "FAIL", "err_code", code)))
		assert.ErrorIs(t, err, want, code)
		assertDiscreetV2(t, err)
	}
	assert.ErrorIs(t, queryRefundV2(t, newWalletV2(t, saysV2("result_code", "FAIL", "err_code", "REFUNDNOTEXIST"))), payment.ErrRefundNotFound)
	assert.ErrorIs(t, queryRefundV2(t, newWalletV2(t, breaks, saysV2("result_code", "FAIL", "err_code", "REFUNDNOTEXIST"))), payment.ErrRefundNotFound)
	for _, code := range []string{"INVALID_REQUEST", "NOTENOUGH", "REFUND_FEE_MISMATCH"} {
		err := refundV2(t, newWalletV2(t, breaks, saysV2("result_code", "FAIL", "err_code", code)))
		assert.ErrorIs(t, err, payment.ErrWalletTimeout, "the first try may have succeeded: %s", code)
	}
}

func TestPAY14_answers_about_refunds(t *testing.T) {
	good := []string{
		"transaction_id", "t1", "out_refund_no_0", string(refundNoV2), "refund_id_0", "5030", "refund_fee_0", "300",
		"refund_status_0", "SUCCESS", "refund_success_time_0", "2026-11-20 20:01:02",
	}
	report, err := newWalletV2(t, saysV2(good...)).QueryRefund(t.Context(), payment.OfficialAccount, refundNoV2)
	require.NoError(t, err)
	assert.Equal(t, payment.RefundReport{
		No: refundNoV2, WalletID: "5030", TransactionID: "t1", State: payment.RefundSucceeded, Amount: 300, Currency: "CNY",
		Succeeded: noon.Add(time.Minute + 2*time.Second),
	}, report)
	for name, change := range map[string][]string{
		"another number": {"out_refund_no_0", "refund-72-B"}, "no amount": {"refund_fee_0", ""}, "a negative amount": {"refund_fee_0", "-300"},
		"no state": {"refund_status_0", ""}, "another state": {"refund_status_0", "LOST"}, "no time": {"refund_success_time_0", ""},
	} {
		err := queryRefundV2(t, newWalletV2(t, saysV2(append(good, change...)...)))
		assert.ErrorIs(t, err, payment.ErrWalletBadResponse, name)
	}
	assert.ErrorIs(t, refundV2(t, newWalletV2(t, saysV2("out_refund_no", string(refundNoV2), "refund_fee", "300"))), payment.ErrWalletBadResponse, "no refund id")
}

func TestPAY14_without_a_certificate_nothing_is_refunded(t *testing.T) {
	g := newV2(t, "https://wallet.example")
	_, err := g.Refund(t.Context(), coldV2)
	assert.ErrorIs(t, err, payment.ErrRefundsOff)
}

func TestPAY14_the_certificate_is_for_refunds_alone(t *testing.T) {
	var presented []int
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		presented = append(presented, len(r.TLS.PeerCertificates))
		saysV2()(w, r)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	defer server.Close()
	c := configV2(server.URL)
	c.Certificate = &server.TLS.Certificates[0] // any will do
	g, err := NewV2(c)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for _, w := range []transport{g.transport, *g.refunds} {
		w.client.Transport.(*http.Transport).TLSClientConfig.RootCAs = roots
	}
	_, _ = g.QueryRefund(t.Context(), payment.OfficialAccount, refundNoV2)
	_, _ = g.Refund(t.Context(), coldV2)
	assert.Equal(t, []int{0, 1}, presented)
}

func TestPAY14_a_refund_notification(t *testing.T) {
	g := newV2(t, "https://wallet.example")
	letter := func(info string) payment.Notification {
		return notificationV2(writtenV2([][2]string{{"return_code", "SUCCESS"}, {"appid", official}, {"mch_id", merchantV2}, {"nonce_str", "n"}, {"req_info", info}}))
	}
	n, err := g.Receive(letter(reqInfo))
	require.NoError(t, err)
	assert.Equal(t, payment.Notice{Refund: refundNoV2}, n)
	for name, text := range map[string]string{
		"no base64": "%" + reqInfo, "half a block": reqInfo[:4], "cut off": reqInfo[:64], "another key": strings.Repeat("A", 64), "one byte": reqInfo[:126] + "AA",
	} {
		_, err := g.Receive(letter(text))
		assert.ErrorIs(t, err, payment.ErrForged, name)
	}
	other := notificationV2(strings.Replace(string(letter(reqInfo).Body), merchantV2, "10000101", 1))
	_, err = g.Receive(other)
	assert.ErrorIs(t, err, payment.ErrForged, "another merchant's")
}

func TestPAY14_padding(t *testing.T) {
	block := func(last ...byte) []byte { return append(make([]byte, 16-len(last)), last...) }
	for _, wrong := range [][]byte{block(0), block(17), block(255), block(1, 2), block(3, 2, 3)} {
		_, err := unpadded(wrong)
		assert.Error(t, err, "%v", wrong)
	}
}
