package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
)

// killPoint is a step of paying at which the server is killed. Its test leaves a server
// that runs, and returns the order that was made.
type killPoint struct {
	name string
	show func(t *testing.T, s *shop) *purchase
}

var killPoints = []killPoint{
	{"PAY-09 the wallet has the order and its answer is lost", orderedUnheard},
	{"PAY-11 the same, and somebody pays before there is a server again", orderedUnheardAndPaid},
	{"PAY-09 the wallet never gets the order", neverOrdered},
	{"PAY-09 the wallet gets the order long after", orderedLate},
	{"PAY-09 the wallet has closed the former way to pay and its answer is lost", closedUnheard},
	{"PAY-09 somebody pays what the wallet was about to be told to close", paidWhileClosing},
	{"PAY-11 the wallet has said that it is paid and its answer is lost", askedUnheard},
	{"PAY-11 the wallet has closed what nobody has paid in time and its answer is lost", closedInTheEnd},
	{"PAY-11 somebody pays in the end what the wallet was about to be told to close", paidInTheEnd},
	{"PAY-10 the notification is answered and its answer is lost", notifiedUnheard},
}

// onSQLite are points where the file is locked from outside.
var onSQLite = []killPoint{
	{"PAY-10 the notification is there and can't be stored", notifiedBeforeLock},
	{"PAY-12 the order can't be stored", makingBeforeLock},
}

// onPostgres are points where a round trip to the database is held.
var onPostgres = []killPoint{
	{"PAY-10 the payment is not stored yet", killedAt(theTrip, "INSERT INTO payments")},
	{"PAY-10 the payment is stored and the server doesn't know", killedAt(theReturn, "INSERT INTO payments")},
	{"PAY-09 the prepayment is not stored yet", killedAt(theTrip, "INSERT INTO prepayments")},
	{"PAY-09 the prepayment is stored and not sent", killedAt(theReturn, "INSERT INTO prepayments")},
	{"PAY-09 the ticket is not stored yet", killedAt(theTrip, "UPDATE prepayments")},
	{"PAY-09 the ticket is stored and nobody is told", killedAt(theReturn, "UPDATE prepayments")},
	{"PAY-09 the answer to the key is stored and nobody is told", killedAt(theReturn, "INSERT INTO idempotency_keys", "COMMIT")},
	{"PAY-12 the order is stored and nobody is told", makingUnheard},
}

func TestPAY_a_server_that_is_killed_at_any_step_of_paying_loses_no_money_and_takes_none_twice(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	onBothStores(t, func(t *testing.T, store string) {
		for _, point := range pointsOn(store, killPoints, map[string][]killPoint{"SQLite": onSQLite, "Postgres": onPostgres}) {
			t.Run(strings.ReplaceAll(point.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				s := openShop(t, store)
				order := point.show(t, s)
				s.settles(t, order)
			})
		}
	})
}

// pointsOn returns those of a store, with those that both have. Without the soak it is one: on Postgres of its own, on
// SQLite of both.
func pointsOn[P any](store string, both []P, own map[string][]P) []P {
	switch {
	case isSoak:
		return append(slices.Clone(both), own[store]...)
	case store == "SQLite":
		return both[:1]
	}
	return own[store][:1]
}

// isKilledAt begins something, and kills the server when that is held.
func (s *shop) isKilledAt(t *testing.T, held *stop, begin func(r *running) said) {
	t.Helper()
	answer := make(chan said, 1)
	go func(r *running) { answer <- begin(r) }(s.now)
	held.isReached(t)
	s.isKilled(t)
	a := <-answer
	require.Zero(t, a.status, a.body)
}

