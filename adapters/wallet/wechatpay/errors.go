package wechatpay

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

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

// Return and result codes of an answer.
const (
	success = "SUCCESS"
	failure = "FAIL"
)

// systemError is the wallet's code for an unknown result.
const systemError = "SYSTEMERROR"

// errorOf returns the error for the code of a signed answer.
func (r refusals) errorOf(code string) error {
	if code == systemError {
		return fmt.Errorf("%w: the wallet says %s", payment.ErrWalletTimeout, systemError)
	}
	return fmt.Errorf("%w: the wallet says %s", r.faultOf(code, payment.ErrWalletBadResponse), shownCode(code))
}

// errorOfMessage returns the error for an answer from before the wallet processed the request.
// Such an answer has neither a signature nor a code.
func (r refusals) errorOfMessage(text string) error {
	for _, sign := range []string{"系统", "SYSTEM", "system"} {
		if strings.Contains(text, sign) {
			return fmt.Errorf("%w: the wallet reports a system error", payment.ErrWalletTimeout)
		}
	}
	return fmt.Errorf("%w: the wallet rejected the request%s", cmp.Or(r.rest, payment.ErrWalletRefused), hint(text))
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
	return slices.ContainsFunc([]error{
		payment.ErrWalletPaid, payment.ErrWalletClosed, payment.ErrWalletNotFound, payment.ErrWalletOtherOrder, payment.ErrRefundNotFound,
	}, func(f error) bool { return errors.Is(err, f) })
}

// unauthorised returns the error for an answer without a signature that refuses that of the request: the wallet signs no
// answer to a caller that it does not know.
func (g *V3) unauthorised(a answerV3, r refusals) error {
	f := payment.ErrWalletBadResponse
	if a.code() == "SIGN_ERROR" {
		f = cmp.Or(r.rest, payment.ErrWalletRefused)
	}
	return fmt.Errorf("%w: the wallet rejects the signature%s: check the clock, the private key and the serial number",
		f, a.clockHint(g.now()))
}

func (r refusals) errorOfAnswer(a answerV3) error {
	unknown := payment.ErrWalletBadResponse
	if a.status == http.StatusTooManyRequests {
		unknown = payment.ErrWalletBusy
	}
	code := a.code()
	return fmt.Errorf("%w: the wallet says %s with status %d", r.faultOf(code, unknown), shownCode(code), a.status)
}

// code returns the code of a refusal, or "".
func (a answerV3) code() string {
	found, _ := parseObject(a.body) // nil if it fails
	return found.text("code")
}
