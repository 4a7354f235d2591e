package prometheus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/telemetry"
	"plaza/domain/fault"
	"plaza/domain/imported"
	"plaza/domain/payment"
	"plaza/domain/verification"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// exposed returns the metrics of the program as Prometheus reads them.
func exposed(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	require.Equal(t, 200, w.Code, w.Body)
	return w.Body.String()
}

// series returns the values of the program's series by their name and labels.
func series(t *testing.T, m *Metrics) map[string]string {
	t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(exposed(t, m)) {
		if at := strings.LastIndex(line, " "); strings.HasPrefix(line, "plaza_") {
			all[line[:at]] = strings.TrimSpace(line[at:])
		}
	}
	return all
}

func TestRequests_are_counted_by_method_route_and_status(t *testing.T) {
	m := New()
	m.RequestBegun()
	m.RequestBegun()
	assert.Equal(t, "2", series(t, m)["plaza_http_requests_in_flight"])
	m.RequestEnded("GET", "/a/:id", 200, 20*time.Millisecond)
	m.RequestEnded("GET", "/a/:id", 404, 2*time.Millisecond)
	all := series(t, m)
	assert.Equal(t, "0", all["plaza_http_requests_in_flight"])
	assert.Equal(t, "1", all[`plaza_http_requests_total{code="200",method="GET",route="/a/:id"}`])
	assert.Equal(t, "1", all[`plaza_http_requests_total{code="404",method="GET",route="/a/:id"}`])
	assert.Equal(t, "1", all[`plaza_http_request_duration_seconds_bucket{method="GET",route="/a/:id",le="0.0025"}`])
	assert.Equal(t, "2", all[`plaza_http_request_duration_seconds_bucket{method="GET",route="/a/:id",le="0.025"}`])
	assert.Equal(t, "2", all[`plaza_http_request_duration_seconds_count{method="GET",route="/a/:id"}`])
}

func TestRequests_of_odd_methods_add_no_series(t *testing.T) {
	m := New()
	odd := func(n int) {
		for i := range n {
			m.RequestBegun()
			m.RequestEnded(fmt.Sprintf("ODD-%d\xff", i), "none", 405, time.Millisecond)
		}
	}
	odd(1)
	before := len(series(t, m))
	odd(10_000)
	all := series(t, m)
	assert.Len(t, all, before)
	assert.Equal(t, "10001", all[`plaza_http_requests_total{code="405",method="other",route="none"}`])
}

func TestRequests_at_once_are_all_counted(t *testing.T) {
	m := New()
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for n := range 100 { // each makes series of its own, and uses those of others
				m.RequestBegun()
				m.RequestEnded("GET", fmt.Sprint("/", (i+n)%20), 200+n%2, time.Millisecond)
			}
		})
	}
	all.Wait()
	sum := 0
	for name, value := range series(t, m) {
		if strings.HasPrefix(name, "plaza_http_requests_total{") {
			n, err := strconv.Atoi(value)
			require.NoError(t, err)
			sum += n
		}
	}
	assert.Equal(t, 1600, sum)
}

// played is a gateway whose calls end with the error.
type played struct {
	payment.Gateway
	err error
}

func (p played) Prepare(context.Context, []byte) (payment.Ticket, error) {
	return payment.Ticket{PrepayID: "p"}, p.err
}

func (p played) Query(context.Context, payment.WalletApp, payment.TradeNo) (payment.Report, error) {
	return payment.Report{State: payment.WalletClosed}, p.err
}

func (p played) Close(context.Context, payment.WalletApp, payment.TradeNo) error { return p.err }

func (p played) Refund(context.Context, payment.RefundRequest) (payment.RefundReport, error) {
	return payment.RefundReport{No: "r"}, p.err
}

func (p played) QueryRefund(context.Context, payment.WalletApp, payment.RefundNo) (payment.RefundReport, error) {
	return payment.RefundReport{No: "r"}, p.err
}

// Bill gives a line unless it fails.
func (p played) Bill(_ context.Context, _ payment.Day, fn func(payment.BillLine) error) error {
	if p.err != nil {
		return p.err
	}
	return fn(payment.BillLine{TransactionID: "t"})
}

func (played) Acknowledge(bool) payment.Acknowledgement {
	return payment.Acknowledgement{Body: []byte("yes")}
}

