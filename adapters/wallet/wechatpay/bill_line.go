package wechatpay

import (
	"errors"
	"time"

	"plaza/domain/payment"
	"plaza/domain/text"
)

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