func orderedUnheard(t *testing.T, s *shop) *purchase {
	s.opens(t)
	p := s.sells(t)
	s.isKilledAt(t, s.gate.stopAtThe(ordered), func(r *running) said { return p.pay(r, byCode, "key") })
	require.Len(t, s.trades(p), 1)
	s.opens(t)
	a := s.isBegun(t, p, byCode, "key")
	assert.Contains(t, a.body, s.trades(p)[0].PrepayID)
	assert.Equal(t, a.body, s.isBegun(t, p, byCode, "key").body)
	assert.Len(t, s.trades(p), 1)
	s.isPaid(t, p)
	return p
}

func orderedUnheardAndPaid(t *testing.T, s *shop) *purchase {
	s.hearsNothing(t)
	s.opens(t)
	p := s.sells(t)
	s.isKilledAt(t, s.gate.stopAtThe(ordered), func(r *running) said { return p.pay(r, inBrowser, "") })
	s.isPaid(t, p)
	s.opens(t)
	return p
}

func neverOrdered(t *testing.T, s *shop) *purchase {
	s.opens(t)
	p := s.sells(t)
	s.isKilledAt(t, s.gate.stopAtThe(ordering), func(r *running) said { return p.pay(r, inApp, "") })
	require.Empty(t, s.trades(p))
	s.opens(t)
	s.isBegun(t, p, inApp, "")
	s.isPaid(t, p)
	return p
}

func orderedLate(t *testing.T, s *shop) *purchase {
	s.opens(t)
	p := s.sells(t)
	late := s.gate.stopAtThe(ordering)
	defer late.free(false)
	answer := make(chan said, 1)
	go func(r *running) { answer <- p.pay(r, inWallet, "") }(s.now)
	late.isReached(t)
	s.gate.forget(late)
	s.isKilled(t)
	<-answer
	s.opens(t)
	s.isBegun(t, p, inWallet, "")
	require.Len(t, s.trades(p), 1)
	before := s.trades(p)[0].Requests
	late.free(true)
	until(t, func() bool { return s.trades(p)[0].Requests > before })
	s.isPaid(t, p)
	return p
}

func closedUnheard(t *testing.T, s *shop) *purchase {
	s.opens(t)
	p := s.sells(t)
	s.isBegun(t, p, byCode, "")
	s.growsOld()
	s.isKilledAt(t, s.gate.stopAtThe(closed), func(r *running) said { return p.pay(r, inBrowser, "") })
	require.Len(t, s.trades(p), 1)
	require.Equal(t, sandbox.Closed, s.trades(p)[0].State)
	s.opens(t)
	s.isBegun(t, p, inBrowser, "")
	require.Len(t, s.trades(p), 2)
	s.isPaid(t, p)
	return p
}

func paidWhileClosing(t *testing.T, s *shop) *purchase {
	s.hearsNothing(t)
	s.opens(t)
	p := s.sells(t)
	s.isBegun(t, p, byCode, "")
	s.growsOld()
	s.isKilledAt(t, s.gate.stopAtThe(closing), func(r *running) said { return p.pay(r, inApp, "") })
	s.isPaid(t, p)
	s.opens(t)
	until(t, func() bool {
		a := p.pay(s.now, inApp, "")
		require.Contains(t, passing, a.status, a.body)
		return strings.Contains(a.body, "already paid")
	})
	require.Len(t, s.trades(p), 1)
	return p
}

func askedUnheard(t *testing.T, s *shop) *purchase {
	s.hearsNothing(t)
	s.opens(t)
	p := s.sells(t)
	s.isBegun(t, p, byCode, "")
	s.isPaid(t, p)
	s.gate.stopAtThe(asked).isReached(t)
	s.isKilled(t)
	s.opens(t)
	return p
}

func closedInTheEnd(t *testing.T, s *shop) *purchase {
	s.opens(t)
	p := s.sells(t)
	s.isBegun(t, p, inBrowser, "")
	s.growsOld()
	held := s.gate.stopAtThe(closed)
	s.isOver(t, p)
	held.isReached(t)
	s.isKilled(t)
	require.Len(t, s.trades(p), 1)
	require.Equal(t, sandbox.Closed, s.trades(p)[0].State)
	s.opens(t)
	return p
}

