package ports

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
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
		fails, halves, echoes, leads(private), says(404, private), says(200, "nonsense "+private), says(200, "{}"), says(200, "<xml></xml>"),
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

// line lies between gateways and their wallet, and breaks as it is told.
type line struct {
	address string
	side    http.Handler
	over    chan struct{} // closed when the test ends

	mu      sync.Mutex
	trouble failure
	asked   int
}

// failure answers a request. Answer has the wallet do what it is asked, and returns what it says to that.
type failure func(l *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder)

func newLine(t *testing.T, side http.Handler) *line {
	l := &line{side: side, over: make(chan struct{}), trouble: well}
	server := httptest.NewServer(l)
	l.address = server.URL
	t.Cleanup(func() {
		close(l.over)
		server.CloseClientConnections()
		server.Close()
	})
	return l
}

// breaks has the line do that to every request from now on.
func (l *line) breaks(how failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trouble = how
}

// count is how many requests have come in.
func (l *line) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.asked++
	how := l.trouble
	l.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	how(l, w, r, func() *httptest.ResponseRecorder {
		// A client that hangs up has not withdrawn its request.
		asked := r.Clone(context.WithoutCancel(r.Context()))
		asked.Body = io.NopCloser(bytes.NewReader(body))
		said := httptest.NewRecorder()
		l.side.ServeHTTP(said, asked)
		return said
	})
}

// wait lasts until the gateway or the test is gone.
func (l *line) wait(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-l.over:
	}
}

// passOn passes on what was said, with another body.
func passOn(w http.ResponseWriter, said *httptest.ResponseRecorder, body []byte) {
	maps.Copy(w.Header(), said.Header())
	w.Header().Del("Content-Length")
	w.WriteHeader(said.Code)
	_, _ = w.Write(body) // who is gone hears nothing
}

func well(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
	said := answer()
	passOn(w, said, said.Body.Bytes())
}

// mute does nothing of what is asked, and does not answer.
func mute(l *line, _ http.ResponseWriter, r *http.Request, _ func() *httptest.ResponseRecorder) {
	l.wait(r)
}

// late does what is asked, and does not answer either.
func late(l *line, _ http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
	answer()
	l.wait(r)
}

// stalls in the middle of the answer.
func stalls(l *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
	begin(w, answer())
	l.wait(r)
}

// begin sends what makes no answer: half of its text. One without a text is not begun.
func begin(w http.ResponseWriter, said *httptest.ResponseRecorder) {
	if said.Body.Len() > 0 {
		passOn(w, said, said.Body.Bytes()[:said.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
	}
}

// hangsUp when it is done.
func hangsUp(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
	answer()
	end(w, "")
}

// cutsOff the answer.
func cutsOff(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
	begin(w, answer())
	panic(http.ErrAbortHandler)
}

// says something else when it is done. Where the status is all that the wallet says, it is the status that is wrong.
func says(code int, text string) failure {
	return func(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
		status := code
		if said := answer(); said.Body.Len() == 0 {
			status = http.StatusBadGateway
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// fails says the right thing under the wrong status.
func fails(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
	said := answer()
	said.Code = http.StatusBadGateway
	passOn(w, said, said.Body.Bytes())
}

// halves the answer, as if that were all.
func halves(l *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
	said := answer()
	half := string(said.Body.Bytes()[:said.Body.Len()/2])
	says(said.Code, half)(l, w, r, func() *httptest.ResponseRecorder { return said })
}

// echoes what was asked.
func echoes(l *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
	asked, _ := io.ReadAll(r.Body) // it is in memory
	says(http.StatusOK, string(asked))(l, w, r, answer)
}

// leads to another place, and to a secret.
func leads(to string) failure {
	return func(_ *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
		answer()
		http.Redirect(w, r, "/?"+to, http.StatusTemporaryRedirect)
	}
}

// babbles in no language that the gateway knows.
func babbles(text string) failure {
	return func(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
		answer()
		end(w, text)
	}
}

// replies with an answer that was given before.
func replies(said *httptest.ResponseRecorder, body []byte) failure {
	return func(_ *line, w http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
		passOn(w, said, body)
	}
}

// end says something that is no HTTP, and breaks the connection.
func end(w http.ResponseWriter, text string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_, _ = io.WriteString(conn, text)
	if tcp, is := conn.(*net.TCPConn); is && text == "" {
		_ = tcp.SetLinger(0) // a reset
	}
	_ = conn.Close()
}

// The payer and the number of the payment that WalletCalls are about.
const (
	WalletPayer   = "oPayer00000000000000000000001"
	WalletTradeNo = payment.TradeNo("plaza-7_1|*")
)

// WalletPayerAddress is where the payer is.
var WalletPayerAddress = netip.MustParseAddr("203.0.113.7")

// WalletOrder is an order of the moment, whose subject has what XML and JSON must escape.
func WalletOrder(at time.Time) payment.Order {
	o := payment.NewOrder(1, "茶 <Earl> & Grey's ]]> tea", 990, 2*time.Hour, at)
	o.ID = 7
	return o
}

// WalletCall sends a request through the gateway, and asserts that an error comes without a result.
type WalletCall = func(t *testing.T, g payment.Gateway) error

// WalletCalls are the requests about a payment, for a wallet that answers as the test chooses.
var WalletCalls = map[string]WalletCall{
	"prepare": func(t *testing.T, g payment.Gateway) error {
		t.Helper()
		intent := payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: WalletPayer}
		request, err := g.BuildRequest(WalletOrder(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)), intent, WalletTradeNo, WalletPayerAddress)
		require.NoError(t, err)
		ticket, err := g.Prepare(t.Context(), request)
		assert.True(t, err == nil || ticket == payment.Ticket{})
		return err
	},
	"query": func(t *testing.T, g payment.Gateway) error {
		t.Helper()
		report, err := g.Query(t.Context(), payment.OfficialAccount, WalletTradeNo)
		assert.True(t, err == nil || report == payment.Report{})
		return err
	},
	"close": func(t *testing.T, g payment.Gateway) error {
		t.Helper()
		return g.Close(t.Context(), payment.OfficialAccount, WalletTradeNo)
	},
}

// AssertWalletFault asserts that the error says that of the wallet and nothing else.
func AssertWalletFault(t *testing.T, want, err error) {
	t.Helper()
	require.ErrorIs(t, err, want)
	for _, other := range append([]*fault.Error{payment.ErrWalletTimeout, payment.ErrWalletBadResponse}, gatewayFaults...) {
		if !errors.Is(other, want) {
			assert.NotErrorIs(t, err, other)
		}
	}
	told, is := fault.As(err)
	require.True(t, is)
	assert.Equal(t, want, error(told), "what the caller tells")
}
