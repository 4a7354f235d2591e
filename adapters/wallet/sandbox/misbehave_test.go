package sandbox

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
