package wechatpay

import (
	"errors"
	"fmt"
	"strings"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// Return and result codes of an answer.
const (
	success = "SUCCESS"
	failure = "FAIL"
)

// systemError is the wallet's code for an unknown result.
const systemError = "SYSTEMERROR"

// refusals maps the wallet's codes to faults, for one kind of request.
type refusalsV2 struct {
	codes map[string]*fault.Error
	// rest is the fault for all other codes. Without it, an unknown code leaves open whether
	// the wallet executed the request.
	rest *fault.Error
}

var orderRefusalsV2 = refusalsV2{codes: withCommonCodesV2(map[string]*fault.Error{
	"ORDERPAID":         payment.ErrWalletPaid,
	"ORDERCLOSED":       payment.ErrWalletClosed,
	"OUT_TRADE_NO_USED": payment.ErrWalletOtherOrder,
	"INVALID_REQUEST":   payment.ErrWalletOtherOrder,
	"NOTENOUGH":         payment.ErrInsufficientFunds,
})}

var queryRefusalsV2 = refusalsV2{codes: withCommonCodesV2(map[string]*fault.Error{
	"ORDERNOTEXIST": payment.ErrWalletNotFound,
})}

var closeRefusalsV2 = refusalsV2{
	codes: map[string]*fault.Error{
		"ORDERPAID":     payment.ErrWalletPaid,
		"ORDERCLOSED":   payment.ErrWalletClosed,
		"ORDERNOTEXIST": payment.ErrWalletNotFound,
	},
	rest: payment.ErrWalletNotClosed,
}

// refundRefusals: a payment is refunded under the same number any number of times, so ErrRefundDiffers tells that
// the number was another one's.
var refundRefusalsV2 = refusalsV2{codes: withCommonCodesV2(map[string]*fault.Error{
	"REFUND_FEE_MISMATCH":   payment.ErrRefundDiffers,
	"INVALID_REQUEST":       payment.ErrRefundTooMuch,
	"TRADE_OVERDUE":         payment.ErrRefundTooMuch,
	"NOTENOUGH":             payment.ErrMerchantFunds,
	"ORDERNOTEXIST":         payment.ErrWalletNotFound,
	"INVALID_TRANSACTIONID": payment.ErrWalletNotFound,
	"INVALID_REQ_TOO_MUCH":  payment.ErrWalletBusy,
	"CERT_ERROR":            payment.ErrWalletRefused,
})}

var refundQueryRefusalsV2 = refusalsV2{codes: withCommonCodesV2(map[string]*fault.Error{
	"REFUNDNOTEXIST": payment.ErrRefundNotFound,
})}

// withCommonCodes adds the codes that refuse any kind of request.
func withCommonCodesV2(codes map[string]*fault.Error) map[string]*fault.Error {
	for _, code := range []string{
		"NOAUTH", "APPID_NOT_EXIST", "MCHID_NOT_EXIST", "APPID_MCHID_NOT_MATCH", "SIGNERROR", "LACK_PARAMS", "PARAM_ERROR",
		"XML_FORMAT_ERROR", "POST_DATA_EMPTY", "REQUIRE_POST_METHOD", "NOT_UTF8",
	} {
		codes[code] = payment.ErrWalletRefused
	}
	codes["FREQUENCY_LIMITED"] = payment.ErrWalletBusy
	return codes
}

// errorOf returns the error for the code of a signed answer.
func (r refusalsV2) errorOf(code string) error {
	if code == systemError {
		return fmt.Errorf("%w: the wallet says %s", payment.ErrWalletTimeout, systemError)
	}
	if f, known := r.codes[code]; known {
		return fmt.Errorf("%w: the wallet says %s", f, code)
	}
	f := r.rest
	if f == nil {
		f = payment.ErrWalletBadResponse
	}
	if code == "" || len(code) >= keyLength || strings.Trim(code, capitals+"_") != "" {
		code = "something odd"
	}
	return fmt.Errorf("%w: the wallet says %s", f, code)
}

// errorOfMessage returns the error for an answer from before the wallet processed the request.
// Such an answer has neither a signature nor a code.
func (r refusalsV2) errorOfMessage(text string) error {
	for _, sign := range []string{"系统", "SYSTEM", "system"} {
		if strings.Contains(text, sign) {
			return fmt.Errorf("%w: the wallet reports a system error", payment.ErrWalletTimeout)
		}
	}
	f := r.rest
	if f == nil {
		f = payment.ErrWalletRefused
	}
	return fmt.Errorf("%w: the wallet rejected the request%s", f, hint(text))
}

// hint returns the topic of an unsigned message. The message itself may contain secrets.
func hint(text string) string {
	for _, h := range []struct{ sign, about string }{
		{"签名", "signature"}, {"appid", "appid"}, {"mch_id", "mch_id"}, {"XML", "XML"}, {"参数", "parameters"},
	} {
		if strings.Contains(text, h.sign) {
			return ": something about its " + h.about
		}
	}
	return ""
}

// tellsState reports whether the error, after a try that may have succeeded, tells the state of
// the payment. A later refusal says nothing about the earlier try.
func tellsState(err error) bool {
	for _, f := range []error{payment.ErrWalletPaid, payment.ErrWalletClosed, payment.ErrWalletNotFound, payment.ErrWalletOtherOrder, payment.ErrRefundNotFound} {
		if errors.Is(err, f) {
			return true
		}
	}
	return false
}
