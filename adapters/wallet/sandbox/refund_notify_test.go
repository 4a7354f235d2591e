package sandbox

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPAY14_refunds_end_by_themselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := startV3(t, func(c *Config) { c.Clock, c.RefundTime, c.Scale = time.Now, time.Hour, 60 })
		s.notifier.client.Transport = wiretap(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody, Request: r}, nil
		})
		running(t, s)
		status, _ := askV3(t, s, http.MethodPost, "/v3/pay/transactions/native", orderV3("order-1", object{"time_expire": nil}))
		require.Equal(t, http.StatusOK, status)
		trade, err := s.Pay("order-1")
		require.NoError(t, err)
		require.Empty(t, refunders[V3].ask(t, s, trade, "refund-1", 400))
		pass(time.Minute - time.Millisecond)
		synctest.Wait()
		assert.Equal(t, RefundProcessing, s.Refunds()[0].State)
		pass(time.Millisecond)
		synctest.Wait()
		assert.Equal(t, RefundSucceeded, s.Refunds()[0].State)
		assert.True(t, s.Refunds()[0].Notified)
	})
}
