//go:build soak

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
)

// farOff is further than version 3 lets two clocks be from each other.
const farOff = 10 * time.Minute

// logged waits until the running server's log has a line with all the words.
func (s *shop) logged(t *testing.T, words ...string) {
	t.Helper()
	until(t, func() bool {
		for line := range strings.Lines(s.now.log.String()) {
			missing := 0
			for _, word := range words {
				if !strings.Contains(line, word) {
					missing++
				}
			}
			if missing == 0 {
				return true
			}
		}
		return false
	})
}

// clockDiffers and clockOff are what the log says of answers and of notifications.
const (
	clockDiffers = "this server's clock differs from the wallet's by 10m0s"
	clockOff     = "timestamp differs from this server's clock by 10m0s: check the clock"
)

// Two clocks are ten minutes apart. Version 2 signs no times. Version 3 refuses all messages, says why, and goes on when
// the clock is right.
func TestPAY13_clocks_that_are_ten_minutes_apart_lose_nothing(t *testing.T) {
	for name, off := range map[string]time.Duration{"the_wallet's_is_ahead": farOff, "the_wallet's_is_behind": -farOff} {
		t.Run(name, func(t *testing.T) {
			t.Run("v2", func(t *testing.T) {
				t.Parallel()
				s := openShop(t, "SQLite")
				s.ahead.Add(int64(off))
				p, id := s.isSold(t)
				s.isOrdered(t, s.wantsBack(id, 40, ""))
				s.settles(t, p)
				for _, r := range s.servers {
					r.assertSilentOn(t, "clock")
				}
			})
			t.Run("v3", func(t *testing.T) {
				t.Parallel()
				s := openShop(t, "SQLite")
				s.speaksV3()
				s.suffersFrom(t, off)
			})
		})
	}
}

// suffersFrom lets the clocks be apart: while one order is being paid and another one is refunded, and when others
// begin.
func (s *shop) suffersFrom(t *testing.T, off time.Duration) {
	t.Helper()
	sold, id := s.isSold(t)
	s.isOrdered(t, s.wantsBack(id, 40, ""))
	paying, late := s.wants(2), s.wants(3)
	s.isMade(t, paying)
	s.isMade(t, late)
	s.isBegun(t, paying, byCode, "")
	s.isKilled(t)
	s.isPaid(t, paying)

	s.ahead.Add(int64(off))
	s.opens(t) // without the wallet's certificates
	s.end(t, sandbox.RefundSucceeded)
	s.refundsGrowOld(t)
	s.logged(t, "payment notification rejected", clockOff)
	s.logged(t, "polling orders failed", clockDiffers)
	s.logged(t, "following refunds failed", clockDiffers)
	a := late.pay(s.now, byCode, "")
	assert.Equal(t, http.StatusBadGateway, a.status, a.body)
	assert.Contains(t, a.body, "The wallet refuses requests from this service.")
	s.logged(t, "wallet refuses requests; check its settings", clockDiffers)
	a = s.wantsBack(id, 30, "").order(s.now)
	assert.Equal(t, http.StatusBadGateway, a.status, a.body)
	assert.Contains(t, a.body, "The wallet refuses requests from this service.")
	s.logged(t, "wallet did not confirm a refund", clockDiffers)
	assert.Equal(t, "open", s.stateOf(t, paying))
	s.staysSecretBut(t, "wallet refuses requests; check its settings")

	s.ahead.Add(int64(-off))
	s.isDeaf = true // where the wallet's clock has gone back, it repeats nothing for ten minutes
	s.refundsGrowOld(t)
	s.isBegun(t, late, byCode, "")
	s.isPaid(t, late)
	until(t, func() bool { return s.stateOf(t, paying) == "paid" && s.stateOf(t, late) == "paid" })
	s.isOrdered(t, s.wantsBack(id, 30, ""))
	s.agrees(t, sold, paying, late)
	sums := map[int64]int64{}
	for _, r := range s.wallet.Refunds() {
		assert.Equal(t, sandbox.RefundSucceeded, r.State)
		sums[r.Amount]++
	}
	assert.Equal(t, map[int64]int64{40: 1, 30: 1}, sums, "what was refused is not returned")
}

// staysSecretBut is staysSecret, where the log also has errors with these words.
func (s *shop) staysSecretBut(t *testing.T, words ...string) {
	t.Helper()
	s.reviews = append(s.reviews, words...)
	s.staysSecret(t)
}

// A certificate is replaced while an answer is on its way, once for a server that knows it and once for one that does not.
func TestPAY14_certificates_that_rotate_while_a_request_is_in_flight_lose_nothing(t *testing.T) {
	onBothStores(t, func(t *testing.T, store string) {
		for _, knows := range []bool{true, false} {
			t.Run(fmt.Sprintf("the_server_knows_it_%t", knows), func(t *testing.T) {
				t.Parallel()
				s := openShop(t, store)
				s.speaksV3()
				s.settings = append(s.settings, "--wallet-timeout=10s") // a key is made while the wallet is asked
				p, id := s.isSold(t)
				if !knows {
					s.isKilled(t)
					s.poll = "1h"
					s.opens(t)
				}
				b := s.wantsBack(id, 40, "key")
				held := s.gate.stopAtThe(refunded)
				answer := make(chan said, 1)
				go func(r *running) { answer <- b.order(r) }(s.now)
				held.isReached(t)
				require.NoError(t, s.wallet.Rotate())
				s.wallet.Retire()
				held.free(true)
				a := <-answer
				assert.Equal(t, http.StatusCreated, a.status, a.body)
				assert.Equal(t, knows, strings.Contains(a.body, s.wallet.Refunds()[0].ID), "an answer that can't be verified counts for nothing: %s", a.body)
				s.isKilled(t) // or the new certificate would be unknown for five minutes
				s.poll = "200ms"
				s.opens(t)
				s.end(t, sandbox.RefundSucceeded)
				s.isOrdered(t, b)
				s.settles(t, p)
				assert.Len(t, s.wallet.Refunds(), 1)
			})
		}
	})
}
