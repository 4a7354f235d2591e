//go:build soak

package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
)

func TestPAY_however_it_goes_our_ledger_is_the_wallets(t *testing.T) {
	const rounds = payings
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	onBothStores(t, func(t *testing.T, store string) {
		t.Parallel()
		w := &walk{checkout: openCheckout(t, store), random: rand.New(rand.NewPCG(seed, 0))}
		w.reviews = []string{"abnormal refund needs review", "unapplied payment needs review"}
		w.opens(t)
		for n := 0; n < rounds || w.paid() == 0 || len(w.wallet.Refunds()) == 0; n++ {
			require.Less(t, n, 10*rounds, "rounds until a payment and a refund succeed")
			if n == rounds/2 {
				w.movesToV3(t)
			}
			w.goesOn(t)
			require.False(t, t.Failed(), "after round %d", n+1)
		}
		for _, p := range w.orders {
			w.isMade(t, p)
		}
		w.settles(t, w.orders...)
		w.agreesWithBills(t)
		t.Logf("%d rounds at least, %d kills, %d of them at a point that was held; %d orders, %d ways to pay, %d paid; %s",
			rounds, w.kills, w.held, len(w.orders), len(w.wallet.Ledger()), w.paid(), w.returned())
	})
}

// returned says how many refunds the wallet has, by their state.
func (w *walk) returned() string {
	by := map[sandbox.RefundState]int{}
	for _, r := range w.wallet.Refunds() {
		by[r.State]++
	}
	return fmt.Sprintf("%d orders of refunds, at the wallet %v", len(w.refundRequests), by)
}

// movesToV3 replaces the server by one that speaks version 3 and refunds by itself what is due.
func (w *walk) movesToV3(t *testing.T) {
	t.Helper()
	w.isKilled(t)
	w.speaksV3()
	w.settings = append(w.settings, "--wallet-refund-due=auto")
	w.isV3 = true
	w.opens(t)
}

// paid returns the number of the wallet's orders that are paid.
func (w *walk) paid() (n int) {
	for _, trade := range w.wallet.Ledger() {
		if trade.State == sandbox.Success {
			n++
		}
	}
	return n
}

// walk is a checkout where anything may happen next.
type walk struct {
	*checkout
	random      *rand.Rand
	kills, held int
	isV3        bool
}

func (w *walk) randomly(percent int) bool { return w.random.IntN(100) < percent }

