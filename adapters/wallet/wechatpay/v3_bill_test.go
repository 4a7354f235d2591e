package wechatpay

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

func packed(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must(io.WriteString(z, text))
	_ = z.Close()
	return b.String()
}

// bills serves the bill, whose link has the hash of the text.
func bills(t *testing.T, text, sent string) *walletV3 {
	t.Helper()
	w := newWalletV3(t)
	w.answers = []http.HandlerFunc{
		func(rw http.ResponseWriter, r *http.Request) {
			saysV3(200, encoded(map[string]any{
				"hash_type": "SHA1", "hash_value": fmt.Sprintf("%x", sha1.Sum([]byte(text))), "download_url": w.server.URL + "/v3/billdownload/file?token=a%2Bb",
			}))(rw, r)
		},
		writesV3(200, sent, nil),
	}
	return w
}

var billDay = payment.Day{Year: 2026, Month: time.November, Day: 20}

func linesOf(t *testing.T, g *V3) (lines []payment.BillLine, err error) {
	t.Helper()
	err = g.Bill(t.Context(), billDay, func(l payment.BillLine) error {
		lines = append(lines, l)
		return nil
	})
	return lines, err
}

func TestPAY15_a_bill(t *testing.T) {
	text := billText()
	w := bills(t, text, packed(text))
	lines, err := linesOf(t, w.V3)
	require.NoError(t, err)
	assert.Equal(t, testBill, lines)
	assert.Contains(t, w.requests()[0], "GET /v3/bill/tradebill?bill_date=2026-11-20&bill_type=ALL&tar_type=GZIP\n")
	assert.Contains(t, w.requests()[1], "GET /v3/billdownload/file?token=a%2Bb\n")
	assert.Contains(t, w.requests()[1], "Authorization: WECHATPAY2")

	lines, err = linesOf(t, bills(t, text, packed(strings.Replace(text, "9.90", "9.91", 1))).V3)
	require.ErrorIs(t, err, payment.ErrWalletBadResponse, "another hash")
	assert.Empty(t, lines)

	stop := errors.New("stop")
	require.ErrorIs(t, bills(t, text, packed(text)).Bill(t.Context(), billDay, func(payment.BillLine) error { return stop }), stop)
}

func TestPAY15_no_request_is_signed_for_another_host(t *testing.T) {
	for _, address := range []string{"https://elsewhere.example/v3/billdownload/file", "", "//elsewhere.example/", "http://127.0.0.1:1/x", "%"} {
		w := newWalletV3(t, saysV3(200, encoded(map[string]any{"hash_type": "SHA1", "hash_value": "00", "download_url": address})))
		_, err := linesOf(t, w.V3)
		require.ErrorIs(t, err, payment.ErrWalletBadResponse, address)
		assert.Len(t, w.requests(), 1)
	}
}