func TestPAY_calls_of_the_wallet_are_counted_by_outcome(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		outcome string
	}{
		"an answer":            {nil, "ok"},
		"paid":                 {payment.ErrWalletPaid, "ok"},
		"closed":               {fmt.Errorf("close: %w", payment.ErrWalletClosed), "ok"},
		"absent":               {payment.ErrWalletNotFound, "ok"},
		"no bill yet":          {payment.ErrBillNotReady, "ok"},
		"not closed":           {payment.ErrWalletNotClosed, "refused"},
		"no such refund":       {payment.ErrRefundNotFound, "ok"},
		"another refund":       {payment.ErrRefundDiffers, "refused"},
		"too much":             {payment.ErrRefundTooMuch, "refused"},
		"no certificate":       {payment.ErrRefundsOff, "refused"},
		"the merchant's funds": {payment.ErrMerchantFunds, "refused"},
		"another order":        {payment.ErrWalletOtherOrder, "refused"},
		"no money":             {payment.ErrInsufficientFunds, "refused"},
		"no such merchant":     {payment.ErrWalletRefused, "refused"},
		"busy":                 {payment.ErrWalletBusy, "busy"},
		"silence":              {payment.ErrWalletTimeout, "unknown"},
		"nonsense":             {payment.ErrWalletBadResponse, "unknown"},
		"its deadline":         {context.DeadlineExceeded, "unknown"},
		"another failure":      {errors.New("no route to host"), "unknown"},
		"a caller that left":   {context.Canceled, "cancelled"},
		"another kind of 502":  {fault.New(fault.Gateway, "Away."), "unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			m := New()
			g := m.Gateways(payment.Gateways{Current: played{err: c.err}}).Current
			_, err := g.Prepare(t.Context(), nil)
			assert.Equal(t, c.err, err)
			report, err := g.Query(t.Context(), payment.OfficialAccount, "n")
			assert.Equal(t, c.err, err)
			assert.Equal(t, payment.WalletClosed, report.State)
			assert.Equal(t, c.err, g.Close(t.Context(), payment.OfficialAccount, "n"))
			for _, do := range []func() (payment.RefundReport, error){
				func() (payment.RefundReport, error) { return g.Refund(t.Context(), payment.RefundRequest{}) },
				func() (payment.RefundReport, error) { return g.QueryRefund(t.Context(), payment.OfficialAccount, "r") },
			} {
				report, err := do()
				assert.Equal(t, c.err, err)
				assert.Equal(t, payment.RefundNo("r"), report.No)
			}
			lines := 0
			assert.Equal(t, c.err, g.Bill(t.Context(), payment.Day{}, func(payment.BillLine) error {
				lines++
				return nil
			}))
			assert.Equal(t, map[bool]int{true: 1}[c.err == nil], lines)
			for _, call := range []string{"prepare", "query", "close", "refund", "refund_query", "bill"} {
				all := series(t, m)
				assert.Equal(t, "1", all[fmt.Sprintf("plaza_wallet_requests_total{call=%q,outcome=%q}", call, c.outcome)], call)
				assert.Equal(t, "1", all[fmt.Sprintf("plaza_wallet_request_duration_seconds_count{call=%q}", call)], call)
			}
		})
	}
}

func TestPAY_a_gateway_answers_as_before(t *testing.T) {
	m := New()
	assert.Zero(t, m.Gateways(payment.Gateways{}), "no wallet")
	assert.NotContains(t, exposed(t, m), "plaza_wallet_requests_total")
	for _, g := range m.Gateways(payment.Gateways{Current: played{}, Others: []payment.Gateway{played{}}}).All() {
		assert.Equal(t, "yes", string(g.Acknowledge(true).Body))
		assert.NoError(t, g.Close(t.Context(), payment.OfficialAccount, "n"))
	}
	assert.Equal(t, "2", series(t, m)[`plaza_wallet_requests_total{call="close",outcome="ok"}`], "both are counted")
	assert.Equal(t, "0", series(t, m)[`plaza_wallet_requests_total{call="close",outcome="unknown"}`], "a series before the first call")
}

