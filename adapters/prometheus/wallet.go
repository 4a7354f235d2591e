package prometheus

import (
	"context"
	"errors"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"plaza/domain/payment"
)

// walletBuckets are the upper limits of the duration of a call, in seconds. A call ends after
// ten seconds at the latest.
var walletBuckets = []float64{.025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// wallet are the metrics of calls of a wallet.
type wallet struct {
	requests *client.CounterVec
	times    *client.HistogramVec
}

func newWallet(registered promauto.Factory) wallet {
	return wallet{
		requests: registered.NewCounterVec(client.CounterOpts{
			Name: "plaza_wallet_requests_total",
			Help: "Calls of the wallet by call (prepare, query, close, refund, refund_query, bill) and outcome: ok; refused; busy; " +
				"unknown: no valid answer came; cancelled: the caller left.",
		}, []string{"call", "outcome"}),
		times: registered.NewHistogramVec(client.HistogramOpts{
			Name: "plaza_wallet_request_duration_seconds", Help: "Time that calls of the wallet took, retries included.", Buckets: walletBuckets,
		}, []string{"call"}),
	}
}

// The calls of a wallet and their outcomes.
const (
	prepareCall, queryCall, closeCall, refundCall, refundQueryCall, billCall = "prepare", "query", "close", "refund", "refund_query", "bill"

	walletOK        = "ok"        // what was asked for, or an answer that is as good
	walletRefused   = "refused"   // the wallet did not do it
	walletBusy      = "busy"      // the wallet accepts no more requests for now
	walletUnknown   = "unknown"   // no valid answer came: what the wallet did is unknown
	walletCancelled = "cancelled" // the caller left before the answer
)

// Gateways returns the gateways with their calls counted. If there is one, the series of all calls
// exist from then on. The calls of several gateways are counted together.
func (m *Metrics) Gateways(g payment.Gateways) payment.Gateways {
	if g.Current == nil {
		return payment.Gateways{}
	}
	for _, call := range []string{prepareCall, queryCall, closeCall, refundCall, refundQueryCall, billCall} {
		m.wallet.times.WithLabelValues(call)
		for _, outcome := range []string{walletOK, walletRefused, walletBusy, walletUnknown, walletCancelled} {
			m.wallet.requests.WithLabelValues(call, outcome)
		}
	}
	all := payment.Gateways{Current: gateway{g.Current, m.wallet}}
	for _, other := range g.Others {
		all.Others = append(all.Others, gateway{other, m.wallet})
	}
	return all
}

// gateway counts the calls that go to the wallet.
type gateway struct {
	payment.Gateway
	wallet wallet
}

func (g gateway) Prepare(ctx context.Context, request []byte) (payment.Ticket, error) {
	return counted(g.wallet, prepareCall, func() (payment.Ticket, error) { return g.Gateway.Prepare(ctx, request) })
}

func (g gateway) Query(ctx context.Context, app payment.WalletApp, no payment.TradeNo) (payment.Report, error) {
	return counted(g.wallet, queryCall, func() (payment.Report, error) { return g.Gateway.Query(ctx, app, no) })
}

func (g gateway) Close(ctx context.Context, app payment.WalletApp, no payment.TradeNo) error {
	_, err := counted(g.wallet, closeCall, func() (struct{}, error) { return struct{}{}, g.Gateway.Close(ctx, app, no) })
	return err
}

func (g gateway) Refund(ctx context.Context, r payment.RefundRequest) (payment.RefundReport, error) {
	return counted(g.wallet, refundCall, func() (payment.RefundReport, error) { return g.Gateway.Refund(ctx, r) })
}

func (g gateway) QueryRefund(ctx context.Context, app payment.WalletApp, no payment.RefundNo) (payment.RefundReport, error) {
	return counted(g.wallet, refundQueryCall, func() (payment.RefundReport, error) { return g.Gateway.QueryRefund(ctx, app, no) })
}

// counted makes the call and counts it.
func counted[T any](w wallet, call string, do func() (T, error)) (T, error) {
	began := time.Now()
	result, err := do()
	w.count(call, began, err)
	return result, err
}

// Bill counts until the first line, because the lines take as long as the caller wants.
func (g gateway) Bill(ctx context.Context, d payment.Day, fn func(payment.BillLine) error) error {
	began, isSent := time.Now(), false
	err := g.Gateway.Bill(ctx, d, func(l payment.BillLine) error {
		if !isSent {
			g.wallet.count(billCall, began, nil)
		}
		isSent = true
		return fn(l)
	})
	if !isSent {
		g.wallet.count(billCall, began, err)
	}
	return err
}

func (w wallet) count(call string, began time.Time, err error) {
	w.times.WithLabelValues(call).Observe(time.Since(began).Seconds())
	w.requests.WithLabelValues(call, outcomeOf(err)).Inc()
}

// outcomes have the errors of payment.Gateway with a known outcome. A payment that the wallet
// reports as paid, closed or absent is an ordinary answer.
var outcomes = []struct {
	err     error
	outcome string
}{
	{payment.ErrWalletPaid, walletOK}, {payment.ErrWalletClosed, walletOK}, {payment.ErrWalletNotFound, walletOK},
	{payment.ErrWalletNotClosed, walletRefused}, {payment.ErrWalletOtherOrder, walletRefused},
	{payment.ErrInsufficientFunds, walletRefused}, {payment.ErrWalletRefused, walletRefused},
	{payment.ErrBillNotReady, walletOK}, {payment.ErrRefundNotFound, walletOK}, {payment.ErrRefundDiffers, walletRefused},
	{payment.ErrRefundTooMuch, walletRefused},
	{payment.ErrRefundsOff, walletRefused}, {payment.ErrMerchantFunds, walletRefused},
	{payment.ErrWalletBusy, walletBusy}, {context.Canceled, walletCancelled},
}

func outcomeOf(err error) string {
	if err == nil {
		return walletOK
	}
	for _, o := range outcomes {
		if errors.Is(err, o.err) {
			return o.outcome
		}
	}
	return walletUnknown
}
