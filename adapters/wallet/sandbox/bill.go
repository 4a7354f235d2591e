package sandbox

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// billHour is the hour of the next day, in Beijing, from which a bill can be had.
const billHour = 10

// billMonths is how long bills can be had.
const billMonths = 3

// Refusals of bills.
var (
	refuseNoBill       = refusal{"No Bill Exist", "the day has no payments"}
	refuseBillCreating = refusal{"Bill Creating", "the bill is not made yet"}
)

// billHead and sumsHead are the headings of a bill: of the lines, and of the line with their sums.
const (
	billHead = "交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类," +
		"应结订单金额,代金券金额,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率," +
		"订单金额,申请退款金额,费率备注"
	sumsHead = "总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额"
)

// billFormV2 has the fields of a request for a bill.
var billFormV2 = form{limits{"bill_date": 8}, limits{"bill_type": 8, "tar_type": 8}}

// downloadBill answers with the bill of a day itself.
func (s *Server) downloadBill(r *request) (any, error) {
	text, err := s.bill(r, "20060102")
	if err != nil {
		return nil, err
	}
	text, err = r.packed(text)
	return content(text), err
}

// billRefusal returns the fields of a refusal, which has no signature.
func billRefusal(no refusal) fields {
	f := fields{"return_code": "FAIL", "return_msg": no.code, "error_code": "20002"}
	switch no {
	case refuseNoBill, refuseBillCreating:
	case errSystem:
		f["error_code"] = "100"
	default:
		f["return_msg"], f["error_code"] = no.Error(), "20001"
	}
	return f
}

const byteOrderMark = "\ufeff"

// billLine is a payment or a refund of a day.
type billLine struct {
	at            time.Time
	trade         Trade
	refund        *Refund
	settled, back int64 // of the order, of the refund
}

// bill returns the bill of the day that the request asks for, as text. layout is how the version
// writes the day.
func (s *Server) bill(r *request, layout string) ([]byte, error) {
	from, err := r.asked.timeOf("bill_date", layout)
	now := s.now()
	switch {
	case err != nil:
		return nil, err
	case from.AddDate(0, billMonths, 1).Before(now):
		return nil, refusal{"INVALID_REQUEST", fmt.Sprintf("bills can be had for %d months", billMonths)}
	case now.Before(from.AddDate(0, 0, 1).Add(billHour*time.Hour)) && !s.cfg.BillsAtOnce:
		return nil, refuseBillCreating
	}
	lines := s.billLines(from, from.AddDate(0, 0, 1))
	if len(lines) == 0 {
		return nil, refuseNoBill
	}
	switch r.trick.Do {
	case LoseLine:
		lines = lines[:len(lines)-1]
	case Amount:
		lines[0].settled++
		if lines[0].refund != nil {
			lines[0].settled, lines[0].back = 0, lines[0].back+1
		}
	}
	return s.writeBill(lines, r.trick.Do == BadHash || r.trick.forges()), nil
}

// billLines returns the payments of the time, and the refunds that were asked for in it. The caller
// must hold the lock.
func (s *Server) billLines(from, until time.Time) []billLine {
	var lines []billLine
	within := func(at time.Time) bool { return !at.Before(from) && at.Before(until) }
	for _, no := range s.numbers {
		if t := s.trades[no]; t.State == Success && within(t.Paid) {
			lines = append(lines, billLine{at: t.Paid, trade: t, settled: t.Amount})
		}
	}
	for _, no := range s.refundNumbers {
		if r := s.refunds[no]; within(r.Created) {
			lines = append(lines, billLine{at: r.Created, trade: s.trades[r.OutTradeNo], refund: &r, back: r.Amount})
		}
	}
	slices.SortStableFunc(lines, func(a, b billLine) int { return cmp.Compare(a.at.UnixNano(), b.at.UnixNano()) })
	return lines
}

// writeBill returns the lines and their sums, which are wrong if miscounts is set.
func (s *Server) writeBill(lines []billLine, miscounts bool) []byte {
	var out bytes.Buffer
	out.WriteString(byteOrderMark + billHead + "\r\n")
	var settled, back int64
	for _, l := range lines {
		writeValues(&out, s.billValues(l))
		settled, back = settled+l.settled, back+l.back
	}
	if miscounts {
		settled++
	}
	out.WriteString(sumsHead + "\r\n")
	writeValues(&out, []string{strconv.Itoa(len(lines)), yuan(settled), yuan(back), yuan(0), "0.00000", yuan(settled), yuan(back)})
	return out.Bytes()
}

// billValues returns the values of a line in the order of billHead.
func (s *Server) billValues(l billLine) []string {
	t := l.trade
	state, coupon := "SUCCESS", t.Coupon
	refundID, refundNo, how, refundState := "0", "0", "", ""
	if r := l.refund; r != nil {
		state, coupon = refundedState, 0
		refundID, refundNo, how, refundState = r.ID, r.No, "ORIGINAL", refundWords[r.State].bill
	}
	return []string{
		l.at.In(beijing).Format(refundTime), t.AppID, s.cfg.MerchantID, "0", "", t.TransactionID, t.OutTradeNo, t.OpenID,
		t.TradeType, state, "OTHERS", t.Currency, yuan(l.settled), yuan(coupon), refundID, refundNo, yuan(l.back), yuan(0),
		how, refundState, t.Body, t.Attach, "0.00000", "0.00%", yuan(l.settled), yuan(l.back), "",
	}
}

// inBill replaces what would end a value or a line. The wallet documents no escapes.
var inBill = strings.NewReplacer(",", " ", "`", " ", `"`, " ", "\r", " ", "\n", " ")

// writeValues writes a line. Each value begins with a back-tick.
func writeValues(out *bytes.Buffer, values []string) {
	for i, value := range values {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString("`" + inBill.Replace(value))
	}
	out.WriteString("\r\n")
}

// yuan writes an amount with two decimals.
func yuan(fen int64) string { return fmt.Sprintf("%d.%02d", fen/100, fen%100) }

// packed compresses the text if the request asks for it.
func (r *request) packed(text []byte) ([]byte, error) {
	if r.asked["tar_type"] == "" {
		return text, nil
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, err := zip.Write(text)
	err = errors.Join(err, zip.Close())
	return out.Bytes(), err
}
