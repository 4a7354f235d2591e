package wechatpay

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/payment"
	"plaza/test/ports"
)

const (
	official = "wxd930ea5d5a258f4f"
	service  = "wx2421b1c4370ec43b"
	payer    = ports.WalletPayer
	number   = ports.WalletTradeNo
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var (
	byCode    = payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}
	byApp     = payment.Intent{EndType: payment.App, App: payment.SvcIOSApp}
	byBrowser = payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: payer}
	byPage    = payment.Intent{EndType: payment.H5, App: payment.OfficialAccount}
)

// version is how a version of the protocol says what both can say. Its fields are names and values, in the form of the
// version, that are added or replaced; the value nil omits a field.
type version struct {
	name   string
	key    string
	wallet func(t testing.TB, answers ...http.HandlerFunc) testWallet
	// says is a signed answer of success.
	says func(fields ...any) http.HandlerFunc
	// closed is the answer to a request that closes a prepayment.
	closed func() http.HandlerFunc
	// refuses is a refusal with the code, whose text has secrets.
	refuses func(code string, isSigned bool) http.HandlerFunc
	// notified is a notification of a payment: of that of paidReceipt, unless fields differ.
	notified func(fields ...any) payment.Notification
	// What follows are the fields of answers about a payment that is to come, about that of paidReceipt, and about that of
	// refundReported.
	unpaid, paid, refund []any
}

var versions = []version{
	{
		name: "v2", key: keyV2,
		wallet: func(t testing.TB, answers ...http.HandlerFunc) testWallet { return newWalletV2(t, answers...) },
		says:   saysV2,
		closed: func() http.HandlerFunc { return saysV2() },
		refuses: func(code string, isSigned bool) http.HandlerFunc {
			fields := mergedV2([]any{"result_code", "FAIL", "err_code", code, "err_code_des", keyV2 + payer})
			if isSigned {
				fields = otherSignV2("HMAC", fields)
			}
			return writesV2(writtenV2(fields))
		},
		notified: func(fields ...any) payment.Notification {
			return notificationV2(signedV2(changed(paidV2, fields...)...))
		},
		unpaid: []any{"trade_state", "NOTPAY", "out_trade_no", string(number)},
		paid:   changed(paidV2, "trade_state", "SUCCESS"),
		refund: []any{
			"transaction_id", "4200000001", "out_refund_no_0", string(refundNo), "refund_id_0", "5030000001", "refund_fee_0", "300",
			"refund_status_0", "PROCESSING",
			"out_refund_no", string(refundNo), "refund_id", "5030000001", "refund_fee", "300", // in the answer to a refund
		},
	},
	{
		name: "v3", key: keyV3,
		wallet: func(t testing.TB, answers ...http.HandlerFunc) testWallet { return newWalletV3(t, answers...) },
		says:   func(fields ...any) http.HandlerFunc { return saysV3(200, fieldsV3(fields)) },
		closed: func() http.HandlerFunc { return saysV3(204, "") },
		refuses: func(code string, isSigned bool) http.HandlerFunc {
			if isSigned {
				return saysV3(400, refusalV3(code))
			}
			return writesV3(400, refusalV3(code), nil)
		},
		notified: func(fields ...any) payment.Notification { return notifiedV3(paidEventV3(fields...)) },
		unpaid:   unpaidV3, paid: paidV3, refund: refundedV3,
	},
}

// changed returns fields that are added to usual ones or replace them.
func changed(usual []any, fields ...any) []any {
	return append(append([]any(nil), usual...), fields...)
}

// forVersions runs the test for each version.
func forVersions(t *testing.T, test func(t *testing.T, v version)) {
	for _, v := range versions {
		t.Run(v.name, func(t *testing.T) { test(t, v) })
	}
}

// heard is a request that the wallet must hear, byte for byte. Another program made it.
func (v version) heard(name string) string {
	return string(must(os.ReadFile("testdata/" + v.name + "/" + name + ".txt")))
}

// testWallet is a gateway and its wallet.
type testWallet interface {
	payment.Gateway
	requests() []string
}

// standIn answers requests in the given ways, one after the other, and repeats the last.
type standIn struct {
	answers []http.HandlerFunc
	shown   []string // headers that requests has

	mutex sync.Mutex
	heard []string
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mutex.Lock()
	s.heard = append(s.heard, s.transcript(r, body))
	answer := s.answers[min(len(s.heard), len(s.answers))-1]
	s.mutex.Unlock()
	answer(w, r)
}

// transcript is a request as the files in testdata have it.
func (s *standIn) transcript(r *http.Request, body []byte) string {
	text := fmt.Sprintf("%s %s\n", r.Method, r.RequestURI)
	for _, name := range s.shown {
		if value := r.Header.Get(name); value != "" {
			text += name + ": " + value + "\n"
		}
	}
	return text + "\n" + string(body) + "\n"
}

func (s *standIn) requests() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]string(nil), s.heard...)
}

// breaks reads the request and closes the connection.
func breaks(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// calls are the requests of a gateway by their names.
var calls = func() map[string]ports.WalletCall {
	all := maps.Clone(ports.WalletCalls)
	all["refund"], all["refund query"] = refund, queryRefund
	return all
}()

var prepare, query, closeIt = ports.WalletCalls["prepare"], ports.WalletCalls["query"], ports.WalletCalls["close"]

func refund(t *testing.T, g payment.Gateway) error {
	t.Helper()
	report, err := g.Refund(t.Context(), refundRequest())
	assert.True(t, err == nil || report == payment.RefundReport{})
	return err
}

func queryRefund(t *testing.T, g payment.Gateway) error {
	t.Helper()
	report, err := g.QueryRefund(t.Context(), payment.OfficialAccount, refundNo)
	assert.True(t, err == nil || report == payment.RefundReport{})
	return err
}

// paidReceipt is a completed payment.
func paidReceipt() payment.Receipt {
	return payment.Receipt{
		TransactionID: "4200000001", TradeNo: number, App: payment.OfficialAccount, Amount: 990, Currency: "CNY",
		Paid: noon.Add(time.Minute + 2*time.Second),
	}
}

const refundNo = payment.RefundNo("refund-7_1|*@")

func refundRequest() payment.RefundRequest {
	return payment.RefundRequest{
		No: refundNo, App: payment.OfficialAccount, TransactionID: "4200000001", Amount: 300, Total: 990, Currency: "CNY", Reason: "Cold <tea>",
	}
}

// refundReported is a refund that is processing.
func refundReported() payment.RefundReport {
	return payment.RefundReport{
		No: refundNo, WalletID: "5030000001", TransactionID: "4200000001", State: payment.RefundProcessing, Amount: 300, Currency: "CNY",
	}
}

// assertOnly asserts that the error is this one and no other of them.
func assertOnly(t *testing.T, want, err error) {
	t.Helper()
	ports.AssertWalletFault(t, want, err)
	assertDiscreet(t, err)
}

// assertDiscreet asserts that the error contains no secret.
func assertDiscreet(t *testing.T, err error) {
	t.Helper()
	for _, private := range []string{keyV2, keyV3, "oPayer", "sign=", "<sign>", "BCF43F5A", "F97C", "PRIVATE KEY", "signature=", merchantV3} {
		assert.NotContains(t, err.Error(), private)
	}
	assert.NotRegexp(t, `[0-9A-F]{32}|[0-9A-Za-z+/]{40}`, err.Error(), "a signature")
}
