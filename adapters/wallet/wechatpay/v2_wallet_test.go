package wechatpay

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

const (
	keyV2      = "192006250b4c09247ec02edce69f6a2d"
	merchantV2 = "10000100"
	nonceV2    = "5K8264ILTKCH16CQ2502SI8ZNMTM67VS"
)

func settingsV2(url string) wallet.Settings {
	return wallet.Settings{
		URL: url, MerchantID: merchantV2, Key: secret.New(keyV2), Deadline: 5 * time.Second,
		AppIDs:    map[payment.WalletApp]string{payment.OfficialAccount: official, payment.SvcIOSApp: service},
		NotifyURL: "https://plaza.example/api/pay/notify/wallet/",
	}
}

func openV2(t testing.TB, url string) *V2 {
	t.Helper()
	g, found := newV2(settingsV2(url))
	require.Empty(t, found)
	g.nonce = func() string { return nonceV2 }
	return g
}

type walletV2 struct {
	*V2
	*standIn
}

func newWalletV2(t testing.TB, answers ...http.HandlerFunc) *walletV2 {
	t.Helper()
	w := &walletV2{standIn: &standIn{answers: answers, shown: []string{"Content-Type"}}}
	server := httptest.NewServer(w.standIn)
	t.Cleanup(server.Close)
	w.V2 = openV2(t, server.URL)
	return w
}

// says answers with the signed fields.
func saysV2(fields ...any) http.HandlerFunc { return writesV2(signedV2(fields...)) }

func writesV2(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// signed returns an answer of the wallet to the official account: its usual fields, preceded
// or replaced by the given names and values. An empty value, or nil, omits a field.
func signedV2(fields ...any) string { return writtenV2(otherSignV2("HMAC", mergedV2(fields))) }

func mergedV2(fields []any) [][2]string {
	all := [][2]string{
		{"return_code", "SUCCESS"}, {"result_code", "SUCCESS"}, {"appid", official}, {"mch_id", merchantV2}, {"nonce_str", "n"},
	}
	for n := 0; n < len(fields); n += 2 {
		all = slices.DeleteFunc(all, func(f [2]string) bool { return f[0] == fields[n] })
		if value, _ := fields[n+1].(string); value != "" {
			all = append(all, [2]string{fields[n].(string), value})
		}
	}
	return all
}

func writtenV2(fields [][2]string) string {
	var b strings.Builder
	b.WriteString("<xml>\n")
	for _, f := range fields {
		fmt.Fprintf(&b, "  <%s><![CDATA[%s]]></%[1]s>\n", f[0], f[1])
	}
	return b.String() + "</xml>"
}

// otherSignV2 signs by the protocol's text alone. It shares no code with the package.
func otherSignV2(way string, fields [][2]string) [][2]string {
	byName := func(a, b [2]string) int { return strings.Compare(a[0], b[0]) }
	text := ""
	for _, f := range slices.SortedStableFunc(slices.Values(fields), byName) {
		if f[1] != "" && f[0] != "sign" {
			text += f[0] + "=" + f[1] + "&"
		}
	}
	return append(slices.Clone(fields), [2]string{"sign", otherSumV2(way, text+"key="+keyV2)})
}

func otherSumV2(way, text string) string {
	if way == "MD5" {
		return fmt.Sprintf("%X", md5.Sum([]byte(text)))
	}
	sum := hmac.New(sha256.New, []byte(keyV2))
	sum.Write([]byte(text))
	return fmt.Sprintf("%X", sum.Sum(nil))
}

// paidV2 are the fields with which the wallet reports the payment of paidReceipt.
var paidV2 = []any{
	"out_trade_no", string(number), "transaction_id", "4200000001", "total_fee", "990", "fee_type", "CNY", "openid", payer,
	"time_end", "20261120200102", "trade_type", "JSAPI", "is_subscribe", "N", "coupon_fee_0", "9",
}

func notificationV2(text string) payment.Notification {
	return payment.Notification{Body: []byte(text)}
}
