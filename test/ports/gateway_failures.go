package ports

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/payment"
)

var gatewayFailures = []gatewayPromise{
	{"every call ends by the deadline of its context, and sends nothing if the context has ended", gatewayKeepsTime},
	{"every call ends by a deadline of its own", gatewayKeepsOwnTime},
	{"a call ends when its context is cancelled", gatewayCancelled},
	{"what a wallet does while its answer is lost is left open, and found by asking", gatewayLosesAnswers},
	{"nonsense leaves everything open, and the same call succeeds afterwards", gatewayBadResponses},
	{"an answer without an end is not read to its end", gatewayEndlessResponses},
	{"however a gateway is printed, its secrets don't show", gatewayIsPrinted},
}

// walletRequest is something that the wallet is asked, and does when it can.
type walletRequest struct {
	name string
	of   prepayment
	back payment.RefundRequest // of Refund
	do   func(context.Context, payment.Gateway) (any, error)
}

// requests are one of each kind; the wallet would say yes to all.
func (d *gatewayFixture) requests() []walletRequest {
	known, closable := d.prepared(d.intent()), d.old(d.intent())
	fresh, none := d.draw(), payment.RefundRequest{}
	all := []walletRequest{
		{"Prepare", fresh, none, func(ctx context.Context, g payment.Gateway) (any, error) { return g.Prepare(ctx, fresh.request) }},
		{"Query", known, none, func(ctx context.Context, g payment.Gateway) (any, error) {
			return g.Query(ctx, known.intent.App, known.no)
		}},
		{"Close", closable, none, func(ctx context.Context, g payment.Gateway) (any, error) {
			return nil, g.Close(ctx, closable.intent.App, closable.no)
		}},
		{"Bill", prepayment{}, none, func(ctx context.Context, g payment.Gateway) (any, error) {
			return nil, g.Bill(ctx, d.idleDay(), func(payment.BillLine) error { return nil })
		}},
	}
	if d.RefundOutcome == nil {
		return all
	}
	owed, ordered := d.owing(300), d.owing(300)
	d.refunded(ordered)
	return append(all,
		walletRequest{"Refund", prepayment{}, owed, func(ctx context.Context, g payment.Gateway) (any, error) { return g.Refund(ctx, owed) }},
		walletRequest{"QueryRefund", prepayment{}, ordered, func(ctx context.Context, g payment.Gateway) (any, error) {
			return g.QueryRefund(ctx, ordered.App, ordered.No)
		}})
}

// assertDone asserts that the wallet now does what it is asked, or has done it before.
func (d *gatewayFixture) assertDone(c walletRequest) {
	d.Helper()
	d.line.breaks(well)
	_, err := c.do(d.Context(), d.gateway)
	if c.name == "Close" {
		d.assertClosed(err)
		return
	}
	assert.NoError(d, err, c.name)
}

var errEndless = errors.New("it did not end")

// soon is what comes of the call, if that is soon.
func soon(ctx context.Context, c walletRequest, g payment.Gateway) error {
	ended := make(chan error, 1)
	go func() {
		_, err := c.do(ctx, g)
		ended <- err
	}()
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		return errEndless
	}
}

// assertSoon asserts that all calls end soon, and leave open what was done.
func (d *gatewayFixture) assertSoon(all []walletRequest, g payment.Gateway, within func() (context.Context, context.CancelFunc)) {
	d.Helper()
	for n, err := range atOnce(len(all), func(n int) error {
		ctx, cancel := within()
		defer cancel()
		return soon(ctx, all[n], g)
	}) {
		assert.NotErrorIs(d, err, errEndless, all[n].name)
		d.assertUndecided(err)
	}
}

func gatewayKeepsTime(d *gatewayFixture) {
	for _, slow := range []failure{mute, stalls} {
		all := d.requests()
		asked := d.line.count()
		d.assertSoon(all, d.gateway, func() (context.Context, context.CancelFunc) {
			return context.WithDeadline(d.Context(), time.Now().Add(-time.Second))
		})
		assert.Equal(d, asked, d.line.count(), "a context that has ended")
		d.line.breaks(slow)
		d.assertSoon(all, d.gateway, func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(d.Context(), 100*time.Millisecond)
		})
		for _, c := range all {
			d.assertDone(c)
		}
	}
}

