package wechatpay

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

func billText() string { return string(must(os.ReadFile("testdata/bill.csv"))) }

// testMerchant is a gateway of the merchant of the bill.
var testMerchant = gateway{
	merchant: "1900000109", apps: map[string]payment.WalletApp{official: payment.OfficialAccount}, transport: transport{deadline: time.Minute},
}

func readBill(text string) (lines []payment.BillLine, err error) {
	err = testMerchant.readBill(context.Background(), func(context.Context) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text))}, nil
	}, func(_ context.Context, body io.Reader, into io.Writer) error {
		_, err := io.Copy(into, body)
		return err
	}, func(l payment.BillLine) error {
		lines = append(lines, l)
		return nil
	})
	return lines, err
}

// bill is what the lines of testdata/bill.csv say.
var testBill = []payment.BillLine{
	{TransactionID: "4200000001", TradeNo: number, App: payment.OfficialAccount, Amount: 990, Currency: "CNY",
		At: noon.Add(time.Minute + 2*time.Second)},
	{TransactionID: "4200000002", TradeNo: "plaza-8_1|*", Amount: 10, Currency: "CNY", At: noon.Add(4*time.Hour - time.Second)},
	{
		TransactionID: "4200000001", TradeNo: number, RefundNo: refundNo, WalletRefund: "5030000001", RefundState: payment.RefundSucceeded,
		App: payment.OfficialAccount, Amount: 300, Currency: "CNY", At: noon.Add(2 * time.Hour),
	},
}

// older is the bill in the layout of 24 columns.
func olderBill(text string) string {
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(text), "\r\n") {
		switch values := strings.Split(line, ",`"); {
		case len(values) > 20 && values[9] == "REFUND":
			values[12] = "9.90"
			fallthrough
		case len(values) > 20:
			line = strings.Join(values[:24], ",`")
		}
		lines = append(lines, line)
	}
	return strings.NewReplacer("应结订单金额", "总金额", ",订单金额,申请退款金额,费率备注", "", "应结订单总金额,退款总金额", "总交易额,总退款金额", ",订单总金额,申请退款总金额", "",
		"`0.04000,`10.00,`3.00", "`0.04000").Replace(strings.Join(lines, "\r\n"))
}

func TestPAY15_lines_of_a_bill(t *testing.T) {
	text := billText()
	tea := func(subject string) string { return strings.Replace(text, "`Tea, green,", "`"+subject+",", 1) }
	for name, text := range map[string]string{
		"as it came": text, "the layout of 24 columns": olderBill(text), "empty lines": strings.ReplaceAll(text, "\r\n", "\r\n\r\n"),
		"values in the goods": tea("a,`1,`2,`3,`0.01"), "lines in the goods": tea("a\nb\r\n\r\n`c"),
		"both in the goods": tea("a,`1,`2,`3,`4,`5,`6,`7,`8\nb"), "values in what is attached": strings.Replace(text, "`Tea, green,`,",
			"`Tea,`a,`1,`0.01,`,", 1),
		"amounts without decimals": strings.NewReplacer("`0.00,", "`0.0,", "`10.00,", "`10,").Replace(text),
	} {
		lines, err := readBill(text)
		require.NoError(t, err, name)
		assert.Equal(t, testBill, lines, name)
	}
}

func TestPAY15_a_line_that_is_not_understood_is_told_and_ends_nothing(t *testing.T) {
	text := billText()
	for name, wrong := range map[string]string{
		"an unknown state": strings.Replace(text, "`REFUND", "`ODD", 1), "no time": strings.Replace(text, "2026-11-20 22", "2026-11-20T22", 1),
		"an odd amount": strings.Replace(text, "`0.00,`3.00,`\r\n", "`0.00,`3.001,`\r\n", 1),
		"another merchant": strings.Replace(text, "1900000109,`0,`,`4200000001,`plaza-7_1|*,`payer,`JSAPI,`REFUND",
			"1,`0,`,`4200000001,`plaza-7_1|*,`payer,`JSAPI,`REFUND", 1),
		"no state of a refund": strings.Replace(text, "ORIGINAL,`SUCCESS", "ORIGINAL,`", 1),
		"an odd number":        strings.Replace(text, "5030000001", "50\x00", 1),
		"a long line":          strings.Replace(text, "ORIGINAL", strings.Repeat("x", maxBillLine), 1),
		"a short line":         strings.Replace(text, ",`-0.02000,`0.60%,`0.00,`3.00,`", "", 1),
	} {
		require.NotEqual(t, text, wrong, name)
		lines, err := readBill(wrong)
		require.NoError(t, err, name)
		require.Len(t, lines, 3, name)
		assert.Equal(t, testBill[:2], lines[:2], name)
		assert.Equal(t, "line 4", lines[2].TransactionID, name)
		assert.Equal(t, 4, lines[2].Line, name)
		assert.NotEmpty(t, lines[2].Unread, name)
	}
}