func TestJobs(t *testing.T) {
	m := New()
	at := func(metric string) string { return series(t, m)["plaza_job_"+metric+`{name="j"}`] }
	m.AddJob("j", noon)
	assert.Equal(t, "1.795176e+09", at("last_success_timestamp_seconds"))
	assert.Equal(t, "0", at("failures_total"))
	m.JobEnded("j", noon.Add(time.Second), noon.Add(1500*time.Millisecond), errors.New("away"))
	assert.Equal(t, "1.795176e+09", at("last_success_timestamp_seconds"), "a failure is no success")
	assert.Equal(t, "1", at("failures_total"))
	assert.Equal(t, "0.5", at("last_duration_seconds"))
	m.JobEnded("j", noon.Add(2*time.Second), noon.Add(4*time.Second), nil)
	assert.Equal(t, "1.795176004e+09", at("last_success_timestamp_seconds"))
	assert.Equal(t, "1", at("failures_total"))
	assert.Equal(t, "2", at("last_duration_seconds"))
}

func TestSamples(t *testing.T) {
	m := New()
	sampled := func() map[string]string {
		all := map[string]string{}
		for name, value := range series(t, m) {
			if name != "plaza_http_requests_in_flight" {
				all[name] = value
			}
		}
		return all
	}
	assert.Empty(t, sampled(), "before the first sample")
	m.SetSample(telemetry.Sample{}, 0, noon)
	assert.Equal(t, map[string]string{
		`plaza_payments{state="refund_due"}`: "0", `plaza_payments{state="disputed"}`: "0", `plaza_refunds{state="abnormal"}`: "0",
		`plaza_wallet_findings{kind="unknown_here"}`: "0", `plaza_wallet_findings{kind="unknown_there"}`: "0",
		`plaza_wallet_findings{kind="amount"}`: "0", `plaza_wallet_findings{kind="refund"}`: "0",
		"plaza_wallet_last_reconciliation_timestamp_seconds": "0",
		"plaza_wallet_oldest_open_prepayment_age_seconds":    "0", "plaza_media_deletions_pending": "0",
	}, sampled())
	m.SetSample(telemetry.Sample{
		RefundDue: 1, Disputed: 2, AbnormalRefunds: 4, OldestPrepayment: noon.Add(-time.Minute), Deletions: 3, Spent: 70,
		OpenFindings: map[payment.FindingKind]int{payment.FoundRefund: 5}, Reconciled: noon,
		Import: imported.Completion{Began: noon.Add(-time.Second), Ended: noon},
	}, 100, noon)
	assert.Equal(t, map[string]string{
		`plaza_payments{state="refund_due"}`: "1", `plaza_payments{state="disputed"}`: "2", `plaza_refunds{state="abnormal"}`: "4",
		`plaza_wallet_findings{kind="unknown_here"}`: "0", `plaza_wallet_findings{kind="unknown_there"}`: "0",
		`plaza_wallet_findings{kind="amount"}`: "0", `plaza_wallet_findings{kind="refund"}`: "5",
		"plaza_wallet_last_reconciliation_timestamp_seconds": "1.795176e+09",
		"plaza_wallet_oldest_open_prepayment_age_seconds":    "60", "plaza_media_deletions_pending": "3",
		"plaza_translation_budget_remaining_characters": "30",
		"plaza_import_last_success_timestamp_seconds":   "1.795176e+09", "plaza_import_last_duration_seconds": "1",
	}, sampled())
}

func TestAUT15_budgets_of_messages_are_sampled(t *testing.T) {
	m := New()
	m.SetMessages(verification.Budget{Codes: map[string]int64{"86": 0}}, verification.Taken{Messages: 5, Codes: map[string]int64{"86": 5}})
	for name := range series(t, m) {
		assert.NotContains(t, name, "plaza_verification", "nothing is bounded")
	}
	m.SetMessages(verification.Budget{Messages: 100, Codes: map[string]int64{"86": 0, "852": 20, "44": 10}},
		verification.Taken{Messages: 30, Codes: map[string]int64{"86": 25, "852": 5}})
	got := map[string]string{}
	for name, value := range series(t, m) {
		if rest, is := strings.CutPrefix(name, "plaza_verification_budget_"); is {
			got[rest] = value
		}
	}
	assert.Equal(t, map[string]string{
		`messages{dialling_code="all"}`: "100", `messages{dialling_code="852"}`: "20", `messages{dialling_code="44"}`: "10",
		`spent{dialling_code="all"}`: "30", `spent{dialling_code="852"}`: "5", `spent{dialling_code="44"}`: "0",
	}, got)
}