func one[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// goesOn is a round: one or more users pay, something goes wrong, and the server may
// be killed.
func (w *walk) goesOn(t *testing.T) {
	t.Helper()
	w.troubles(t)
	if w.randomly(30) && w.ahead.Load() < int64(furthest) {
		w.growsOld()
	}
	if w.randomly(50) && len(w.refundRequests) > 0 {
		w.refundsGrowOld(t)
	}
	if w.randomly(8) {
		w.orders = append(w.orders, w.isPaidInVain(t, len(w.orders)))
	}
	w.endSome(t)
	acts := w.acts()
	if w.randomly(60) {
		acts = append(acts, w.refunds(t)...)
	}
	if w.randomly(60) {
		w.isKilledDuring(t, acts)
		w.opens(t)
		return
	}
	for _, a := range w.all(acts)() {
		assert.NotZero(t, a.status, "nobody has killed it: %s", a.body)
		w.isFit(t, a)
	}
}

// furthest is how far the wallet's clock may be ahead. Version 3 takes no message that is five minutes off.
const furthest = 4 * time.Minute

// isFit asserts that it is an answer to what may go wrong here.
func (w *walk) isFit(t *testing.T, a reply) {
	t.Helper()
	if a.status != 0 {
		assert.Contains(t, append(passing, http.StatusOK, http.StatusCreated), a.status, a.body)
	}
}

// troubles has the wallet misbehave.
func (w *walk) troubles(t *testing.T) {
	t.Helper()
	asked := []sandbox.Operation{sandbox.UnifiedOrder, sandbox.UnifiedOrder, sandbox.OrderQuery, sandbox.CloseOrder}
	if w.isV3 {
		asked = []sandbox.Operation{sandbox.Prepay, sandbox.Prepay, sandbox.QueryTrade, sandbox.CloseTrade}
	}
	asked = append(asked, sandbox.RefundOrder, sandbox.RefundOrder, sandbox.RefundQuery)
	whenAsked := []sandbox.Trick{
		sandbox.Slow, sandbox.ErrorBefore, sandbox.Crowded, sandbox.Delay, sandbox.ErrorAfter, sandbox.Reset, sandbox.Garbage, sandbox.Forge,
	}
	whenTelling := []sandbox.Trick{sandbox.Lose, sandbox.Repeat, sandbox.Late, sandbox.Forge, sandbox.Delay}
	for w.randomly(50) {
		telling := one(w.random, []sandbox.Operation{sandbox.Notify, sandbox.NotifyRefund})
		m := sandbox.Misbehaviour{On: telling, Do: one(w.random, whenTelling), Copies: 2 + w.random.IntN(4)}
		if w.randomly(10) {
			m = sandbox.Misbehaviour{On: sandbox.RefundOrder, Do: sandbox.NoFunds}
		} else if w.randomly(70) {
			m = sandbox.Misbehaviour{On: one(w.random, asked), Do: one(w.random, whenAsked)}
		}
		m.DelayMS = w.random.Int64N(700)
		for range 1 + w.random.IntN(3) {
			require.NoError(t, w.wallet.Misbehave(m))
		}
	}
}

// act is a request of a user to the running server.
type act func(r *running) reply

// acts are what several people do at once with one order.
func (w *walk) acts() []act {
	p := w.some()
	if p.id == 0 {
		return []act{func(r *running) reply { return p.make(r, w.staff) }}
	}
	var acts []act
	for range 1 + w.random.IntN(3) {
		how, key := one(w.random, []way{byCode, byCode, inApp, inWallet, inBrowser}), ""
		if w.randomly(50) {
			key = fmt.Sprintf("pay-%d-%d-%d", p.id, how.EndType, w.random.IntN(2))
		}
		pays := w.randomly(60)
		acts = append(acts, func(r *running) reply {
			a := p.pay(r, how, key)
			if pays && a.status == http.StatusOK {
				w.paysAll(p)
			}
			return a
		})
	}
	if w.randomly(40) { // with what was there before
		acts = append(acts, func(*running) reply {
			w.paysAll(p)
			return reply{status: http.StatusOK}
		})
	}
	return acts
}

// refunds are what staff does at once: one or more payments go back whole, in part, or more than there is, and some
// orders are sent twice at once or were sent before.
func (w *walk) refunds(t *testing.T) []act {
	t.Helper()
	payments := w.newest(t)
	if len(payments) == 0 {
		return nil
	}
	var acts []act
	for range 1 + w.random.IntN(3) {
		b := w.someBack(one(w.random, payments))
		acts = append(acts, b.order)
		if b.key != "" && w.randomly(30) {
			acts = append(acts, b.order)
		}
	}
	return acts
}

// someBack is an order of a refund: one that was sent before and has a key, or a new one.
func (w *walk) someBack(p paymentShown) *refundRequest {
	var keyed []*refundRequest
	for _, b := range w.refundRequests {
		if b.key != "" {
			keyed = append(keyed, b)
		}
	}
	if len(keyed) > 0 && w.randomly(30) {
		return one(w.random, keyed)
	}
	key := ""
	if w.randomly(60) {
		key = fmt.Sprint("refund-", len(w.refundRequests))
	}
	return w.wantsBack(p.ID, one(w.random, []int64{0, 1, 1 + w.random.Int64N(p.Amount), p.Amount / 2, p.Amount, p.Amount + 1}), key)
}

// endSome lets some of the wallet's refunds end in some way.
func (w *walk) endSome(t *testing.T) {
	t.Helper()
	ends := []sandbox.RefundState{sandbox.RefundSucceeded, sandbox.RefundSucceeded, sandbox.RefundClosed, sandbox.RefundAbnormal}
	for _, r := range w.wallet.Refunds() {
		switch {
		case r.State == sandbox.RefundProcessing && w.randomly(40):
			require.NoError(t, w.wallet.RefundOutcome(r.No, one(w.random, ends)))
		case r.State == sandbox.RefundAbnormal && w.randomly(10):
			require.NoError(t, w.wallet.RefundOutcome(r.No, sandbox.RefundSucceeded), "staff has repaired it")
		}
	}
}

// some is an order; most of the time one that is not paid, and a new one now and then.
func (w *walk) some() *purchase {
	var open []*purchase
	for _, p := range w.orders {
		isPaid := false
		for _, trade := range w.trades(p) {
			isPaid = isPaid || trade.State == sandbox.Success
		}
		if !p.isInVain && (p.id == 0 || !isPaid) {
			open = append(open, p)
		}
	}
	switch {
	case len(open) < 2 || w.randomly(10):
		w.orders = append(w.orders, w.wants(len(w.orders)))
		return w.orders[len(w.orders)-1]
	case w.randomly(10):
		return one(w.random, w.orders)
	}
	return one(w.random, open)
}

// all has all acts done at once; what it returns waits for their answers.
func (w *walk) all(acts []act) func() []reply {
	answers := make([]reply, len(acts))
	var doing sync.WaitGroup
	for n, do := range acts {
		r := w.now
		doing.Go(func() { answers[n] = do(r) })
	}
	return func() []reply {
		doing.Wait()
		return answers
	}
}

// isKilledDuring kills the server while all acts are done: at a point that is held, or at
// any moment.
func (w *walk) isKilledDuring(t *testing.T, acts []act) {
	t.Helper()
	w.kills++
	moment := time.Duration(w.random.Int64N(int64(400 * time.Millisecond)))
	unlock := func() {}
	var held *breakpoint
	switch pick := w.random.IntN(10); {
	case pick < 4:
		held = w.stopsAtTheWallet()
	case pick < 8 && w.databaseProxy != nil:
		held = w.stopsAt(one(w.random, []string{theTrip, theReturn}), 40)
	case pick < 7:
		unlock = w.isLocked(t)
		w.held++
	}
	wait := w.all(acts)
	select {
	case <-held.point():
		w.held++
	case <-time.After(moment):
	}
	w.isKilled(t)
	unlock()
	for _, a := range wait() {
		w.isFit(t, a)
	}
	if w.randomly(40) && len(w.orders) > 0 { // and no server is there to be notified
		w.paysAll(one(w.random, w.orders))
	}
	if w.randomly(40) {
		w.endSome(t)
	}
}

// point is where the breakpoint holds; nil, which holds nothing, is never there.
func (b *breakpoint) point() <-chan struct{} {
	if b == nil {
		return nil
	}
	return b.reached
}

// stopsAtTheWallet holds one of the next messages to or from the wallet.
func (w *walk) stopsAtTheWallet() *breakpoint {
	if w.randomly(20) {
		return w.messages.stopAtThe(one(w.random, []string{notifying, notified}))
	}
	return w.stopsAt(one(w.random, []string{requestsPrefix, answersPrefix}), 3)
}

// stopsAt holds one of the next messages, at most, whose name begins so.
func (w *walk) stopsAt(prefix string, most int) *breakpoint {
	return w.messages.stopAtStep(1+w.random.IntN(most), func(message string) bool { return strings.HasPrefix(message, prefix) })
}