func gatewayKeepsOwnTime(d *gatewayFixture) {
	all := d.requests()
	d.line.breaks(mute)
	g := d.Gateway(d.line.address, 200*time.Millisecond)
	d.assertSoon(all, g, func() (context.Context, context.CancelFunc) { return context.WithCancel(d.Context()) })
	for _, c := range all {
		d.assertDone(c)
	}
}

func gatewayCancelled(d *gatewayFixture) {
	for _, c := range d.requests() {
		asked := d.line.count()
		ctx, leave := context.WithCancel(d.Context())
		d.line.breaks(func(l *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
			leave()
			mute(l, w, r, answer)
		})
		for _, when := range []string{"on the way", "before"} {
			err := soon(ctx, c, d.gateway)
			if assert.Error(d, err, when) {
				assert.NotErrorIs(d, err, errEndless, "%s: left %s", c.name, when)
				assert.Empty(d, faultsOf(err))
				d.assertDiscreet(err)
			}
			assert.Equal(d, asked+1, d.line.count(), "%s: left %s", c.name, when)
		}
		leave()
		d.assertDone(c)
	}
}

func gatewayLosesAnswers(d *gatewayFixture) {
	for _, lost := range []failure{hangsUp, cutsOff, late} {
		all := d.requests()
		d.line.breaks(lost)
		g := d.Gateway(d.line.address, time.Second) // time enough to arrive
		d.assertSoon(all, g, func() (context.Context, context.CancelFunc) { return context.WithCancel(d.Context()) })
		d.line.breaks(well)
		if len(all) > 4 {
			assert.Equal(d, payment.RefundProcessing, d.refundOf(all[4].back).State)
		}
		prepared, known, closed := all[0].of, all[1].of, all[2].of
		assert.Equal(d, payment.WalletUnpaid, d.ask(prepared).State)
		assert.Equal(d, payment.WalletUnpaid, d.ask(known).State)
		assert.Equal(d, payment.WalletClosed, d.ask(closed).State)

		d.paid(prepared)
		report := d.ask(prepared)
		assert.Equal(d, payment.WalletPaid, report.State)
		d.assertReceipt(prepared, report.Receipt)
		_, err := d.gateway.Prepare(d.Context(), prepared.request)
		d.assertFault(payment.ErrWalletPaid, err)
	}
}

func gatewayBadResponses(d *gatewayFixture) {
	private := d.Secrets[0]
	troubles := []failure{
		fails, halves, echoes, leads(private), says(200, "nonsense "+private), says(200, "{}"), says(200, "<xml></xml>"),
		babbles("HTTP/1.1 200 OK\r\nContent-Length: " + private + gatewayPayer + "\r\n\r\n"),
	}
	for _, odd := range troubles {
		all := d.requests()
		d.line.breaks(odd)
		d.assertSoon(all, d.gateway, func() (context.Context, context.CancelFunc) { return context.WithCancel(d.Context()) })
		for _, c := range all {
			d.assertDone(c)
		}
	}
}

// floodSize is far more than any answer needs, and billFloodSize than any bill.
const floodSize, billFloodSize = 64 << 20, 512 << 20

func gatewayEndlessResponses(d *gatewayFixture) {
	var sent atomic.Int64
	part := []byte(strings.Repeat("a", 64<<10))
	for _, c := range d.requests() {
		most := int64(floodSize)
		if c.name == "Bill" {
			most = billFloodSize
		}
		d.line.breaks(func(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
			answer()
			for sent.Store(0); sent.Load() < most; sent.Add(int64(len(part))) {
				if _, err := w.Write(part); err != nil {
					return
				}
			}
		})
		d.assertUndecided(soon(d.Context(), c, d.gateway))
		assert.Less(d, sent.Load(), most, c.name)
		d.assertDone(c)
	}
}

func gatewayIsPrinted(d *gatewayFixture) {
	d.assertDiscreet(d.another())
	d.assertDiscreet([]any{d.another()})
	for _, i := range d.intents() {
		p := d.prepared(i)
		d.paid(p)
		d.assertDiscreet(d.ask(p))
	}
}
