package sandbox

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"plaza/adapters/wallet/sandbox/ledger"
)

// billHead and sumsHead are the headings of a bill: of the lines, and of the line with their sums.
const (
	billHead = "交易时间,公众账号ID,商户号,特约商户号,设备号,微信订单号,商户订单号,用户标识,交易类型,交易状态,付款银行,货币种类," +
		"应结订单金额,代金券金额,微信退款单号,商户退款单号,退款金额,充值券退款金额,退款类型,退款状态,商品名称,商户数据包,手续费,费率," +
		"订单金额,申请退款金额,费率备注"
	sumsHead = "总交易单数,应结订单总金额,退款总金额,充值券退款总金额,手续费总金额,订单总金额,申请退款总金额"
)

const byteOrderMark = "\ufeff"

var billWords = map[ledger.RefundState]string{
	ledger.RefundProcessing: "PROCESSING", ledger.RefundSucceeded: "SUCCESS", ledger.RefundClosed: "FAIL", ledger.RefundAbnormal: "CHANGE",
}

// bill returns the bill of the day that the request asks for: as text, and compressed if the request asks for that. layout is
// how the version writes the day.
func (w *wallet) bill(r *request, layout string) (text, packed []byte, err error) {
	from, err := r.asked.timeOf("bill_date", layout)
	if err != nil {
		return nil, nil, err
	}
	lines, err := w.ledger.Bill(from)
	if err != nil {
		return nil, nil, err
	}
	r.trick.overstates(&lines[0].Trade, lines[0].Refund)
	if r.trick.Do == LoseLine {
		lines = lines[:len(lines)-1]
	}
	text = w.writeBill(lines, r.trick.Do == BadHash || r.trick.forges())
	if r.asked["tar_type"] == "" {
		return text, text, nil
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	_, err = zip.Write(text)
	err = errors.Join(err, zip.Close())
	return text, out.Bytes(), err
}

// writeBill returns the lines and their sums, which are wrong if miscounts is set.
func (w *wallet) writeBill(lines []ledger.BillLine, miscounts bool) []byte {
	var out bytes.Buffer
	out.WriteString(byteOrderMark + billHead + "\r\n")
	var settled, back int64
	for _, l := range lines {
		t := l.Trade
		state, paid := ledger.Success, t.Amount
		refund, how := ledger.Refund{ID: "0", No: "0"}, ""
		if l.Refund != nil {
			state, paid, refund, how = ledger.Returned, 0, *l.Refund, "ORIGINAL"
		}
		settled, back = settled+paid, back+refund.Amount
		writeValues(&out, l.At.In(ledger.Beijing).Format(time.DateTime), t.AppID, w.MerchantID, "0", "", t.TransactionID, t.OutTradeNo,
			t.OpenID, t.TradeType, string(state), "OTHERS", t.Currency, yuan(paid), yuan(0), refund.ID, refund.No, yuan(refund.Amount),
			yuan(0), how, billWords[refund.State], t.Body, t.Attach, "0.00000", "0.00%", yuan(paid), yuan(refund.Amount), "")
	}
	if miscounts {
		settled++
	}
	out.WriteString(sumsHead + "\r\n")
	writeValues(&out, strconv.Itoa(len(lines)), yuan(settled), yuan(back), yuan(0), "0.00000", yuan(settled), yuan(back))
	return out.Bytes()
}

// inBill replaces what would end a value or a line. The wallet documents no escapes.
var inBill = strings.NewReplacer(",", " ", "`", " ", `"`, " ", "\r", " ", "\n", " ")

// writeValues writes a line. Each value begins with a back-tick.
func writeValues(out *bytes.Buffer, values ...string) {
	for i, value := range values {
		values[i] = "`" + inBill.Replace(value)
	}
	out.WriteString(strings.Join(values, ",") + "\r\n")
}

// yuan writes an amount with two decimals.
func yuan(fen int64) string { return fmt.Sprintf("%d.%02d", fen/100, fen%100) }
