package e2e

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
)

// flow is what a server does step by step, and may be killed at each step.
type flow struct {
	name  string
	poll  string                    // how often the server polls the wallet
	steps func(message string) bool // the messages that are steps
	// attempt prepares the flow for the n-th time.
	attempt func(t *testing.T, s *checkout, n int) attempt
}

type attempt struct {
	begin     func(ctx context.Context) // runs the flow, and returns when it is over or ctx ends
	meanwhile func()                    // happens while no server runs; nil: nothing
	finish    func()                    // ends the flow over the next server, and asserts that each effect is there once
}

// The fates of a message to or from the wallet at which the server is killed.
const (
	isLost      = iota
	isOvertaken // it is lost, and the wallet's payer or staff act before the next server runs
	isLate      // a request arrives after the next server has ended the flow
)

// killAtEachStep kills the server at each step of the flow, or at few of them without the soak, until the flow is over first.
func (s *checkout) killAtEachStep(t *testing.T, f flow) {
	t.Helper()
	attempts := 0
	for step, isOver := firstStep, false; !isOver; step += stride {
		for fate := isLost; fate < fates && !isOver; fate++ {
			a := f.attempt(t, s, attempts)
			attempts++
			var held *breakpoint
			held, isOver = s.killAt(t, f, a, step, fate)
			if fate == isOvertaken && a.meanwhile != nil {
				a.meanwhile()
			}
			s.opens(t)
			a.finish()
			if fate == isLate && held.isRequest() {
				held.free(true)
				await(t, held.handled, "the wallet has not handled the request")
			}
			require.False(t, t.Failed(), "killed at step %d: %s", step, held.name())
			if !isOfWallet(held.name()) {
				break
			}
		}
	}
	t.Logf("%d kills", attempts)
}

func (b *breakpoint) name() string {
	select {
	case <-b.reached:
		return b.message
	default:
		return ""
	}
}

func (b *breakpoint) isRequest() bool { return strings.HasPrefix(b.name(), requestsPrefix) }

// isOfWallet reports whether the message is to or from the wallet.
func isOfWallet(message string) bool {
	return message != "" && !strings.HasPrefix(message, theTrip) && !strings.HasPrefix(message, theReturn)
}

var writesPayments = regexp.MustCompile(`(INSERT INTO|UPDATE) (orders|prepayments|payments|refunds|journal|findings|idempotency_keys)\b`)

// isOfPayments reports whether the message is to or from the wallet, or is about a change of payments in the database.
func isOfPayments(message string) bool {
	return isOfWallet(message) || writesPayments.MatchString(message)
}

// killAt kills the server at the step, or when the flow is over.
func (s *checkout) killAt(t *testing.T, f flow, a attempt, step, fate int) (held *breakpoint, isOver bool) {
	t.Helper()
	held = s.messages.stopAtStep(step, f.steps)
	ctx, end := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); a.begin(ctx) }()
	select {
	case <-held.reached:
	case <-done:
		isOver = true
	case <-time.After(patience):
		require.Fail(t, "the flow does not end", "at step %d", step)
	}
	if fate == isLate && held.isRequest() {
		s.messages.forget(held)
		t.Cleanup(func() { held.free(false) })
	}
	s.isKilled(t)
	end()
	await(t, done, "the flow does not end with its server")
	return held, isOver
}

var paymentFlows = []flow{
	{"PAY-09 PAY-10 PAY-12 an order is made, begun, and paid", "1h", isOfPayments, paysOrder},
	{"PAY-14 a refund is ordered, and ends", "200ms", isOfPayments, refundsPayment},
	{"PAY-09 another way to pay is chosen", "1h", isOfWallet, changesWay},
	{"PAY-11 an order expires", "200ms", isOfWallet, expires},
}

func TestPAY_a_server_that_is_killed_at_any_step_loses_no_money_and_takes_and_returns_none_twice(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	onStoresAndVersions(t, func(t *testing.T, store string, version ledger.Protocol) {
		for _, f := range paymentFlows[:flowsKilled] {
			t.Run(strings.ReplaceAll(f.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				s := openCheckout(t, store)
				if version == ledger.V3 {
					s.speaksV3()
				}
				s.poll, s.reviews = f.poll, []string{"abnormal refund needs review"}
				s.opens(t)
				s.killAtEachStep(t, f)
				s.settles(t)
			})
		}
	})
}

// onStoresAndVersions runs the test on each store and over each version of the wallet's API once. In the soak it runs it on
// each store over each version.
func onStoresAndVersions(t *testing.T, test func(t *testing.T, store string, version ledger.Protocol)) {
	for _, c := range []struct {
		store   string
		version ledger.Protocol
		isFirst bool
	}{{"SQLite", ledger.V2, true}, {"SQLite", ledger.V3, false}, {"Postgres", ledger.V2, false}, {"Postgres", ledger.V3, true}} {
		if c.isFirst || isSoak {
			t.Run(c.store+"/"+string(c.version), func(t *testing.T) { test(t, c.store, c.version) })
		}
	}
}

// isBegunAnew makes an order and begins its payment.
func (s *checkout) isBegunAnew(t *testing.T, n int, w way) *purchase {
	t.Helper()
	p := s.wants(n)
	s.orders = append(s.orders, p)
	s.isMade(t, p)
	s.isBegun(t, p, w, "")
	return p
}

// paysAll lets the payer try all that the wallet has of the order. The wallet decides what can be paid.
func (s *checkout) paysAll(p *purchase) {
	for _, trade := range s.trades(p) {
		_, _ = s.wallet.Pay(trade.OutTradeNo)
	}
}

