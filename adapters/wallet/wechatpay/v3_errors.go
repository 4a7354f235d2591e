package wechatpay

import (
	"cmp"
	"fmt"
	"net/http"

	"plaza/domain/payment"
)

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
