package wechatpay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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

// commonCodesV2 refuse any kind of request.
var commonCodesV2 = commonCodes{
	refused: []string{
		"NOAUTH", "APPID_NOT_EXIST", "MCHID_NOT_EXIST", "APPID_MCHID_NOT_MATCH", "SIGNERROR", "LACK_PARAMS", "PARAM_ERROR",
		"XML_FORMAT_ERROR", "POST_DATA_EMPTY", "REQUIRE_POST_METHOD", "NOT_UTF8",
	},
	busy: []string{"FREQUENCY_LIMITED"},
}

var orderRefusalsV2 = commonCodesV2.and(map[string]*fault.Error{
	"ORDERPAID":         payment.ErrWalletPaid,
	"ORDERCLOSED":       payment.ErrWalletClosed,
	"OUT_TRADE_NO_USED": payment.ErrWalletOtherOrder,
	"INVALID_REQUEST":   payment.ErrWalletOtherOrder,
	"NOTENOUGH":         payment.ErrInsufficientFunds,
})

var queryRefusalsV2 = commonCodesV2.and(map[string]*fault.Error{
	"ORDERNOTEXIST": payment.ErrWalletNotFound,
})

var closeRefusalsV2 = refusals{
	codes: map[string]*fault.Error{
		"ORDERPAID":     payment.ErrWalletPaid,
		"ORDERCLOSED":   payment.ErrWalletClosed,
		"ORDERNOTEXIST": payment.ErrWalletNotFound,
	},
	rest: payment.ErrWalletNotClosed,
}

// refundRefusals: a payment is refunded under the same number any number of times, so ErrRefundDiffers tells that
// the number was another one's.
var refundRefusalsV2 = commonCodesV2.and(map[string]*fault.Error{
	"REFUND_FEE_MISMATCH":   payment.ErrRefundDiffers,
	"INVALID_REQUEST":       payment.ErrRefundTooMuch,
	"TRADE_OVERDUE":         payment.ErrRefundTooMuch,
	"NOTENOUGH":             payment.ErrMerchantFunds,
	"ORDERNOTEXIST":         payment.ErrWalletNotFound,
	"INVALID_TRANSACTIONID": payment.ErrWalletNotFound,
	"INVALID_REQ_TOO_MUCH":  payment.ErrWalletBusy,
	"CERT_ERROR":            payment.ErrWalletRefused,
})

var refundQueryRefusalsV2 = commonCodesV2.and(map[string]*fault.Error{
	"REFUNDNOTEXIST": payment.ErrRefundNotFound,
})

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
