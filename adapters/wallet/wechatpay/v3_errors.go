package wechatpay

import (
	"cmp"
	"fmt"
	"net/http"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// commonCodesV3 refuse any kind of request.
var commonCodesV3 = commonCodes{
	refused: []string{"SIGN_ERROR", "NO_AUTH", "APPID_MCHID_NOT_MATCH", "MCH_NOT_EXISTS", "PARAM_ERROR"},
	busy:    []string{"FREQUENCY_LIMITED", "RATELIMIT_EXCEEDED"},
}

var orderRefusalsV3 = commonCodesV3.and(map[string]*fault.Error{
	"ORDERPAID":         payment.ErrWalletPaid,
	"ORDER_PAID":        payment.ErrWalletPaid,
	"ORDER_CLOSED":      payment.ErrWalletClosed,
	"OUT_TRADE_NO_USED": payment.ErrWalletOtherOrder,
	"INVALID_REQUEST":   payment.ErrWalletOtherOrder,
	"NOT_ENOUGH":        payment.ErrInsufficientFunds,
})

var queryRefusalsV3 = commonCodesV3.and(map[string]*fault.Error{
	"ORDER_NOT_EXIST": payment.ErrWalletNotFound,
	"ORDERNOTEXIST":   payment.ErrWalletNotFound,
})

var closeRefusalsV3 = refusals{
	codes: map[string]*fault.Error{
		"ORDERPAID":       payment.ErrWalletPaid,
		"ORDER_PAID":      payment.ErrWalletPaid,
		"ORDER_CLOSED":    payment.ErrWalletClosed,
		"ORDER_NOT_EXIST": payment.ErrWalletNotFound,
		"ORDERNOTEXIST":   payment.ErrWalletNotFound,
	},
	rest: payment.ErrWalletNotClosed,
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

// errorOfAnswer returns the error for a signed refusal.
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
