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
	"plaza/domain/secret"
)

func TestPAY14_what_the_wallet_hears_of_a_refund(t *testing.T) {
	forVersions(t, func(t *testing.T, v version) {
		w := v.wallet(t, v.says(v.refund...))
		report, err := w.Refund(t.Context(), refundRequest())
		require.NoError(t, err)
		assert.Equal(t, refundReported(), report)
		report, err = w.QueryRefund(t.Context(), payment.OfficialAccount, refundNo)
		require.NoError(t, err)
		assert.Equal(t, refundReported(), report)
		if v.name == "v3" {
			assert.Equal(t, []string{v.heard("refund"), v.heard("refund-query")}, w.requests())
			return
		}
		sent := w.requests()[0]
		assert.True(t, strings.HasPrefix(sent, "POST /secapi/pay/refund\n"))
		for _, field := range []string{
			"<appid>" + official, "<mch_id>" + merchantV2, "<out_refund_no>refund-7_1|*@", "<transaction_id>4200000001", "<refund_fee>300",
			"<total_fee>990", "<refund_fee_type>CNY", "<refund_desc><![CDATA[Cold <tea>]]>",
			"<notify_url>https://plaza.example/api/pay/notify/wallet/refund/", "<sign>",
		} {
			assert.Contains(t, sent, field)
		}
	})
}

func TestPAY14_refunds_of_payments_of_unknown_applications(t *testing.T) {
	w := newWalletV2(t, saysV2(versions[0].refund...))
	unknown := refundRequest()
	unknown.App = ""
	_, err := w.Refund(t.Context(), unknown)
	require.NoError(t, err)
	unknown.App = "another"
	_, err = w.Refund(t.Context(), unknown)
	assert.ErrorIs(t, err, payment.ErrNoWallet)
	unknown.No = "short"
	_, err = w.Refund(t.Context(), unknown)
	assert.Error(t, err)
}

func TestPAY14_how_a_refund_stands(t *testing.T) {
	states := []payment.RefundState{payment.RefundProcessing, payment.RefundSucceeded, payment.RefundClosed, payment.RefundAbnormal}
	for _, c := range []struct {
		of                  version
		states              string // as the wallet says them
		state, no, at, when string // the fields, and a time
		odd                 [][]any
	}{
		{
			versions[0], "PROCESSING SUCCESS REFUNDCLOSE CHANGE", "refund_status_0", "out_refund_no_0", "refund_success_time_0",
			"2026-11-20 20:02:02", [][]any{{"refund_fee_0", nil}, {"refund_fee_0", "-300"}},
		},
		{
			versions[1], "PROCESSING SUCCESS CLOSED ABNORMAL", "status", "out_refund_no", "success_time",
			"2026-11-20T20:02:02+08:00", [][]any{{"amount", nil}, {"refund_id", nil}},
		},
	} {
		for n, state := range strings.Fields(c.states) {
			want := refundReported()
			if want.State = states[n]; want.State == payment.RefundSucceeded {
				want.Succeeded = noon.Add(2*time.Minute + 2*time.Second)
			}
			w := c.of.wallet(t, c.of.says(changed(c.of.refund, c.state, state, c.at, c.when)...))
			report, err := w.QueryRefund(t.Context(), payment.OfficialAccount, refundNo)
			require.NoError(t, err)
			assert.Equal(t, want, report)
		}
		for _, fields := range append(c.odd, [][]any{{c.state, "ODD"}, {c.state, nil}, {c.state, "SUCCESS"}, {c.no, "refund-8"}}...) {
			w := c.of.wallet(t, c.of.says(changed(c.of.refund, fields...)...))
			assertOnly(t, payment.ErrWalletBadResponse, queryRefund(t, w))
			if c.of.name == "v3" {
				assertOnly(t, payment.ErrWalletBadResponse, refund(t, w))
			}
		}
	}
	for _, field := range []string{"refund_id", "refund_fee", "out_refund_no"} {
		w := newWalletV2(t, saysV2(changed(versions[0].refund, field, nil)...))
		assertOnly(t, payment.ErrWalletBadResponse, refund(t, w))
	}
}

