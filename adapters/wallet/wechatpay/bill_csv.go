package wechatpay

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

// Columns of the sums.
const (
	countSum  = "总交易单数"
	amountSum = "订单总金额"
	refundSum = "申请退款总金额"
)

var billRefundStates = map[string]payment.RefundState{
	"PROCESSING": payment.RefundProcessing, "SUCCESS": payment.RefundSucceeded, "FAIL": payment.RefundClosed,
	"CLOSED": payment.RefundClosed, "CHANGE": payment.RefundAbnormal, "ABNORMAL": payment.RefundAbnormal,
}

// billRow is a line of a bill: its values by the names of the heading. A name that is repeated has its first value.
type billRow map[string]string

func newBillRow(heading []string, line string) (billRow, error) {
	if len(line) > maxBillLine {
		return nil, errors.New("a line is too long")
	}
	values := strings.Split(strings.TrimPrefix(line, "`"), ",`")
	if len(values) < len(heading) {
		return nil, errors.New("a line is too short")
	}
	row := billRow{}
	for n, name := range heading {
		if _, twice := row[name]; !twice {
			row[name] = strings.TrimSpace(values[n])
		}
	}
	return row, nil
}

// billReader reads a bill: a heading, lines whose values begin with a back-tick, and a second heading with a line of sums.
type billReader struct {
	lines                 *bufio.Scanner
	heading               []string
	count, paid, refunded int64 // of the lines read, in fen
}

func newBillReader(r io.Reader) *billReader {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxBillLine)
	return &billReader{lines: lines}
}

// next returns the next line of the text, or false at its end.
func (b *billReader) next() (string, bool) {
	is := b.lines.Scan()
	return strings.TrimSpace(strings.TrimPrefix(b.lines.Text(), "\uFEFF")), is
}

// readBill calls fn with each line, and then compares their sums. It returns ErrWalletBadResponse, or fn's error as it is.
func (g *Gateway) readBill(r io.Reader, fn func(payment.BillLine) error) error {
	b := newBillReader(r)
	heading, _ := b.next()
	b.heading = strings.Split(heading, ",")
	for {
		line, is := b.next()
		if !is {
			return badBill(errors.New("it has no sums, or too long a line"))
		}
		if !strings.HasPrefix(line, "`") {
			b.heading = strings.Split(line, ",")
			return b.checkSums()
		}
		row, err := newBillRow(b.heading, line)
		if err != nil {
			return badBill(err)
		}
		l, err := g.billLine(row)
		if err != nil {
			return badBill(err)
		}
		b.add(l)
		if err := fn(l); err != nil {
			return err
		}
	}
}

func badBill(err error) error {
	return fmt.Errorf("reading a wallet bill: %w: %w", payment.ErrWalletBadResponse, err)
}

func (b *billReader) add(l payment.BillLine) {
	b.count++
	if l.RefundNo == "" {
		b.paid += l.Amount
	} else {
		b.refunded += l.Amount
	}
}

// checkSums reads the line of sums. Nothing else shows that the lines are whole.
func (b *billReader) checkSums() error {
	line, _ := b.next()
	row, err := newBillRow(b.heading, line)
	if err != nil {
		return badBill(err)
	}
	count, err1 := strconv.ParseInt(row[countSum], 10, 64)
	paid, err2 := fenOf(row[amountSum])
	refunded, err3 := fenOf(row[refundSum])
	if errors.Join(err1, err2, err3) != nil || count != b.count || paid != b.paid || refunded != b.refunded {
		return badBill(errors.New("its sums are not those of its lines"))
	}
	return nil
}

// billLine reads a line. Where a payment has no number of a refund, the bill has a zero.
func (g *Gateway) billLine(row billRow) (l payment.BillLine, err error) {
	at, err := time.ParseInLocation(refundTime, row[atColumn], beijing)
	if err != nil {
		return l, errors.New("no time in a line")
	}
	l = payment.BillLine{
		TransactionID: row[transactionColumn], TradeNo: payment.TradeNo(row[tradeNoColumn]), App: g.apps[row[appColumn]],
		Currency: row[currencyColumn], At: at.UTC(),
	}
	amount := row[amountColumn]
	switch row[stateColumn] {
	case "SUCCESS", "REVOKED":
	case "REFUND":
		l.RefundNo, l.WalletRefund = payment.RefundNo(row[refundNoColumn]), row[walletRefundColumn]
		l.RefundState, amount = billRefundStates[row[refundStateColumn]], row[refundAmountColumn]
		if !isNumber(row[refundNoColumn]) || !isNumber(l.WalletRefund) || l.RefundState == "" {
			return l, errors.New("a refund without a number or a state")
		}
	default:
		return l, errors.New("unknown state in a line")
	}
	switch {
	case row[merchantColumn] != g.merchant:
		return l, errors.New("another merchant's line")
	case !isNumber(l.TransactionID) || !isNumber(row[tradeNoColumn]) || !isNumber(l.Currency):
		return l, errors.New("a line without a number or a currency")
	}
	l.Amount, err = fenOf(amount)
	return l, err
}

// isNumber reports whether the text may be a number of the wallet, or of another program of the merchant.
func isNumber(s string) bool { return s != "" && len(s) <= maxBillNumber && text.IsVisible(s) }

// fenOf returns the amount in fen of a text in yuan with two decimals.
func fenOf(s string) (int64, error) {
	yuan, fen, _ := strings.Cut(s, ".")
	if len(fen) != 2 || yuan == "" || len(yuan) > 16 || strings.Trim(yuan+fen, digits) != "" {
		return 0, errors.New("no amount in yuan in a line")
	}
	return strconv.ParseInt(yuan+fen, 10, 64)
}
