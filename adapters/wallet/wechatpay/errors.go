package wechatpay

import (
	"errors"
	"fmt"
	"strings"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// The codes of the layers of an answer.
const (
	success = "SUCCESS"
	failure = "FAIL"
)

// systemError is the wallet's word for not knowing itself what it did.
const systemError = "SYSTEMERROR"

// refusals say what the wallet's codes mean in answer to a request.
type refusals struct {
	codes map[string]*fault.Error
	// rest is what every other code means. Without one it means nothing that we know, and
	// so not that nothing has been done.
	rest *fault.Error
}

var ordering = refusals{codes: with(map[string]*fault.Error{
	"ORDERPAID":         payment.ErrWalletPaid,
	"ORDERCLOSED":       payment.ErrWalletClosed,
	"OUT_TRADE_NO_USED": payment.ErrWalletOtherOrder,
	"INVALID_REQUEST":   payment.ErrWalletOtherOrder,
	"NOTENOUGH":         payment.ErrInsufficientFunds,
})}

var asking = refusals{codes: with(map[string]*fault.Error{
	"ORDERNOTEXIST": payment.ErrWalletNotFound,
})}

var closing = refusals{
	codes: map[string]*fault.Error{
		"ORDERPAID":     payment.ErrWalletPaid,
		"ORDERCLOSED":   payment.ErrWalletClosed,
		"ORDERNOTEXIST": payment.ErrWalletNotFound,
	},
	rest: payment.ErrWalletNotClosed,
}

// with adds what the wallet says of whatever is not to its taste in us.
func with(codes map[string]*fault.Error) map[string]*fault.Error {
	for _, code := range []string{
		"NOAUTH", "APPID_NOT_EXIST", "MCHID_NOT_EXIST", "APPID_MCHID_NOT_MATCH", "SIGNERROR", "LACK_PARAMS", "PARAM_ERROR",
		"XML_FORMAT_ERROR", "POST_DATA_EMPTY", "REQUIRE_POST_METHOD", "NOT_UTF8",
	} {
		codes[code] = payment.ErrWalletRefused
	}
	codes["FREQUENCY_LIMITED"] = payment.ErrWalletBusy
	return codes
}

// judge returns what the code of a signed answer means.
func (r refusals) judge(code string) error {
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

// judgeMessage returns what an answer means that was given before the wallet looked at
// the request: it carries no signature, and no code either.
func (r refusals) judgeMessage(text string) error {
	for _, sign := range []string{"系统", "SYSTEM", "system"} {
		if strings.Contains(text, sign) {
			return fmt.Errorf("%w: the wallet says that it has trouble", payment.ErrWalletTimeout)
		}
	}
	f := r.rest
	if f == nil {
		f = payment.ErrWalletRefused
	}
	return fmt.Errorf("%w: the wallet does not take the request%s", f, hint(text))
}

// hint says what an unsigned message is about. The message itself may repeat what must not
// be shown.
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

// settles says whether the error, after a try that may have succeeded, tells what has
// become of the payment. That the wallet takes nothing now says nothing about before.
func settles(err error) bool {
	for _, f := range []error{payment.ErrWalletPaid, payment.ErrWalletClosed, payment.ErrWalletNotFound, payment.ErrWalletOtherOrder} {
		if errors.Is(err, f) {
			return true
		}
	}
	return false
}
