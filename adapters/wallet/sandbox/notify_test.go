package sandbox

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	_, err := s.Pay(no, PaymentOptions{})
	require.NoError(t, err)
}

// collected returns the order numbers of the received notifications.
func collected(m *merchant) (numbers []string) {
	for len(m.got) > 0 {
		numbers = append(numbers, (<-m.got)["out_trade_no"])
	}
	return numbers
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
			require.Len(t, at, 1+len(pauses))
			for i, pause := range pauses {
				assert.Equal(t, pause/time.Duration(scale), at[i+1]-at[i])
			}
			assert.Equal(t, total, at[len(at)-1])
			assert.False(t, s.Ledger()[0].Notified)
			assert.Equal(t, len(at), s.Ledger()[0].Attempts)
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
			assert.Equal(t, c.taken, s.Ledger()[0].Notified)
			assert.Equal(t, c.taken, s.Ledger()[0].Next.IsZero())
			assert.Len(t, m.got, 1)
		})
	}
}

func TestPAY10_a_notification_is_signed_as_the_order_was(t *testing.T) {
	for _, how := range []string{md5Sign, hmacSign} {
		s := start(t, config(newClock()))
		m := newMerchant(s)
		running(t, s)
		require.Equal(t, "SUCCESS", ask(t, s, UnifiedOrder, with(order("order-1"), fields{"sign_type": how}))["result_code"])
		pay(t, s, "order-1")
		got := <-m.got
		want, err := sign(got, key, how)
		require.NoError(t, err)
		assert.Equal(t, want, got["sign"])
		assert.NotContains(t, got, "sign_type")
		assert.Equal(t, s.Ledger()[0].TransactionID, got["transaction_id"])
	}
}

func TestPAY10_several_merchants_answers_are_waited_for_at_once(t *testing.T) {
	s := start(t, config(newClock()))
	m := newMerchant(s)
	both, here := make(chan struct{}), make(chan struct{}, 2)
	m.answer = func(fields) (int, string) {
		here <- struct{}{}
		<-both
		return http.StatusOK, yes
	}
	running(t, s)
	paid(t, s, "order-1")
	paid(t, s, "order-2")
	<-here
	<-here
	close(both)
	assert.NotEqual(t, (<-m.got)["out_trade_no"], (<-m.got)["out_trade_no"])
}

func TestPAY10_a_merchant_has_five_seconds(t *testing.T) {
	s := start(t, config(newClock()))
	assert.Equal(t, 5*time.Second, s.client.Timeout)
	assert.Nil(t, newClient().Transport.(*http.Transport).Proxy)
	assert.ErrorIs(t, s.client.CheckRedirect(nil, nil), http.ErrUseLastResponse)
}

func TestPAY10_notifications_that_go_wrong(t *testing.T) {
	tell := func(t *testing.T, s *Server, m Misbehaviour) {
		m.On = Notify
		require.NoError(t, s.Misbehave(m))
	}
	synctestRun := func(name string, f func(t *testing.T, s *Server, m *merchant)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, m := bubble(t, 1)
				running(t, s)
				f(t, s, m)
			})
		})
	}
	synctestRun("lost", func(t *testing.T, s *Server, m *merchant) {
		tell(t, s, Misbehaviour{Do: Lose, Times: 2})
		pay(t, s, "order-1")
		pass(29 * time.Second)
		assert.Empty(t, collected(m))
		pass(2 * time.Second)
		assert.Len(t, collected(m), 1)
		assert.Equal(t, 3, s.Ledger()[0].Attempts)
	})
	synctestRun("repeated", func(t *testing.T, s *Server, m *merchant) {
		tell(t, s, Misbehaviour{Do: Repeat, Copies: 20})
		pay(t, s, "order-1")
		synctest.Wait()
		assert.Len(t, collected(m), 20)
		assert.Equal(t, 1, s.Ledger()[0].Attempts)
	})
	synctestRun("reordered", func(t *testing.T, s *Server, m *merchant) {
		tell(t, s, Misbehaviour{Do: Late, No: "order-1"})
		pay(t, s, "order-1")
		synctest.Wait()
		assert.Empty(t, collected(m))
		pay(t, s, "order-2")
		synctest.Wait()
		assert.Equal(t, []string{"order-2", "order-1"}, collected(m))
	})
	synctestRun("reordered, alone", func(t *testing.T, s *Server, m *merchant) {
		tell(t, s, Misbehaviour{Do: Late, DelayMS: 40_000})
		pay(t, s, "order-1")
		pass(39 * time.Second)
		assert.Empty(t, collected(m))
		pass(2 * time.Second)
		assert.Len(t, collected(m), 1)
	})
	synctestRun("delayed", func(t *testing.T, s *Server, m *merchant) {
		tell(t, s, Misbehaviour{Do: Delay, DelayMS: 60_000})
		pay(t, s, "order-1")
		pass(59 * time.Second)
		assert.Empty(t, collected(m))
		pass(2 * time.Second)
		assert.Len(t, collected(m), 1)
	})
	for trick, wrong := range map[Trick]struct{ sum, isGood string }{Forge: {"990", "no"}, Amount: {"991", "yes"}} {
		synctestRun(string(trick), func(t *testing.T, s *Server, m *merchant) {
			tell(t, s, Misbehaviour{Do: trick})
			pay(t, s, "order-1")
			got := <-m.got
			want, err := sign(got, key, hmacSign)
			require.NoError(t, err)
			assert.Equal(t, wrong.isGood == "yes", want == got["sign"])
			assert.Equal(t, wrong.sum, got["total_fee"])
			assert.Equal(t, int64(990), s.Ledger()[0].Amount)
		})
	}
}

func TestPAY10_who_is_stopped_while_telling_tells_again(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := bubble(t, 1)
		pay(t, s, "order-1")
		ctx, cancel := context.WithCancel(t.Context())
		m.answer = func(fields) (int, string) { cancel(); <-ctx.Done(); return http.StatusInternalServerError, "" }
		require.NoError(t, s.Run(ctx))
		<-m.got
		assert.Zero(t, s.Ledger()[0].Attempts)
		m.answer = func(fields) (int, string) { return http.StatusOK, yes }
		stop := running(t, s)
		<-m.got
		synctest.Wait()
		stop()
		assert.True(t, s.Ledger()[0].Notified)
	})
}
