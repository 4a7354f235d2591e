package wechatpay

import (
	"bufio"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"plaza/domain/payment"
	"plaza/domain/text"
)

// maxBillLine bounds a line of a bill, in bytes.
const maxBillLine = 64 << 10

// billSumsStart is how the second heading starts.
const billSumsStart = "总交易单数"

// billRecordStart is how the line of a payment or a refund starts: with its time.
var billRecordStart = regexp.MustCompile("^`[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2},`")

// billRecord is a payment or a refund, on one or more lines of the text.
type billRecord struct {
	text   string
	line   int  // the number of its first line
	isLong bool // text is not all of it
}

// billScanner cuts a bill into records.
type billScanner struct {
	text   *bufio.Reader
	number int // of lines that were read

	ahead       string // the line that was read last, if hasAhead
	hasAhead    bool
	isAheadLong bool

	sums string // the second heading
}

func newBillScanner(r io.Reader) *billScanner {
	return &billScanner{text: bufio.NewReaderSize(r, maxBillLine)}
}

// next reads a line without its end, of a longer one maxBillLine bytes. It returns false at the end of the text.
func (s *billScanner) next() bool {
	line, err := s.text.ReadSlice('\n')
	s.ahead, s.isAheadLong = strings.TrimRight(string(line), "\r\n"), errors.Is(err, bufio.ErrBufferFull)
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = s.text.ReadSlice('\n')
	}
	s.hasAhead = err == nil || len(line) > 0
	s.number++
	return s.hasAhead
}

// heading returns the first line.
func (s *billScanner) heading() string {
	s.next()
	s.hasAhead = false
	return strings.TrimPrefix(s.ahead, "\uFEFF")
}

// rest returns the line after the second heading.
func (s *billScanner) rest() string {
	for s.next() && strings.TrimSpace(s.ahead) == "" {
	}
	return s.ahead
}

// record returns the next record, or false when the second heading has come.
func (s *billScanner) record(columns int) (billRecord, bool, error) {
	for s.hasAhead || s.next() {
		if strings.TrimSpace(s.ahead) == "" {
			s.hasAhead = false
			continue
		}
		if strings.HasPrefix(s.ahead, billSumsStart) {
			s.sums = s.ahead
			return billRecord{}, false, nil
		}
		r := billRecord{s.ahead, s.number, s.isAheadLong}
		s.hasAhead = false
		for !r.isLong && s.next() && s.goesOn(r, columns) {
			r.text += "\n" + s.ahead
			r.isLong = s.isAheadLong || len(r.text) > maxBillLine
			s.hasAhead = false
		}
		return r, true, nil
	}
	return billRecord{}, false, errors.New("it has no sums")
}

// goesOn reports whether the line ahead belongs to the record: a text that other people wrote may have several lines.
func (s *billScanner) goesOn(r billRecord, columns int) bool {
	if strings.HasPrefix(s.ahead, billSumsStart) || billRecordStart.MatchString(s.ahead) {
		return false
	}
	isWhole := strings.Count(r.text, ",`")+1 >= columns
	return !isWhole || s.ahead != "" && !strings.HasPrefix(s.ahead, "`")
}

func splitBillLine(line string) []string { return strings.Split(strings.TrimPrefix(line, "`"), ",`") }

// billHeading has the columns of lines.
type billHeading struct {
	names []string
	free  int // how many columns stand before those whose text other people wrote; all if there are none
}

func newBillHeading(line string) billHeading {
	h := billHeading{names: strings.Split(strings.TrimSpace(line), ",")}
	h.free = slices.IndexFunc(h.names, func(name string) bool { return name == "商品名称" || name == "商户数据包" })
	if h.free < 0 {
		h.free = len(h.names)
	}
	return h
}

// value returns the value of the first of the columns that the heading has; false if it has none, or the line has too few.
func (h billHeading) value(values []string, columns ...string) (string, bool) {
	for _, column := range columns {
		n := slices.Index(h.names, column)
		if n < 0 {
			continue
		}
		if n > h.free {
			n += len(values) - len(h.names)
		}
		if len(values) < len(h.names) || n >= len(values) {
			return "", false
		}
		return strings.TrimSpace(values[n]), true
	}
	return "", false
}

// maxBillNumber bounds a number, in bytes.
const maxBillNumber = 64

var billRefundStates = map[string]payment.RefundState{
	"PROCESSING": payment.RefundProcessing, "SUCCESS": payment.RefundSucceeded, "FAIL": payment.RefundClosed,
	"CLOSED": payment.RefundClosed, "CHANGE": payment.RefundAbnormal, "ABNORMAL": payment.RefundAbnormal,
}

// billLine reads a record. Where a payment has no number of a refund, the bill has a zero. Errors are for people. They
// quote nothing of the line.
func (g *gateway) billLine(h billHeading, of billRecord) (l payment.BillLine, err error) {
	values := splitBillLine(of.text)
	isMissing := of.isLong || len(values) != len(h.names) && h.free == len(h.names)
	value := func(columns ...string) string {
		v, is := h.value(values, columns...)
		isMissing = isMissing || !is
		return v
	}
	at, atErr := time.ParseInLocation(time.DateTime, value("交易时间"), beijing)
	l = payment.BillLine{
		TransactionID: value("微信订单号"), TradeNo: payment.TradeNo(value("商户订单号")), App: g.apps[value("公众账号ID")],
		Currency: value("货币种类"), At: at.UTC(),
	}
	amount := value("订单金额", "总金额")
	state := value("交易状态")
	if state == "REFUND" {
		l.RefundNo, l.WalletRefund = payment.RefundNo(value("商户退款单号")), value("微信退款单号")
		l.RefundState = billRefundStates[value("退款状态")]
		amount = value("申请退款金额", "退款金额")
	}
	merchant := value("商户号")
	switch {
	case isMissing:
		return l, errors.New("it is too long, or has another number of values")
	case atErr != nil:
		return l, errors.New("no time")
	case state != "SUCCESS" && state != "REVOKED" && state != "REFUND":
		return l, errors.New("an unknown state")
	case merchant != g.merchant:
		return l, errors.New("another merchant's")
	case !isBillNumber(l.TransactionID) || !isBillNumber(string(l.TradeNo)) || !isBillNumber(l.Currency):
		return l, errors.New("no number or no currency")
	case state == "REFUND" && (!isBillNumber(string(l.RefundNo)) || !isBillNumber(l.WalletRefund) || l.RefundState == ""):
		return l, errors.New("a refund without a number or a state")
	}
	l.Amount, err = fenOf(amount)
	return l, err
}

// isBillNumber reports whether the text may be a number of the wallet, or of another program of the merchant.
func isBillNumber(s string) bool { return s != "" && len(s) <= maxBillNumber && text.IsVisible(s) }
