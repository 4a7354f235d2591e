package wechatpay

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

func billText(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/bill.csv")
	require.NoError(t, err)
	return string(text)
}

// billGateway is a gateway of the merchant of the bill.
func billGateway() *Gateway {
	return &Gateway{merchant: "1900000109", apps: map[string]payment.WalletApp{"wxd930ea5d5a258f4f": payment.OfficialAccount}}
}

func TestPAY15_lines_of_a_bill(t *testing.T) {
	var lines []payment.BillLine
	require.NoError(t, billGateway().readBill(strings.NewReader(billText(t)), func(l payment.BillLine) error {
		lines = append(lines, l)
		return nil
	}))
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	assert.Equal(t, []payment.BillLine{
		{TransactionID: "4200000001", TradeNo: "plaza-7_1|*", App: payment.OfficialAccount, Amount: 990, Currency: "CNY", At: noon.Add(time.Minute + 2*time.Second)},
		{TransactionID: "4200000002", TradeNo: "plaza-8_1|*", Amount: 10, Currency: "CNY", At: noon.Add(4*time.Hour - time.Second)},
		{
			TransactionID: "4200000001", TradeNo: "plaza-7_1|*", RefundNo: "refund-7_1|*@", WalletRefund: "5030000001", RefundState: payment.RefundSucceeded,
			App: payment.OfficialAccount, Amount: 300, Currency: "CNY", At: noon.Add(2 * time.Hour),
		},
	}, lines)
}

func TestPAY15_a_bill_whose_sums_are_not_those_of_its_lines(t *testing.T) {
	text := billText(t)
	lines := strings.SplitAfter(text, "\n")
	for name, wrong := range map[string]string{
		"no heading": "", "no sums": text[:strings.Index(text, "总交易单数")], "no line of sums": strings.Join(lines[:len(lines)-2], ""),
		"a line less": lines[0] + strings.Join(lines[2:], ""), "a line twice": lines[0] + lines[1] + strings.Join(lines[1:], ""),
		"another amount": strings.Replace(text, "%,`9.90", "%,`9.91", 1), "another refund": strings.Replace(text, "`0.00,`3.00,`\r\n", "`0.00,`3.01,`\r\n", 1),
		"a column less": strings.Replace(text, "订单金额,申请退款金额", "金额,申请退款金额", 1), "another merchant": strings.ReplaceAll(text, "1900000109", "1900000110"),
		"an unknown state": strings.Replace(text, "`REFUND", "`ODD", 1), "no time": strings.Replace(text, "2026-11-20 ", "2026-11-20T", 1),
		"an odd amount": strings.Replace(text, "%,`9.90", "%,`9.901", 1), "an odd number": strings.Replace(text, "4200000002", "42\x00", 1),
		"a long line": lines[0] + "`" + strings.Repeat("x", maxBillLine) + "\n", "a short line": lines[0] + "`x\n",
		"no state of a refund": strings.Replace(text, "ORIGINAL,`SUCCESS", "ORIGINAL,`", 1),
	} {
		require.NotEqual(t, text, wrong, name)
		err := billGateway().readBill(strings.NewReader(wrong), func(payment.BillLine) error { return nil })
		require.ErrorIs(t, err, payment.ErrWalletBadResponse, name)
	}
}

// FuzzBillV2 reads bills of anything: what is read has an amount, and numbers that can be stored.
func FuzzBillV2(f *testing.F) {
	f.Add(billText(f))
	for _, text := range []string{"", "\uFEFF", "交易时间\n`\n总交易单数", "`\n`\n", "a,b\n`1,`2\n\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := billGateway().readBill(strings.NewReader(text), func(l payment.BillLine) error {
			require.True(t, isNumber(l.TransactionID) && isNumber(string(l.TradeNo)))
			require.GreaterOrEqual(t, l.Amount, int64(0))
			require.Equal(t, l.RefundNo == "", l.RefundState == "")
			return nil
		})
		if err != nil {
			require.ErrorIs(t, err, payment.ErrWalletBadResponse)
		}
	})
}
