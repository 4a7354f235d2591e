package wechatpay

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// FuzzReceive reads notifications of anything. Without the key, only the genuine one is taken.
func FuzzReceive(f *testing.F) {
	g := openV2(f, "https://wallet.example")
	genuine := signedV2(paidV2...)
	f.Add([]byte(genuine))
	f.Add([]byte(writtenV2(mergedV2(paidV2))))
	for _, text := range []string{
		"", "<xml/>", genuine + genuine, strings.Replace(genuine, "990", "99", 1),
		strings.Replace(genuine, "<xml>", "<xml><attach>x</attach>", 1), strings.Replace(genuine, "<xml>", "<xml><total_fee>990</total_fee>", 1),
		strings.ToLower(genuine), strings.Replace(genuine, "HMAC-SHA256", "MD5", 1), strings.Replace(genuine, "<sign>", "<sign> ", 1),
		strings.Replace(genuine, "<xml>", "<xml><empty></empty>", 1), "<?xml version=\"1.0\"?>\n" + genuine,
	} {
		f.Add([]byte(text))
	}
	f.Add(refundNotificationV2(merchantV2, reqInfo).Body)
	want, err := g.Receive(notificationV2(genuine))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text []byte) {
		if n, err := g.Receive(payment.Notification{Body: text}); err == nil && n.Receipt != nil && *n.Receipt != *want.Receipt {
			t.Fatalf("%q gives %v", text, *n.Receipt)
		}
	})
}

// FuzzReceiveV3 reads notifications of anything. Without the wallet's key nothing is taken. With the key, what is taken is
// what was written.
func FuzzReceiveV3(f *testing.F) {
	g := openV3(f, "https://wallet.example")
	genuine := paidEventV3()
	seconds := strconv.FormatInt(noon.Unix(), 10)
	f.Add(genuine, seconds, "n", keyID, fieldsV3(paidV3))
	for _, text := range []string{"", "{}", "[]", `{"resource":[]}`, `{"event_type":"TRANSACTION.SUCCESS","resource":{"algorithm":1}}`, genuine + genuine} {
		f.Add(text, seconds, "n", testSerial, text)
	}
	for _, when := range []string{"", "+" + seconds, "0", "-1", "99999999999999999999"} {
		f.Add(genuine, when, "", keyID, fieldsV3(paidV3, "trade_state", "REFUND"))
	}
	f.Fuzz(func(t *testing.T, body, timestamp, nonce, serial, resource string) {
		forgery := signedHeader(testKeys().stranger, keyID, noon, body)
		forgery[timestampHeader], forgery[nonceHeader], forgery[serialHeader] = timestamp, nonce, serial
		if isSerial(serial) {
			forgery[serialHeader] = keyID // another one would be fetched
		}
		notice, err := g.Receive(payment.Notification{Header: forgery, Body: []byte(body)})
		require.ErrorIs(t, err, payment.ErrForged)
		require.Zero(t, notice)

		for _, signed := range []string{body, eventV3("TRANSACTION.SUCCESS", sealed(keyV3, resource, "transaction"))} {
			notice, err := g.Receive(notifiedV3(signed))
			if err != nil {
				_, is := fault.As(err)
				require.True(t, is)
				require.Zero(t, notice)
				assertDiscreet(t, err)
				continue
			}
			r := notice.Receipt
			require.NotEmpty(t, r.TransactionID)
			require.NotEmpty(t, r.TradeNo)
			require.NotEmpty(t, r.Currency)
			require.GreaterOrEqual(t, r.Amount, int64(0))
			require.Equal(t, time.UTC, r.Paid.Location())
		}
	})
}