// isPaidFor reports whether a trade of the order is paid, and its notification taken if that is asked.
func (s *checkout) isPaidFor(p *purchase, isNotified bool) bool {
	return slices.ContainsFunc(s.trades(p), func(trade ledger.Trade) bool {
		return trade.State == ledger.Success && (trade.Notified || !isNotified)
	})
}

// untilEnded looks again and again until it is so, or ctx ends.
func untilEnded(ctx context.Context, isSo func() bool) {
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !isSo() {
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
	}
}

func paysOrder(t *testing.T, s *checkout, n int) attempt {
	p, key, server := s.wants(n), fmt.Sprint("pay-", n), s.now
	s.orders = append(s.orders, p)
	return attempt{
		begin: func(ctx context.Context) {
			untilEnded(ctx, func() bool { return p.make(server, s.staff).status == http.StatusCreated })
			untilEnded(ctx, func() bool { return p.pay(server, byCode, key).status == http.StatusOK })
			if ctx.Err() == nil {
				s.paysAll(p)
			}
			untilEnded(ctx, func() bool { return s.isPaidFor(p, true) })
		},
		meanwhile: func() { s.paysAll(p) },
		finish: func() {
			s.refundsGrowOld(t)
			s.isMade(t, p)
			if !s.isPaidFor(p, false) {
				a := s.isBegun(t, p, byCode, key)
				assert.Equal(t, a.body, s.isBegun(t, p, byCode, key).body)
				s.isPaid(t, p)
			}
			until(t, func() bool { return s.isPaidFor(p, true) })
			assert.Len(t, s.trades(p), 1)
		},
	}
}

func changesWay(t *testing.T, s *checkout, n int) attempt {
	p, key, server := s.isBegunAnew(t, n, byCode), fmt.Sprint("pay-", n), s.now
	s.growsOld()
	return attempt{
		begin: func(ctx context.Context) {
			untilEnded(ctx, func() bool { return p.pay(server, inApp, key).status == http.StatusOK })
			if ctx.Err() == nil {
				s.paysAll(p)
			}
			untilEnded(ctx, func() bool { return s.isPaidFor(p, true) })
		},
		meanwhile: func() { s.paysAll(p) },
		finish: func() {
			if !s.isPaidFor(p, false) {
				s.isBegun(t, p, inApp, "")
				s.isPaid(t, p)
			}
			until(t, func() bool { return strings.Contains(p.pay(s.now, inWallet, "").body, "already paid") })
		},
	}
}

func expires(t *testing.T, s *checkout, n int) attempt {
	s.hearsNothing(t)
	p, server := s.isBegunAnew(t, n, inApp), s.now
	s.growsOld()
	return attempt{
		begin: func(ctx context.Context) {
			s.isOver(t, p)
			untilEnded(ctx, func() bool { return p.stateAt(server) == "closed" })
		},
		meanwhile: func() { s.paysAll(p) },
		finish: func() {
			until(t, func() bool {
				s.isOver(t, p) // again, because the server may look seldom after it
				return p.stateAt(s.now) != "open"
			})
			assert.Equal(t, s.isPaidFor(p, false), p.stateAt(s.now) == "paid")
		},
	}
}

// refundsPayment has a part of a payment refunded, and then the rest, and asserts that nothing is left.
func refundsPayment(t *testing.T, s *checkout, n int) attempt {
	p, server := s.isBegunAnew(t, n, byCode), s.now
	s.isPaid(t, p)
	id := s.paymentOf(t, p)
	b, before := s.wantsBack(id, 40, fmt.Sprint("refund-", n)), len(s.wallet.Refunds())
	outcome := []ledger.RefundState{ledger.RefundSucceeded, ledger.RefundClosed, ledger.RefundAbnormal}[n%3]
	return attempt{
		begin: func(ctx context.Context) {
			untilEnded(ctx, func() bool { return b.order(server).status == http.StatusCreated })
			untilEnded(ctx, func() bool {
				s.end(t, outcome)
				all := s.wallet.Refunds()
				return len(all) > before && all[before].Notified
			})
		},
		meanwhile: func() { s.end(t, ledger.RefundClosed) },
		finish: func() {
			s.isOrdered(t, b)
			s.isAtWallet(t, before+1)
			s.end(t, ledger.RefundSucceeded)
			c := newCaller(s.now.url)
			defer c.client.CloseIdleConnections()
			until(t, func() bool {
				s.refundsGrowOld(t)
				return len(s.unreturned(t, c)) == 0
			})
			s.returnsNoMore(t, p, id)
		},
	}
}

// returnsNoMore orders the refund of what is left of the payment, and asserts that nothing is left afterwards.
func (s *checkout) returnsNoMore(t *testing.T, p *purchase, id int64) {
	t.Helper()
	before := len(s.wallet.Refunds())
	s.isOrdered(t, s.wantsBack(id, 0, ""))
	s.isAtWallet(t, before+1)
	for _, amount := range []int64{0, 1} {
		a := s.wantsBack(id, amount, "").order(s.now)
		assert.Equal(t, http.StatusConflict, a.status, a.body)
	}
	var sum int64
	for _, r := range s.wallet.Refunds() {
		if r.State != ledger.RefundClosed && r.TransactionID == s.trades(p)[0].TransactionID {
			sum += r.Amount
		}
	}
	assert.Equal(t, p.amount, sum, "all of it, and no more")
}
