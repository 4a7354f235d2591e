package sandbox

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPAY13_answers_that_say_something_else(t *testing.T) {
	for trick, c := range map[Trick]struct {
		code string
		done bool
	}{
		ErrorBefore: {"SYSTEMERROR", false}, Crowded: {"FREQUENCY_LIMITED", false}, SayPaid: {"ORDERPAID", false},
		ErrorAfter: {"SYSTEMERROR", true},
	} {
		t.Run(string(trick), func(t *testing.T) {
			s := start(t, config(newClock()))
			require.NoError(t, s.Misbehave(Misbehaviour{On: UnifiedOrder, Do: trick, Times: 2}))
			for range 2 {
				reply := ask(t, s, UnifiedOrder, order("order-1"))
				assert.Equal(t, c.code, reply["err_code"])
				assert.Empty(t, reply["prepay_id"])
				assert.Equal(t, c.done, len(s.Ledger()) == 1)
			}
			assert.Equal(t, "SUCCESS", ask(t, s, UnifiedOrder, order("order-1"))["result_code"])
		})
	}
}

func TestPAY13_only_the_order_and_the_operation_that_were_named(t *testing.T) {
	s := start(t, config(newClock()))
	require.NoError(t, s.Misbehave(Misbehaviour{On: OrderQuery, Do: ErrorBefore, No: "order-2"}))
	placed(t, s, "order-1")
	placed(t, s, "order-2")
	assert.Equal(t, "NOTPAY", ask(t, s, OrderQuery, about("order-1"))["trade_state"])
	assert.Equal(t, "SYSTEMERROR", ask(t, s, OrderQuery, about("order-2"))["err_code"])
	assert.Equal(t, "NOTPAY", ask(t, s, OrderQuery, about("order-2"))["trade_state"])
}

func TestPAY13_slow_answers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, config(newClock()))
		require.NoError(t, s.Misbehave(Misbehaviour{On: UnifiedOrder, Do: Slow, DelayMS: 3000}))
		require.NoError(t, s.Misbehave(Misbehaviour{On: UnifiedOrder, Do: Delay, DelayMS: 7000}))
		for _, c := range []struct {
			delay  time.Duration
			before int
		}{{3 * time.Second, 0}, {7 * time.Second, 2}} {
			begun := time.Now()
			go func() { _ = ask(t, s, UnifiedOrder, order("order-1")) }()
			synctest.Wait()
			requests := 0
			for _, trade := range s.Ledger() {
				requests = trade.Requests
			}
			assert.Equal(t, c.before, requests)
			pass(c.delay)
			synctest.Wait()
			assert.Equal(t, c.delay, time.Since(begun))
			assert.Equal(t, max(c.before, 1), s.Ledger()[0].Requests)
		}
	})
}

func TestMisbehaviour_is_checked(t *testing.T) {
	s := start(t, config(newClock()))
	for _, m := range []Misbehaviour{
		{}, {On: Notify, Do: Garbage}, {On: CloseOrder, Do: Lose}, {On: OrderQuery, Do: "else"},
		{On: OrderQuery, Do: Delay, DelayMS: -1}, {On: OrderQuery, Do: Delay, DelayMS: maxDelay.Milliseconds() + 1},
		{On: Notify, Do: Repeat, Copies: maxCopies + 1},
	} {
		assert.Error(t, s.Misbehave(m), m)
	}
	for range maxTricks {
		require.NoError(t, s.Misbehave(Misbehaviour{On: OrderQuery, Do: Reset}))
	}
	assert.Error(t, s.Misbehave(Misbehaviour{On: OrderQuery, Do: Reset}))
}
