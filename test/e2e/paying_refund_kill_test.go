package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
)

var refundKillPoints = []killPoint{
	{"PAY-14 the wallet has the refund and its answer is lost", refundedUnheard},
	{"PAY-14 the same, and the refund ends before there is a server again", refundedUnheardAndEnded},
	{"PAY-14 the wallet never gets the refund", neverRefunded},
	{"PAY-14 the wallet gets the refund long after", refundedLate},
	{"PAY-14 the same, and the wallet has refused what was sent meanwhile", refundedLateAndRefused},
	{"PAY-14 the refund waits for its turn", refundedInTurn},
	{"PAY-14 the wallet has told the outcome and its answer is lost", refundAskedUnheard},
	{"PAY-14 the notification is answered and its answer is lost", refundNotifiedUnheard},
	{"PAY-14 the server refunds by itself and the answer is lost", refundedByItselfUnheard},
}

// refundsOnSQLite are points where the file is locked from outside.
var refundsOnSQLite = []killPoint{
	{"PAY-14 the refund can't be stored", refundBeforeLock},
	{"PAY-14 the notification is there and can't be taken in", refundNotifiedBeforeLock},
}

// refundsOnPostgres are points where a round trip to the database is held.
var refundsOnPostgres = []killPoint{
	{"PAY-14 the refund is not stored yet", refundKilledAt(theTrip, "INSERT INTO refunds")},
	{"PAY-14 the refund is stored and not sent", refundKilledAt(theReturn, "INSERT INTO refunds", "COMMIT")},
	{"PAY-14 the wallet's answer is not stored yet", refundKilledAt(theTrip, "UPDATE refunds", "wallet_refund_id")},
	{"PAY-14 the wallet's answer is stored and nobody is told", refundKilledAt(theReturn, "UPDATE refunds", "wallet_refund_id", "COMMIT")},
	{"PAY-14 the notification is not taken in yet", refundKilledAt(theTrip, "UPDATE refunds", "next_check >")},
	{"PAY-14 the notification is taken in and the wallet is not told", refundKilledAt(theReturn, "UPDATE refunds", "next_check >")},
}

func TestPAY14_a_server_that_is_killed_at_any_step_of_a_refund_returns_the_money_once(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	onStoresAndVersions(t, killAtRefunds)
}

// onStoresAndVersions runs the test on each store and over each version of the wallet's API once. In the soak it runs it on
// each store over each version.
func onStoresAndVersions(t *testing.T, test func(t *testing.T, store string, version sandbox.Protocol)) {
	for _, c := range []struct {
		store   string
		version sandbox.Protocol
		isFirst bool
	}{{"SQLite", sandbox.V2, true}, {"SQLite", sandbox.V3, false}, {"Postgres", sandbox.V2, false}, {"Postgres", sandbox.V3, true}} {
		if c.isFirst || isSoak {
			t.Run(c.store+"/"+string(c.version), func(t *testing.T) { test(t, c.store, c.version) })
		}
	}
}

func killAtRefunds(t *testing.T, store string, version sandbox.Protocol) {
	for _, point := range pointsOn(store, refundKillPoints, map[string][]killPoint{"SQLite": refundsOnSQLite, "Postgres": refundsOnPostgres}) {
		t.Run(strings.ReplaceAll(point.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := openShop(t, store)
			if version == sandbox.V3 {
				s.speaksV3()
			}
			p := point.show(t, s)
			s.returnsNoMore(t, p)
			s.settles(t, p)
		})
	}
}

// returnsNoMore orders the refund of what is left of the payment, which may be nothing, and asserts that nothing is
// left afterwards.
func (s *shop) returnsNoMore(t *testing.T, p *purchase) {
	t.Helper()
	id := s.paymentOf(t, p)
	before := len(s.wallet.Refunds())
	a := s.wantsBack(id, 0, "").order(s.now)
	require.Contains(t, []int{http.StatusCreated, http.StatusConflict}, a.status, a.body)
	if a.status == http.StatusCreated {
		s.isAtWallet(t, before+1)
	}
	for _, amount := range []int64{0, 1} {
		a = s.wantsBack(id, amount, "").order(s.now)
		assert.Equal(t, http.StatusConflict, a.status, a.body)
	}
	var sum int64
	for _, r := range s.wallet.Refunds() {
		if r.State != sandbox.RefundClosed {
			sum += r.Amount
		}
	}
	assert.Equal(t, p.amount, sum, "all of it, and no more")
}

