package wechatpayv3

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"plaza/domain/payment"
	"plaza/domain/text"
)

// Bounds of a bill's texts, in bytes.
const (
	maxBillLine   = 64 << 10
	maxBillNumber = 64
)

// Columns of a bill. Their order is that of the heading.
const (
	atColumn           = "交易时间"
	appColumn          = "公众账号ID"
	merchantColumn     = "商户号"
	transactionColumn  = "微信订单号"
	tradeNoColumn      = "商户订单号"
	stateColumn        = "交易状态"
	currencyColumn     = "货币种类"
	walletRefundColumn = "微信退款单号"
	refundNoColumn     = "商户退款单号"
	refundStateColumn  = "退款状态"
	amountColumn       = "订单金额"
	refundAmountColumn = "申请退款金额"
)

// billRefundStates are the states of refunds in a bill.
var billRefundStates = map[string]payment.RefundState{
	"PROCESSING": payment.RefundProcessing, "SUCCESS": payment.RefundSucceeded, "FAIL": payment.RefundClosed,
	"CLOSED": payment.RefundClosed, "CHANGE": payment.RefundAbnormal, "ABNORMAL": payment.RefundAbnormal,
}

// readBill calls fn with each line. A bill has a heading, lines whose values begin with a back-tick, and a second heading
// with a line of sums, which ends the lines. Errors of reading are ErrWalletBadResponse; fn's are returned as they are.
func (g *Gateway) readBill(r io.Reader, fn func(payment.BillLine) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxBillLine)
	if !lines.Scan() {
		return fmt.Errorf("reading a bill: %w: no heading", payment.ErrWalletBadResponse)
	}
	columns := map[string]int{}
	for n, name := range strings.Split(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "\uFEFF"), ",") {
		columns[name] = n
	}
	isEnded := false
	for lines.Scan() && !isEnded {
		row := strings.TrimRight(lines.Text(), "\r")
		if isEnded = !strings.HasPrefix(row, "`"); isEnded {
			break
		}
		line, err := g.billLine(columns, strings.Split(row[1:], ",`"))
		if err != nil {
			return fmt.Errorf("reading a bill: %w: %w", payment.ErrWalletBadResponse, err)
		}
		if err := fn(line); err != nil {
			return err
		}
	}
	if lines.Err() != nil || !isEnded {
		return fmt.Errorf("reading a bill: %w: it has no sums, or too long a line", payment.ErrWalletBadResponse)
	}
	return nil
}

// billLine reads a line. A payment has no number of a refund: its columns have a zero.
func (g *Gateway) billLine(columns map[string]int, values []string) (payment.BillLine, error) {
	var missing error
	value := func(column string) string {
		n, known := columns[column]
		if !known || n >= len(values) {
			missing = errors.New("a column is missing")
			return ""
		}
		return strings.TrimSpace(values[n])
	}
	at, err := time.ParseInLocation(time.DateTime, value(atColumn), beijing)
	line := payment.BillLine{
		TransactionID: value(transactionColumn), TradeNo: payment.TradeNo(value(tradeNoColumn)), App: g.apps[value(appColumn)],
		Currency: value(currencyColumn), At: at.UTC(),
	}
	amount := value(amountColumn)
	switch state := value(stateColumn); state {
	case "SUCCESS", "REVOKED":
	case "REFUND":
		line.RefundNo, line.WalletRefund = payment.RefundNo(value(refundNoColumn)), value(walletRefundColumn)
		line.RefundState = billRefundStates[value(refundStateColumn)]
		amount = value(refundAmountColumn)
	default:
		return payment.BillLine{}, errors.New("unknown state in a line")
	}
	merchant := value(merchantColumn)
	isRefund := line.RefundNo != "" || line.WalletRefund != ""
	switch {
	case missing != nil:
		return payment.BillLine{}, missing
	case err != nil:
		return payment.BillLine{}, errors.New("no time in a line")
	case merchant != g.merchant:
		return payment.BillLine{}, errors.New("another merchant's line")
	case !isNumber(line.TransactionID) || !isNumber(string(line.TradeNo)) || !isNumber(line.Currency):
		return payment.BillLine{}, errors.New("a line without a number or a currency")
	case isRefund && (!isNumber(string(line.RefundNo)) || !isNumber(line.WalletRefund) || line.RefundState == ""):
		return payment.BillLine{}, errors.New("a refund without a number or a state")
	}
	line.Amount, err = parseYuan(amount)
	return line, err
}

// isNumber reports whether the text may be a number of the wallet, or of another program of the merchant.
func isNumber(s string) bool { return s != "" && len(s) <= maxBillNumber && text.IsVisible(s) }

// parseYuan returns the amount in fen of a text in yuan with up to two decimals.
func parseYuan(s string) (int64, error) {
	yuan, fen, _ := strings.Cut(s, ".")
	fen += strings.Repeat("0", max(0, 2-len(fen)))
	amount, err := strconv.ParseInt(yuan+fen, 10, 64)
	if err != nil || len(fen) != 2 || !consists(yuan, 16, digits) || !consists(fen, 2, digits) {
		return 0, errors.New("no amount in yuan in a line")
	}
	return amount, nil
}
