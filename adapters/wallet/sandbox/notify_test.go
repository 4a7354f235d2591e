package sandbox

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
)

// pass advances the bubble's clock without real time.
func pass(d time.Duration) { <-time.After(d) }

// bubble is a server on the bubble's clock with two unpaid orders.
func bubble(t *testing.T, scale int) (*Server, *merchant) {
	t.Helper()
	cfg := config(nil)
	cfg.Clock, cfg.Scale = time.Now, scale
	s := start(t, cfg)
	m := newMerchant(s)
	for _, no := range []string{"order-1", "order-2"} {
		require.Equal(t, "SUCCESS", ask(t, s, UnifiedOrder, with(order(no), fields{"time_expire": "-"}))["result_code"])
	}
	return s, m
}

func pay(t *testing.T, s *Server, no string) {
	t.Helper()
	_, err := s.Pay(no)
	require.NoError(t, err)
}

func TestPAY10_a_payment_is_told_until_it_is_taken(t *testing.T) {
	for scale, total := range map[int]time.Duration{1: 24*time.Hour + 4*time.Minute, 60: 24*time.Minute + 4*time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s, m := bubble(t, scale)
			var at []time.Duration
			begun := time.Now()
			m.answer = func(fields) (int, string) {
				at = append(at, time.Since(begun))
				return http.StatusOK, "<xml><return_code>FAIL</return_code></xml>"
			}
			running(t, s)
			pay(t, s, "order-1")
			pass(100 * time.Hour)
			synctest.Wait()
			require.Len(t, at, 1+len(ledger.Pauses))
			for i, pause := range ledger.Pauses {
				assert.Equal(t, pause/time.Duration(scale), at[i+1]-at[i])
			}
			assert.Equal(t, total, at[len(at)-1])
			assert.False(t, s.Trades()[0].Notified)
			assert.Equal(t, len(at), s.Trades()[0].Attempts)
		})
	}
}

func TestPAY10_what_counts_as_taken(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		taken  bool
	}{
		{200, yes, true}, {500, yes, false}, {204, "", false}, {302, yes, false}, {200, "SUCCESS", false},
		{200, "<xml><return_code>success</return_code></xml>", false}, {200, yes + yes, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, m := bubble(t, 1)
			m.answer = func(fields) (int, string) { return c.status, c.body }
			running(t, s)
			pay(t, s, "order-1")
			synctest.Wait()
			assert.Equal(t, c.taken, s.Trades()[0].Notified)
			assert.Equal(t, c.taken, s.Trades()[0].Next.IsZero())
			assert.Len(t, m.got, 1)
		})
	}
}

func TestPAY10_a_late_notification_comes_after_the_next_one(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := bubble(t, 1)
		running(t, s)
		require.NoError(t, s.Misbehave(Misbehaviour{On: Notify, Do: Late, No: "order-1"}))
		pay(t, s, "order-1")
		synctest.Wait()
		assert.Empty(t, m.got)
		pay(t, s, "order-2")
		synctest.Wait()
		assert.Equal(t, "order-2", (<-m.got)["out_trade_no"])
		assert.Equal(t, "order-1", (<-m.got)["out_trade_no"])
	})
}

func TestPAY10_who_is_stopped_while_telling_tells_again(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := bubble(t, 1)
		pay(t, s, "order-1")
		ctx, cancel := context.WithCancel(t.Context())
		m.answer = func(fields) (int, string) { cancel(); <-ctx.Done(); return http.StatusInternalServerError, "" }
		require.NoError(t, s.Run(ctx))
		<-m.got
		assert.Zero(t, s.Trades()[0].Attempts)
		m.answer = func(fields) (int, string) { return http.StatusOK, yes }
		stop := running(t, s)
		<-m.got
		synctest.Wait()
		stop()
		assert.True(t, s.Trades()[0].Notified)
	})
}