func paidInTheEnd(t *testing.T, s *shop) *purchase {
	s.hearsNothing(t)
	s.opens(t)
	p := s.sells(t)
	s.isBegun(t, p, byCode, "")
	s.growsOld()
	held := s.gate.stopAtThe(closing)
	s.isOver(t, p)
	held.isReached(t)
	s.isPaid(t, p)
	s.isKilled(t)
	s.opens(t)
	return p
}

// notifiedUnheard, and what follows, ask the wallet nothing: the money comes in by
// notifications alone.
func notifiedUnheard(t *testing.T, s *shop) *purchase {
	s.poll = "1h"
	s.opens(t)
	p := s.sells(t)
	s.isBegun(t, p, byCode, "")
	held := s.front.stopAtThe(notified)
	s.isPaid(t, p)
	held.isReached(t)
	s.isKilled(t)
	s.opens(t)
	until(t, func() bool { return s.trades(p)[0].Notified })
	assert.Greater(t, s.trades(p)[0].Attempts, 1)
	return p
}

func notifiedBeforeLock(t *testing.T, s *shop) *purchase {
	s.poll = "1h"
	s.opens(t)
	p := s.sells(t)
	s.isBegun(t, p, byCode, "")
	unlock := s.isLocked(t)
	held := s.front.stopAtThe(notifying)
	s.isPaid(t, p)
	held.isReached(t)
	for range 5 { // it has come before these, so it has got further
		assert.Len(t, s.unsettled(t, []*purchase{p}), 2, "neither is it stored, nor does the wallet think so")
	}
	s.isKilled(t)
	unlock()
	s.opens(t)
	return p
}

func makingBeforeLock(t *testing.T, s *shop) *purchase {
	s.opens(t)
	read(t, newCaller(s.now.url), s.staff, "/api/pay-admin/v1/payment/", nil) // that the key is used is stored, too
	p := s.wants(1)
	unlock := s.isLocked(t)
	answer := make(chan said, 1)
	go func(r *running) { answer <- p.make(r, s.staff) }(s.now)
	read(t, newCaller(s.now.url), s.staff, "/api/pay-admin/v1/payment/", nil)
	s.isKilled(t)
	require.Zero(t, (<-answer).status)
	unlock()
	s.opens(t)
	s.isMade(t, p)
	s.isBegun(t, p, byCode, "")
	s.isPaid(t, p)
	return p
}

// makingUnheard kills the server when the database has the order.
func makingUnheard(t *testing.T, s *shop) *purchase {
	s.opens(t)
	p := s.wants(1)
	s.isKilledAt(t, s.cable.stopAtTrip(theReturn, "INSERT INTO journal", "COMMIT"), func(r *running) said { return p.make(r, s.staff) })
	s.opens(t)
	s.isMade(t, p)
	s.isBegun(t, p, byCode, "")
	s.isPaid(t, p)
	return p
}

// killedAt pays, and kills the server at the round trip that has the
// statements.
func killedAt(direction string, statements ...string) func(t *testing.T, s *shop) *purchase {
	return func(t *testing.T, s *shop) *purchase {
		s.poll = "1h"
		s.opens(t)
		p := s.sells(t)
		held := s.cable.stopAtTrip(direction, statements...)
		ended := make(chan error, 1)
		go func(r *running) {
			var err error
			if p.pay(r, byCode, "key").status == http.StatusOK {
				for _, trade := range s.trades(p) {
					_, err = s.wallet.Pay(trade.OutTradeNo)
				}
			}
			ended <- err
		}(s.now)
		held.isReached(t)
		s.isKilled(t)
		require.NoError(t, <-ended)
		s.opens(t)
		if trades := s.trades(p); len(trades) > 0 && trades[0].State == sandbox.Success {
			return p
		}
		s.isBegun(t, p, byCode, "key")
		s.isPaid(t, p)
		return p
	}
}