func refundedUnheard(t *testing.T, s *shop) *purchase {
	p, id := s.isSold(t)
	b := s.wantsBack(id, 40, "key")
	s.isKilledAt(t, s.gate.stopAtThe(refunded), b.order)
	require.Len(t, s.wallet.Refunds(), 1)
	s.opens(t)
	s.isOrdered(t, b)
	s.refundsGrowOld(t)
	s.isOrdered(t, b)
	assert.Len(t, s.wallet.Refunds(), 1)
	s.end(t, sandbox.RefundSucceeded)
	return p
}

func refundedUnheardAndEnded(t *testing.T, s *shop) *purchase {
	p, id := s.isSold(t)
	b := s.wantsBack(id, 40, "")
	s.isKilledAt(t, s.gate.stopAtThe(refunded), b.order)
	s.end(t, sandbox.RefundClosed)
	s.opens(t)
	until(t, func() bool {
		s.refundsGrowOld(t)
		a := ask(s.now, s.staff, http.MethodGet, refundsPath+"?state=closed", nil, nil)
		return strings.Contains(a.body, b.reason)
	})
	return p
}

func neverRefunded(t *testing.T, s *shop) *purchase {
	p, id := s.isSold(t)
	b := s.wantsBack(id, 40, "key")
	s.isKilledAt(t, s.gate.stopAtThe(refunding), b.order)
	require.Empty(t, s.wallet.Refunds())
	s.opens(t)
	s.isAtWallet(t, 1)
	s.isOrdered(t, b)
	s.end(t, sandbox.RefundSucceeded)
	return p
}

// isHeldLate orders the refund and kills the server while the request is on its way. What is returned lets it arrive,
// and waits until the wallet has processed it.
func (s *shop) isHeldLate(t *testing.T, b *giveBack) (arrives func()) {
	t.Helper()
	late := s.gate.stopAtThe(refunding)
	t.Cleanup(func() { late.free(false) })
	answer := make(chan said, 1)
	go func(r *running) { answer <- b.order(r) }(s.now)
	late.isReached(t)
	s.gate.forget(late)
	s.isKilled(t)
	<-answer
	return func() {
		processed := s.gate.stopAtThe(refunded)
		late.free(true)
		processed.isReached(t)
		processed.free(false) // no client waits for the answer
	}
}

func refundedLate(t *testing.T, s *shop) *purchase {
	p, id := s.isSold(t)
	arrives := s.isHeldLate(t, s.wantsBack(id, 40, ""))
	s.opens(t)
	s.isAtWallet(t, 1)
	s.end(t, sandbox.RefundSucceeded)
	arrives()
	assert.Len(t, s.wallet.Refunds(), 1)
	return p
}

func refundedLateAndRefused(t *testing.T, s *shop) *purchase {
	p, id := s.isSold(t)
	arrives := s.isHeldLate(t, s.wantsBack(id, 40, ""))
	s.opens(t)
	refused := s.gate.refusesThe(refunding)
	s.refundsGrowOld(t)
	refused.isReached(t)
	until(t, func() bool { return strings.Contains(s.now.log.String(), "wallet did not confirm a refund") })
	again := s.wantsBack(id, p.amount, "").order(s.now)
	assert.Equal(t, http.StatusConflict, again.status, "a part of it may have been returned: %s", again.body)
	arrives()
	s.end(t, sandbox.RefundSucceeded)
	return p
}

func refundedInTurn(t *testing.T, s *shop) *purchase {
	p, id := s.isSold(t)
	s.isOrdered(t, s.wantsBack(id, 40, ""))
	s.isOrdered(t, s.wantsBack(id, 30, ""))
	require.Len(t, s.wallet.Refunds(), 1)
	s.isKilled(t)
	s.opens(t)
	held := s.gate.stopAtThe(refunded)
	s.refundsGrowOld(t)
	held.isReached(t)
	s.isKilled(t)
	require.Len(t, s.wallet.Refunds(), 2)
	s.opens(t)
	s.end(t, sandbox.RefundSucceeded)
	return p
}

