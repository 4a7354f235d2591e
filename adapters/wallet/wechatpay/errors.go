package wechatpay

import (
	"cmp"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// refusals maps the wallet's codes to faults, for one kind of request.
type refusals struct {
	codes map[string]*fault.Error
	// rest is the fault for all other codes. Without it, an unknown code leaves open whether
	// the wallet executed the request.
	rest *fault.Error
}

// faultOf returns the fault for the code, or the other one if the table says nothing of it.
func (r refusals) faultOf(code string, other *fault.Error) *fault.Error {
	return cmp.Or(r.codes[code], r.rest, other)
}

// refusalsOf returns a table with the codes that refuse any kind of request, and more. It has the codes of both versions,
// which spell some differently. A code that both have means the same.
func refusalsOf(codes map[string]*fault.Error) refusals {
	for _, code := range []string{
		"NOAUTH", "NO_AUTH", "APPID_NOT_EXIST", "MCHID_NOT_EXIST", "MCH_NOT_EXISTS", "APPID_MCHID_NOT_MATCH", "SIGNERROR", "SIGN_ERROR",
		"LACK_PARAMS", "PARAM_ERROR", "XML_FORMAT_ERROR", "POST_DATA_EMPTY", "REQUIRE_POST_METHOD", "NOT_UTF8",
	} {
		codes[code] = payment.ErrWalletRefused
	}
	for _, code := range []string{"FREQUENCY_LIMITED", "RATELIMIT_EXCEEDED"} {
		codes[code] = payment.ErrWalletBusy
	}
	return refusals{codes: codes}
}

var orderRefusals = refusalsOf(map[string]*fault.Error{
	"ORDERPAID":         payment.ErrWalletPaid,
	"ORDER_PAID":        payment.ErrWalletPaid,
	"ORDERCLOSED":       payment.ErrWalletClosed,
	"ORDER_CLOSED":      payment.ErrWalletClosed,
	"OUT_TRADE_NO_USED": payment.ErrWalletOtherOrder,
	"INVALID_REQUEST":   payment.ErrWalletOtherOrder,
	"NOTENOUGH":         payment.ErrInsufficientFunds,
	"NOT_ENOUGH":        payment.ErrInsufficientFunds,
})

var queryRefusals = refusalsOf(map[string]*fault.Error{
	"ORDERNOTEXIST":   payment.ErrWalletNotFound,
	"ORDER_NOT_EXIST": payment.ErrWalletNotFound,
})

var closeRefusals = refusals{
	codes: map[string]*fault.Error{
		"ORDERPAID":       payment.ErrWalletPaid,
		"ORDER_PAID":      payment.ErrWalletPaid,
		"ORDERCLOSED":     payment.ErrWalletClosed,
		"ORDER_CLOSED":    payment.ErrWalletClosed,
		"ORDERNOTEXIST":   payment.ErrWalletNotFound,
		"ORDER_NOT_EXIST": payment.ErrWalletNotFound,
	},
	rest: payment.ErrWalletNotClosed,
}

// refundRefusals: version 2 refunds under the same number any number of times, so ErrRefundDiffers tells that the number
// was another refund's. Version 3 has INVALID_REQUEST for that too, and only its message tells.
var refundRefusals = refusalsOf(map[string]*fault.Error{
	"REFUND_FEE_MISMATCH":   payment.ErrRefundDiffers,
	"INVALID_REQUEST":       payment.ErrRefundTooMuch,
	"TRADE_OVERDUE":         payment.ErrRefundTooMuch,
	"NOTENOUGH":             payment.ErrMerchantFunds,
	"NOT_ENOUGH":            payment.ErrMerchantFunds,
	"ORDERNOTEXIST":         payment.ErrWalletNotFound,
	"INVALID_TRANSACTIONID": payment.ErrWalletNotFound,
	"RESOURCE_NOT_EXISTS":   payment.ErrWalletNotFound,
	"INVALID_REQ_TOO_MUCH":  payment.ErrWalletBusy,
	"CERT_ERROR":            payment.ErrWalletRefused,
	"USER_ACCOUNT_ABNORMAL": payment.ErrWalletRefused,
})

var refundQueryRefusals = refusalsOf(map[string]*fault.Error{
	"REFUNDNOTEXIST":      payment.ErrRefundNotFound,
	"RESOURCE_NOT_EXISTS": payment.ErrRefundNotFound,
})

// shownCode returns the code as errors show it. Texts that are no codes may contain secrets.
func shownCode(code string) string {
	if consists(code, 31, capitals+"_") {
		return code
	}
	return "something odd"
}