func TestPAY15_a_bill_whose_sums_are_not_those_of_its_lines(t *testing.T) {
	text := billText()
	lines := strings.SplitAfter(text, "\n")
	for name, wrong := range map[string]string{
		"nothing": "", "no sums": text[:strings.Index(text, "总交易单数")], "no line of sums": strings.Join(lines[:len(lines)-2], ""),
		"a line less": lines[0] + strings.Join(lines[2:], ""), "a line twice": lines[0] + lines[1] + strings.Join(lines[1:], ""),
		"another amount": strings.Replace(text, "%,`9.90", "%,`9.91", 1), "another refund": strings.Replace(text, "`0.00,`3.00,`\r\n",
			"`0.00,`3.01,`\r\n", 1),
		"a line of its own": strings.Replace(text, "`Tea, green,", "`Tea\n"+strings.TrimRight(lines[1], "\r\n")+",", 1),
	} {
		require.NotEqual(t, text, wrong, name)
		got, err := readBill(wrong)
		require.ErrorIs(t, err, payment.ErrWalletBadResponse, name)
		assert.Empty(t, got, name)
	}
}

func TestPAY15_amounts_in_yuan(t *testing.T) {
	for text, want := range map[string]int64{"0.10": 10, "9.90": 990, "0.00": 0, "1": 100, "1.5": 150, "100000.00": 10_000_000, "0.29": 29} {
		got, err := fenOf(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", ".", ".10", "-1.00", "+1.00", "1.001", "1,00", "1e2", "0x1", "1.-1", "99999999999999999999.00", "１.00"} {
		_, err := fenOf(text)
		require.Error(t, err, text)
	}
}

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
				"hash_type": "SHA1", "hash_value": fmt.Sprintf("%x", sha1.Sum([]byte(text))), "download_url": w.server.URL +
					"/v3/billdownload/file?token=a%2Bb",
			}))(rw, r)
		},
		writesV3(200, sent, nil),
	}
	return w
}

var billDay = payment.DayOf(time.Date(2026, time.November, 20, 12, 0, 0, 0, payment.Beijing))

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
	for _, address := range []string{"https://elsewhere.example/v3/billdownload/file", "", "//elsewhere.example/", "http://127.0.0.1:1/x",
		"%"} {
		w := newWalletV3(t, saysV3(200, encoded(map[string]any{"hash_type": "SHA1", "hash_value": "00", "download_url": address})))
		_, err := linesOf(t, w.V3)
		require.ErrorIs(t, err, payment.ErrWalletBadResponse, address)
		assert.Len(t, w.requests(), 1)
	}
}

// FuzzBill reads bills of anything: what is read has an amount, and numbers that can be stored.
func FuzzBill(f *testing.F) {
	f.Add(billText())
	for _, text := range []string{"", "\uFEFF", "交易时间\n`\n总交易单数", "`\n`\n", "a,b\n`1,`2\n\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := testMerchant.eachBillLine(strings.NewReader(text), func(l payment.BillLine) error {
			require.True(t, l.Unread != "" || isBillNumber(l.TransactionID) && isBillNumber(string(l.TradeNo)))
			require.GreaterOrEqual(t, l.Amount, int64(0))
			require.Equal(t, l.RefundNo == "", l.RefundState == "")
			return nil
		})
		if err != nil {
			require.ErrorIs(t, err, payment.ErrWalletBadResponse)
		}
	})
}
