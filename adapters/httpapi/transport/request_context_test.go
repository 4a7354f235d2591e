package transport

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestContextOfARequestEndsAtItsDeadline(t *testing.T) {
	below := func(c *requestContext) (context.Context, context.CancelFunc) {
		return context.WithTimeout(c, time.Hour)
	}
	call := func(c *requestContext) (context.Context, context.CancelFunc) { return c.WithTimeout(time.Hour) }
	itself := func(c *requestContext) (context.Context, context.CancelFunc) { return c, func() {} }
	for name, from := range map[string]func(*requestContext) (context.Context, context.CancelFunc){
		"when something waits for it": itself, "when something below it waits": below, "when a call of a store waits": call, "when it is asked": nil,
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			c := &requestContext{Context: t.Context(), deadline: began.Add(deadline)}
			defer c.end()
			assert.NoError(t, c.Err(), name)
			if from == nil {
				time.Sleep(deadline)
			} else {
				waiting, cancel := from(c)
				<-waiting.Done()
				cancel()
			}
			assert.Equal(t, deadline, time.Since(began), name)
			assert.Equal(t, context.DeadlineExceeded, c.Err(), name)
			assert.Equal(t, context.DeadlineExceeded, context.Cause(c), name)
		})
	}
}

func TestCallOfAStoreEndsAtItsOwnLimitOrWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, leave := context.WithCancel(t.Context())
		c := &requestContext{Context: client, deadline: time.Now().Add(deadline)}
		defer c.end()
		began := time.Now()
		call, cancel := c.WithTimeout(time.Second)
		<-call.Done()
		cancel()
		assert.Equal(t, time.Second, time.Since(began))
		assert.Equal(t, context.DeadlineExceeded, call.Err())
		assert.NoError(t, c.Err())

		call, cancel = c.WithTimeout(time.Second)
		leave()
		assert.Equal(t, context.Canceled, call.Err())
		assert.Equal(t, context.Canceled, c.Err())
		cancel()
	})
}
