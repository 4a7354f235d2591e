package sandbox

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// billed is a wallet whose day has two payments and a refund, and whose clock is at ten o'clock of
// the next day. The day before and the next day have a payment each, at midnight.
func billed(t *testing.T) (*Server, *clock) {
	t.Helper()
	s, clk := startV3(t)
	midnight := time.Date(2026, 1, 2, 0, 0, 0, 0, beijing)
	clk.add(midnight.Add(-time.Nanosecond).Sub(clk.now()))
	paidV3(t, s, "before-0")
	clk.add(1)
	status, _ := askV3(t, s, http.MethodPost, "/v3/pay/transactions/native", orderV3("first-1", object{"description": "Tea, \"green\"\n`"}))
	require.Equal(t, http.StatusOK, status)
	_, err := s.Pay("first-1", PaymentOptions{Coupon: 90})
	require.NoError(t, err)
	clk.add(time.Hour)
	second := paidV3(t, s, "second-2")
	placedV3(t, s, "unpaid-3")
	clk.add(time.Hour)
	require.Empty(t, refunders[V3].ask(t, s, second, "refund-1", 10))
	require.NoError(t, s.RefundOutcome("refund-1", RefundSucceeded))
	clk.add(22 * time.Hour)
	_, err = s.Pay("unpaid-3", PaymentOptions{})
	require.ErrorIs(t, err, ErrExpired)
	paid(t, s, "after-4")
	clk.add(billHour * time.Hour)
	return s, clk
}

// billV3 asks for a bill and downloads it. It returns the bill and whether its hash is right.
func billV3(t *testing.T, s *Server, query string) (text string, isWhole bool) {
	t.Helper()
	status, reply := askV3(t, s, http.MethodGet, "/v3/bill/tradebill?"+query, "")
	require.Equal(t, http.StatusOK, status, reply)
	require.Equal(t, "SHA1", reply["hash_type"])
	link := reply["download_url"].(string)
	require.True(t, strings.HasPrefix(link, "http://example.com/v3/billdownload/file?token="), link)
	w := drafted(t, s, http.MethodGet, strings.TrimPrefix(link, "http://example.com"), "").send(t, s)
	require.Equal(t, http.StatusOK, w.Code)
	assert.Empty(t, w.Header().Get("Wechatpay-Signature"))
	content := w.Body.Bytes()
	if strings.Contains(query, "GZIP") {
		zip, err := gzip.NewReader(bytes.NewReader(content))
		require.NoError(t, err)
		if content, err = io.ReadAll(zip); err != nil {
			return string(content), false
		}
	}
	return string(content), fmt.Sprintf("%x", sha1.Sum(content)) == reply["hash_value"]
}

func askBillV2(s *Server, change fields) []byte {
	f := with(about(""), fields{"out_trade_no": "-", "bill_date": "20260102", "bill_type": "ALL"})
	return post(s, "/pay/downloadbill", render(signedAs(with(f, change)))).Body.Bytes()
}

func TestPAY15_bills_that_go_wrong(t *testing.T) {
	s, _ := billed(t)
	const query = "bill_date=2026-01-02&tar_type=GZIP"
	good, _ := billV3(t, s, query)
	for trick, c := range map[Trick]struct {
		lines   int
		isWhole bool
		sums    string // of version 2, too
	}{
		LoseLine: {5 - 1, true, "`2,`19.80,`0.00"}, Amount: {5, true, "`3,`19.81,`0.10"}, BadHash: {5, false, "`3,`19.81,`0.10"},
	} {
		require.NoError(t, s.Misbehave(Misbehaviour{On: TradeBill, Do: trick}))
		text, isWhole := billV3(t, s, query)
		assert.Equal(t, c.isWhole, isWhole, trick)
		assert.Equal(t, c.lines, strings.Count(text, "\r\n")-1, trick)
		assert.NotEqual(t, good, text)
		assert.Contains(t, text, c.sums)
		require.NoError(t, s.Misbehave(Misbehaviour{On: TradeBill, Do: trick}))
		assert.Contains(t, string(askBillV2(s, nil)), c.sums)
	}
	require.NoError(t, s.Misbehave(Misbehaviour{On: DownloadBill, Do: Truncate}))
	_, isWhole := billV3(t, s, query)
	assert.False(t, isWhole)
	require.NoError(t, s.Misbehave(Misbehaviour{On: TradeBill, Do: Truncate}))
	assert.Len(t, askBillV2(s, nil), len(good)/2)
	for trick, want := range map[Trick]string{Garbage: "<html>", ErrorBefore: "SYSTEMERROR", ErrorAfter: "SYSTEMERROR"} {
		require.NoError(t, s.Misbehave(Misbehaviour{On: TradeBill, Do: trick}))
		assert.Contains(t, string(askBillV2(s, nil)), want)
	}
	text, isWhole := billV3(t, s, query)
	assert.True(t, isWhole)
	assert.Equal(t, good, text)
}
