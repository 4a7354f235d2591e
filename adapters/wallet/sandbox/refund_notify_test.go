package sandbox

import (
	"crypto/aes"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openV2 decrypts what version 2 says about a refund.
func openV2(t *testing.T, sealed string) fields {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(sealed)
	require.NoError(t, err)
	block, err := aes.NewCipher([]byte(fmt.Sprintf("%x", md5.Sum([]byte(key)))))
	require.NoError(t, err)
	for at := 0; at < len(text); at += aes.BlockSize {
		block.Decrypt(text[at:], text[at:at+aes.BlockSize])
	}
	text = text[:max(0, len(text)-int(text[len(text)-1]))]
	told, err := parse([]byte(strings.NewReplacer("<root>", "<xml>", "</root>", "</xml>").Replace(string(text))))
	if err != nil {
		return nil
	}
	return told
}

func TestPAY14_the_end_of_a_refund_is_told_in_version_2(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := bubble(t, 1)
		var refuses atomic.Bool
		m.answer = func(fields) (int, string) {
			if refuses.Load() {
				return http.StatusOK, ""
			}
			return http.StatusOK, yes
		}
		running(t, s)
		pay(t, s, "order-1")
		synctest.Wait()
		<-m.got
		require.Empty(t, askRefundV2(t, s, refundV2(s.Ledger()[0], "refund-1", 400))["err_code"])
		synctest.Wait()
		assert.Empty(t, m.got, "it is still being processed")
		require.NoError(t, s.Misbehave(Misbehaviour{On: NotifyRefund, Do: Forge}))
		refuses.Store(true)
		require.NoError(t, s.RefundOutcome("refund-1", RefundSucceeded))
		synctest.Wait()
		forged := <-m.got
		assert.Nil(t, openV2(t, forged["req_info"]))
		refuses.Store(false)
		pass(pauses[0])
		synctest.Wait()
		n := <-m.got
		assert.NotContains(t, n, "sign")
		told := openV2(t, n["req_info"])
		assert.Equal(t, "SUCCESS", told["refund_status"])
		assert.Equal(t, "refund-1", told["out_refund_no"])
		assert.Equal(t, "400", told["refund_fee"])
		assert.NotEmpty(t, told["success_time"])
		assert.True(t, s.Refunds()[0].Notified)
		assert.Equal(t, 2, s.Refunds()[0].Attempts)
	})
}

func TestPAY14_refunds_end_by_themselves(t *testing.T) {
	for trick, state := range map[Trick]RefundState{"": RefundSucceeded, Abnormal: RefundAbnormal, Unreturned: RefundClosed} {
		synctest.Test(t, func(t *testing.T) {
			s, _ := startV3(t, func(c *Config) { c.Clock, c.RefundTime, c.Scale = time.Now, time.Hour, 60 })
			m := newMerchantV3(t, s)
			running(t, s)
			status, _ := askV3(t, s, http.MethodPost, "/v3/pay/transactions/native", orderV3("order-1", object{"time_expire": nil}))
			require.Equal(t, http.StatusOK, status)
			trade, err := s.Pay("order-1", PaymentOptions{})
			require.NoError(t, err)
			synctest.Wait()
			<-m.got
			if trick != "" {
				require.NoError(t, s.Misbehave(Misbehaviour{On: EndRefund, Do: trick}))
			}
			require.Empty(t, refunders[V3].ask(t, s, trade, "refund-1", 400))
			pass(time.Minute - time.Millisecond)
			synctest.Wait()
			assert.Equal(t, RefundProcessing, s.Refunds()[0].State)
			pass(time.Millisecond)
			synctest.Wait()
			assert.Equal(t, state, s.Refunds()[0].State)
			assert.Equal(t, string(state), (<-m.got).content["refund_status"])
		})
	}
}
