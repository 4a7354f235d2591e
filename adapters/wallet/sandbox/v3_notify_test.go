package sandbox

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// bubbleV3 is a server on the bubble's clock with a paid order of version 3.
func bubbleV3(t *testing.T, m Misbehaviour, status int) (*Server, *merchantV3) {
	t.Helper()
	s, _ := startV3(t, func(c *Config) { c.Clock = time.Now })
	told := newMerchantV3(t, s)
	told.status.Store(int32(status))
	status, reply := askV3(t, s, http.MethodPost, "/v3/pay/transactions/native", orderV3("order-1", object{"time_expire": nil}))
	require.Equal(t, http.StatusOK, status, reply)
	if m.Do != "" {
		m.On = Notify
		require.NoError(t, s.Misbehave(m))
	}
	running(t, s)
	_, err := s.Pay("order-1", PaymentOptions{})
	require.NoError(t, err)
	synctest.Wait()
	return s, told
}

func TestPAY10_v3_notifications_that_must_be_refused(t *testing.T) {
	for _, trick := range []Trick{Forge, Probe, Old, OtherSerial, RetiredKey, Amount} {
		synctest.Test(t, func(t *testing.T) {
			s, m := bubbleV3(t, Misbehaviour{Do: trick}, http.StatusInternalServerError)
			require.Len(t, m.got, 1)
			bad := <-m.got
			assert.Equal(t, trick == Old || trick == Amount, isSignedV3(t, s, bad.header, bad.body), trick)
			assert.Equal(t, trick == Probe, strings.HasPrefix(bad.header.Get("Wechatpay-Signature"), "WECHATPAY/SIGNTEST/"))
			total := 990.0
			if trick == Amount {
				total = 991
			}
			assert.Equal(t, total, bad.content["amount"].(map[string]any)["total"])
			m.status.Store(http.StatusOK)
			pass(pauses[0])
			synctest.Wait()
			good := <-m.got
			assert.True(t, isSignedV3(t, s, good.header, good.body))
			assert.True(t, s.Ledger()[0].Notified)
		})
	}
}