func refundAskedUnheard(t *testing.T, s *shop) *purchase {
	s.reviews = append(s.reviews, "abnormal refund needs review")
	p, id := s.isSold(t)
	for range 100 {
		require.NoError(t, s.wallet.Misbehave(sandbox.Misbehaviour{On: sandbox.NotifyRefund, Do: sandbox.Lose}))
	}
	s.isDeaf = true
	held := s.gate.stopAtThe(refundAsked)
	s.isOrdered(t, s.wantsBack(id, 40, ""))
	s.end(t, sandbox.RefundAbnormal)
	held.isReached(t)
	s.isKilled(t)
	s.opens(t)
	until(t, func() bool {
		s.refundsGrowOld(t)
		return strings.Contains(s.now.log.String(), s.reviews[0])
	})
	require.NoError(t, s.wallet.RefundOutcome(s.wallet.Refunds()[0].No, sandbox.RefundSucceeded), "staff has repaired it")
	return p
}

func refundNotifiedUnheard(t *testing.T, s *shop) *purchase {
	p, id := s.isSold(t)
	s.isOrdered(t, s.wantsBack(id, 40, ""))
	held := s.front.stopAtThe(notified)
	s.end(t, sandbox.RefundSucceeded)
	held.isReached(t)
	s.isKilled(t)
	s.opens(t)
	until(t, func() bool { return s.wallet.Refunds()[0].Notified })
	assert.Greater(t, s.wallet.Refunds()[0].Attempts, 1)
	return p
}

func refundedByItselfUnheard(t *testing.T, s *shop) *purchase {
	s.reviews = append(s.reviews, "unapplied payment needs review")
	s.opens(t)
	p := s.isPaidInVain(t, 1)
	s.paymentOf(t, p)
	s.isKilled(t)
	s.settings = append(s.settings, "--wallet-refund-due=auto")
	held := s.gate.stopAtThe(refunded)
	s.opens(t)
	held.isReached(t)
	s.isKilled(t)
	require.Len(t, s.wallet.Refunds(), 1)
	s.opens(t)
	s.end(t, sandbox.RefundSucceeded)
	return p
}

func refundBeforeLock(t *testing.T, s *shop) *purchase {
	p, id := s.isSold(t)
	s.newest(t) // that the key is used is stored, too
	b := s.wantsBack(id, 40, "")
	unlock := s.isLocked(t)
	answer := make(chan said, 1)
	go func(r *running) { answer <- b.order(r) }(s.now)
	s.newest(t)
	s.isKilled(t)
	require.Zero(t, (<-answer).status)
	unlock()
	require.Empty(t, s.wallet.Refunds(), "what is not stored is not sent")
	s.opens(t)
	return p
}

func refundNotifiedBeforeLock(t *testing.T, s *shop) *purchase {
	p, id := s.isSold(t)
	s.isOrdered(t, s.wantsBack(id, 40, ""))
	unlock := s.isLocked(t)
	held := s.front.stopAtThe(notifying)
	s.end(t, sandbox.RefundSucceeded)
	held.isReached(t)
	for range 5 { // it has come before these, so it has got further
		s.newest(t)
	}
	assert.False(t, s.wallet.Refunds()[0].Notified, "it is not taken in")
	s.isKilled(t)
	unlock()
	s.opens(t)
	return p
}

// refundKilledAt orders a refund, which ends, and kills the server at the round trip that has the statements. Until then
// the server does nothing by itself.
func refundKilledAt(direction string, statements ...string) func(t *testing.T, s *shop) *purchase {
	return func(t *testing.T, s *shop) *purchase {
		s.poll = "1h"
		p, id := s.isSold(t)
		b := s.wantsBack(id, 40, "key")
		held := s.cable.stopAtTrip(direction, statements...)
		ended := make(chan error, 1)
		go func(r *running) {
			var err error
			if b.order(r).status == http.StatusCreated {
				err = s.wallet.RefundOutcome(s.wallet.Refunds()[0].No, sandbox.RefundSucceeded)
			}
			ended <- err
		}(s.now)
		held.isReached(t)
		s.isKilled(t)
		require.NoError(t, <-ended)
		s.poll = "200ms"
		s.opens(t)
		s.isOrdered(t, b)
		s.isAtWallet(t, 1)
		return p
	}
}
