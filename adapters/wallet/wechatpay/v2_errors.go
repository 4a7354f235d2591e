package wechatpay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plaza/domain/payment"
)

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
