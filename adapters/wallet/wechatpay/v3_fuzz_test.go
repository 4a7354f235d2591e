package wechatpay

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/test/ports"
)

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

// FuzzAnswerV3 lets the wallet answer a query with anything. Only the genuine answer is taken, and an error shows no part
// of an answer, be it signed or not.
func FuzzAnswerV3(f *testing.F) {
	genuine := fieldsV3(unpaidV3)
	f.Add(200, genuine)
	f.Add(404, `{"code":"ORDER_NOT_EXIST","message":"`+payer+`"}`)
	f.Add(401, `{"code":"SIGN_ERROR"}`)
	f.Add(204, "")
	for _, text := range []string{"", "{}", "null", "<html>Bad Gateway</html>", `{"code":["x"]}`, genuine + genuine, fieldsV3(paidV3)} {
		f.Add(200, text)
	}
	f.Fuzz(func(t *testing.T, status int, text string) {
		if status < 200 || status > 599 {
			status = 200
		}
		for _, header := range []map[string]string{nil, signedHeader(testKeys().published, keyID, noon, text)} {
			g := openV3(t, "https://wallet.example")
			g.transport.client.Transport = ports.Played(writesV3(status, text, header))
			report, err := g.Query(t.Context(), payment.OfficialAccount, number)
			if err == nil {
				require.NotNil(t, header, "not signed")
				require.Equal(t, 200, status)
				o, err := parseObject([]byte(text))
				require.NoError(t, err)
				require.Equal(t, string(number), o.text("out_trade_no"))
				continue
			}
			require.Zero(t, report)
			_, is := fault.As(err)
			require.True(t, is, "%v", err)
			require.NotContains(t, err.Error(), payer)
			require.NotContains(t, err.Error(), keyV3)
		}
	})
}
