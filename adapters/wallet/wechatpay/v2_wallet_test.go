package wechatpay

import (
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/ports"
)

const (
	keyV2      = "192006250b4c09247ec02edce69f6a2d"
	official   = "wxd930ea5d5a258f4f"
	service    = "wx2421b1c4370ec43b"
	merchantV2 = "10000100"
	nonceV2    = "5K8264ILTKCH16CQ2502SI8ZNMTM67VS"
	payer      = ports.WalletPayer
	number     = ports.WalletTradeNo
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func configV2(url string) ConfigV2 {
	return ConfigV2{
		Config: Config{
			URL: url, MerchantID: merchantV2, Key: secret.New(keyV2), Deadline: 5 * time.Second,
			AppIDs:    map[payment.WalletApp]string{payment.OfficialAccount: official, payment.SvcIOSApp: service},
			NotifyURL: "https://plaza.example/api/pay/notify/wallet/",
		},
		SpbillIP: "203.0.113.7",
	}
}

func newV2(t *testing.T, url string) *V2 {
	t.Helper()
	g, err := NewV2(configV2(url))
	require.NoError(t, err)
	g.nonce = func() string { return nonceV2 }
	return g
}

// testWallet answers requests in the given ways, one after the other, and repeats the last.
type walletV2 struct {
	*V2
	answers []http.HandlerFunc
	mutex   sync.Mutex
	heard   []string
}

func newWalletV2(t *testing.T, answers ...http.HandlerFunc) *walletV2 {
	t.Helper()
	w := &walletV2{answers: answers}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	w.V2 = newV2(t, server.URL)
	return w
}

func (w *walletV2) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.mutex.Lock()
	w.heard = append(w.heard, fmt.Sprintf("%s %s\nContent-Type: %s\n\n%s\n", r.Method, r.URL, r.Header.Get("Content-Type"), body))
	answer := w.answers[min(len(w.heard), len(w.answers))-1]
	w.mutex.Unlock()
	answer(rw, r)
}

func (w *walletV2) requests() []string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return append([]string(nil), w.heard...)
}

// says answers with the signed fields.
func saysV2(fields ...string) http.HandlerFunc { return writesV2(signedV2(fields...)) }

func writesV2(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) }
}

// breaks reads the request and closes the connection.
func breaks(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// signed returns an answer of the wallet to the official account: its usual fields, preceded
// or replaced by the given names and values. An empty value omits a field.
func signedV2(fields ...string) string { return writtenV2(otherSignV2("HMAC", mergedV2(fields))) }

func mergedV2(fields []string) [][2]string {
	all := [][2]string{
		{"return_code", "SUCCESS"}, {"result_code", "SUCCESS"}, {"appid", official}, {"mch_id", merchantV2}, {"nonce_str", "n"},
	}
	for n := 0; n < len(fields); n += 2 {
		kept := all[:0:0]
		for _, f := range all {
			if f[0] != fields[n] {
				kept = append(kept, f)
			}
		}
		all = kept
		if fields[n+1] != "" {
			all = append(all, [2]string{fields[n], fields[n+1]})
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

// otherSign signs by the protocol's text alone. It shares no code with the package, not even
// HMAC, and is slow.
func otherSignV2(way string, fields [][2]string) [][2]string {
	sorted := append([][2]string(nil), fields...)
	sort.SliceStable(sorted, func(i, j int) bool { return strings.Compare(sorted[i][0], sorted[j][0]) < 0 })
	text := ""
	for _, f := range sorted {
		if f[1] != "" && f[0] != "sign" {
			text += f[0] + "=" + f[1] + "&"
		}
	}
	return append(append([][2]string(nil), fields...), [2]string{"sign", otherSumV2(way, text+"key="+keyV2)})
}

func otherSumV2(way, text string) string {
	if way == "MD5" {
		return fmt.Sprintf("%X", md5.Sum([]byte(text)))
	}
	inner, outer := make([]byte, 64), make([]byte, 64)
	for n := range inner {
		var k byte
		if n < len(keyV2) {
			k = keyV2[n]
		}
		inner[n], outer[n] = k^0x36, k^0x5C
	}
	first := sha256.Sum256(append(inner, text...))
	return fmt.Sprintf("%X", sha256.Sum256(append(outer, first[:]...)))
}