// The wallet has one code for several broken rules, so it is asked whether the number was used before.
func TestPAY14_a_rule_of_refunds_that_is_broken(t *testing.T) {
	broken := saysV3(400, refusalV3("INVALID_REQUEST"))
	says := func(changes ...any) http.HandlerFunc {
		return saysV3(200, fieldsV3(refundedV3, changes...))
	}
	for name, c := range map[string]struct {
		then http.HandlerFunc
		want error
	}{
		"no refund has the number": {saysV3(404, refusalV3("RESOURCE_NOT_EXISTS")), payment.ErrRefundTooMuch},
		"the same refund":          {says(), nil},
		"another amount":           {says("amount", map[string]any{"refund": 301}), payment.ErrRefundDiffers},
		"another currency":         {says("amount", map[string]any{"refund": 300, "currency": "USD"}), payment.ErrRefundDiffers},
		"another payment":          {says("transaction_id", "4200000002"), payment.ErrRefundDiffers},
		"no answer":                {breaks, payment.ErrWalletTimeout},
		"nonsense":                 {saysV3(200, "{}"), payment.ErrWalletBadResponse},
	} {
		w := newWalletV3(t, broken, c.then)
		err := refund(t, w)
		if c.want == nil {
			require.NoError(t, err, name)
			continue
		}
		assertOnly(t, c.want, err)
		assert.Contains(t, w.requests()[1], "GET /v3/refund/domestic/refunds/refund-7_1", name)
	}
	assertOnly(t, payment.ErrRefundDiffers, refund(t, newWalletV3(t, says("amount", map[string]any{"refund": 301}))))
}

func TestPAY14_without_a_certificate_nothing_is_refunded(t *testing.T) {
	assert.ErrorIs(t, refund(t, openV2(t, "https://wallet.example")), payment.ErrRefundsOff)
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
	s := settingsV2(server.URL)
	s.Certificate, s.PrivateKey = secret.New(firstCertificate().pem()), secret.New(privatePEM(firstCertificate().key)) // any will do
	g, found := newV2(s)
	require.Empty(t, found)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for _, w := range []transport{g.transport, *g.refunds} {
		w.client.Transport.(*http.Transport).TLSClientConfig.RootCAs = roots
	}
	_, _ = g.QueryRefund(t.Context(), payment.OfficialAccount, refundNo)
	_, _ = g.Refund(t.Context(), refundRequest())
	assert.Equal(t, []int{0, 1}, presented)
}

// reqInfo was made by openssl, with K as the hex of the MD5 of keyV2, itself in lower-case hex:
//
//	printf '<root><out_refund_no>refund-71-A</out_refund_no><refund_status>SUCCESS</refund_status></root>' |
//	openssl enc -aes-256-ecb -K $K -base64 -A
const reqInfo = "WBzGpzQuNpcFxIlFjUUD9PWXCaqhdU2VYbyAYdvuOVWNQXonUnjFThe6jdv6U1oCz6JufrGJRUlLGohZ1L98S8" +
	"B1oU9ms4N8ydOljqxb62glgkorIPK7v8Z99XaaElpG"

// refundNotificationV2 has the encrypted text for the merchant.
func refundNotificationV2(merchant, info string) payment.Notification {
	return notificationV2(writtenV2([][2]string{
		{"return_code", "SUCCESS"}, {"appid", official}, {"mch_id", merchant}, {"nonce_str", "n"}, {"req_info", info},
	}))
}

// A notification is a reason to ask, never a fact: what it says of the state is left.
func TestPAY14_a_refund_notification(t *testing.T) {
	notified := func(kind, resource string) payment.Notification {
		return notifiedV3(eventV3(kind, sealed(keyV3, resource, "refund")))
	}
	of := func(kind string, changes ...any) payment.Notification {
		return notified(kind, fieldsV3([]any{"mchid", merchantV3, "out_refund_no", string(refundNo), "refund_status", "SUCCESS"}, changes...))
	}
	encrypted := func(info string) payment.Notification { return refundNotificationV2(merchantV2, info) }
	for _, c := range []struct {
		gateway payment.Gateway
		no      payment.RefundNo
		genuine []payment.Notification
		forged  []payment.Notification
	}{
		{openV2(t, "https://wallet.example"), "refund-71-A", []payment.Notification{encrypted(reqInfo)}, []payment.Notification{
			encrypted("%" + reqInfo), encrypted(reqInfo[:4]), encrypted(reqInfo[:64]), encrypted(strings.Repeat("A", 64)),
			encrypted(reqInfo[:126] + "AA"), refundNotificationV2("10000101", reqInfo),
		}},
		{openV3(t, "https://wallet.example"), refundNo, []payment.Notification{
			of("REFUND.SUCCESS"), of("REFUND.ABNORMAL"), of("REFUND.CLOSED"),
		}, []payment.Notification{
			of("REFUND.SUCCESS", "out_refund_no", nil), of("REFUND.SUCCESS", "out_refund_no", "a/../b"), notified("REFUND.SUCCESS", "refund"),
			of("REFUND.SUCCESS", "mchid", "1900000110"), of("REFUND.SUCCESS", "mchid", nil),
		}},
	} {
		for _, n := range c.genuine {
			notice, err := c.gateway.Receive(n)
			require.NoError(t, err)
			assert.Equal(t, payment.Notice{Refund: c.no}, notice)
		}
		for _, n := range c.forged {
			notice, err := c.gateway.Receive(n)
			require.ErrorIs(t, err, payment.ErrForged)
			assert.Zero(t, notice)
		}
	}
}
