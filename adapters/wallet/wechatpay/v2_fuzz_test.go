package wechatpay

import (
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/test/ports"
)

// FuzzQuery lets the wallet answer a query with anything. Without the key, only the genuine
// answer is taken, and an error shows no part of the answer.
func FuzzQuery(f *testing.F) {
	genuine := signedV2("trade_state", "NOTPAY", "out_trade_no", string(number))
	f.Add([]byte(genuine))
	for _, text := range []string{
		"", "<xml/>", "<html>Bad Gateway</html>", "<xml><return_code>FAIL</return_code><return_msg>" + payer + "</return_msg></xml>", "<xml><return_code>FAIL</return_code><return_msg>签名错误</return_msg></xml>",
		writtenV2(mergedV2([]any{"trade_state", "NOTPAY", "out_trade_no", string(number)})), writtenV2(mergedV2([]any{"trade_state", "SUCCESS", "out_trade_no", string(number)})), signedV2("trade_state", "NOTPAY", "out_trade_no", "another"), signedV2("result_code", "FAIL", "err_code", "ORDERNOTEXIST"), genuine + genuine,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		g := openV2(t, "https://wallet.example")
		g.transport.deadline = 10 * time.Millisecond // a retry would wait
		g.transport.client.Transport = ports.Played(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(text) })
		report, err := g.Query(t.Context(), payment.OfficialAccount, number)
		if err == nil {
			m, err := parseXML(text)
			require.NoError(t, err)
			require.NoError(t, m.verify(g.key), "%q", text)
			require.Equal(t, payment.Report{State: payment.WalletUnpaid}, report)
			return
		}
		require.Zero(t, report)
		_, is := fault.As(err)
		require.True(t, is, "%v", err)
		assertDiscreet(t, err)
	})
}

// FuzzReceipt reads payments of any values that the wallet has signed. What is read is what
// was written: a whole amount, a moment and a transaction.
func FuzzReceipt(f *testing.F) {
	f.Add("990", "20261120200102", "t1", string(number), "CNY")
	for _, amount := range []string{"", "0", "-1", "+1", "1.5", "1e3", "0x1", "1_0", "00990", "9223372036854775807", "9223372036854775808", " 1", "\u0661", "1]]>2"} {
		f.Add(amount, "20261120200102", "t1", "n", "")
	}
	for _, moment := range []string{"", "now", "20260230000000", "00010101000000", "99991231235959", "20261120200102.5", "20261120200102Z", "2026112020010"} {
		f.Add("990", moment, "t1", "n", "USD")
	}
	f.Fuzz(func(t *testing.T, amount, moment, transaction, no, currency string) {
		g := openV2(t, "https://wallet.example")
		m := xmlMessage{
			"return_code": success, "result_code": success, "mch_id": merchantV2, "appid": official,
			"total_fee": amount, "time_end": moment, "transaction_id": transaction, "out_trade_no": no, "fee_type": currency,
		}
		n, err := g.Receive(payment.Notification{Body: m.sign(g.key).encode()})
		if err != nil {
			require.ErrorIs(t, err, payment.ErrForged)
			require.Zero(t, n)
			return
		}
		r := *n.Receipt
		exact, isNumber := new(big.Int).SetString(amount, 10)
		require.True(t, isNumber && exact.IsInt64() && exact.Sign() >= 0, "%q", amount)
		require.Equal(t, exact.Int64(), r.Amount)
		require.True(t, strings.HasPrefix(moment, r.Paid.In(beijing).Format(instantLayout)), "%q, which may end in a fraction", moment)
		require.Equal(t, time.UTC, r.Paid.Location())
		require.Equal(t, []string{transaction, no}, []string{r.TransactionID, string(r.TradeNo)})
		require.NotEmpty(t, transaction)
		require.NotEmpty(t, no)
		require.NotEmpty(t, r.Currency)
	})
}

// FuzzReceive reads notifications of anything. Without the key, only the genuine one is taken.
func FuzzReceive(f *testing.F) {
	g := openV2(f, "https://wallet.example")
	genuine := signedV2(paidV2...)
	f.Add([]byte(genuine))
	f.Add([]byte(writtenV2(mergedV2(paidV2))))
	for _, text := range []string{
		"", "<xml/>", genuine + genuine, strings.Replace(genuine, "990", "99", 1), strings.Replace(genuine, "<xml>", "<xml><attach>x</attach>", 1), strings.Replace(genuine, "<xml>", "<xml><total_fee>990</total_fee>", 1),
		strings.ToLower(genuine), strings.Replace(genuine, "HMAC-SHA256", "MD5", 1), strings.Replace(genuine, "<sign>", "<sign> ", 1), strings.Replace(genuine, "<xml>", "<xml><empty></empty>", 1), "<?xml version=\"1.0\"?>\n" + genuine,
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
