package wechatpay

import (
	"context"
	"fmt"
	"net/http"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// refusals maps the wallet's codes to faults, for one kind of request.
type refusalsV3 struct {
	codes map[string]*fault.Error
	// rest is the fault for all other refusals. Without it, an unknown code leaves open whether
	// the wallet executed the request.
	rest *fault.Error
}

var orderRefusalsV3 = refusalsV3{codes: withCommonCodesV3(map[string]*fault.Error{
	"ORDERPAID":         payment.ErrWalletPaid,
	"ORDER_PAID":        payment.ErrWalletPaid,
	"ORDER_CLOSED":      payment.ErrWalletClosed,
	"OUT_TRADE_NO_USED": payment.ErrWalletOtherOrder,
	"INVALID_REQUEST":   payment.ErrWalletOtherOrder,
	"NOT_ENOUGH":        payment.ErrInsufficientFunds,
})}

var queryRefusalsV3 = refusalsV3{codes: withCommonCodesV3(map[string]*fault.Error{
	"ORDER_NOT_EXIST": payment.ErrWalletNotFound,
	"ORDERNOTEXIST":   payment.ErrWalletNotFound,
})}

var closeRefusalsV3 = refusalsV3{
	codes: map[string]*fault.Error{
		"ORDERPAID":       payment.ErrWalletPaid,
		"ORDER_PAID":      payment.ErrWalletPaid,
		"ORDER_CLOSED":    payment.ErrWalletClosed,
		"ORDER_NOT_EXIST": payment.ErrWalletNotFound,
		"ORDERNOTEXIST":   payment.ErrWalletNotFound,
	},
	rest: payment.ErrWalletNotClosed,
}

// withCommonCodes adds the codes that refuse any kind of request.
func withCommonCodesV3(codes map[string]*fault.Error) map[string]*fault.Error {
	for _, code := range []string{
		"SIGN_ERROR", "NO_AUTH", "APPID_MCHID_NOT_MATCH", "MCH_NOT_EXISTS", "PARAM_ERROR",
	} {
		codes[code] = payment.ErrWalletRefused
	}
	for _, code := range []string{"FREQUENCY_LIMITED", "RATELIMIT_EXCEEDED"} {
		codes[code] = payment.ErrWalletBusy
	}
	return codes
}

// call sends the request and returns the wallet's answer if it has the expected status and is signed. The answer to a
// request that expects status 204 is empty.
func (g *V3) call(ctx context.Context, q requestV3, status int, r refusalsV3) (jsonObject, error) {
	ctx, cancel := context.WithTimeout(ctx, g.transport.deadline)
	defer cancel()
	a, err := g.exchange(ctx, q)
	if err != nil {
		return nil, err
	}
	if a.status >= http.StatusInternalServerError {
		return nil, fmt.Errorf("%w: status %d", payment.ErrWalletBadResponse, a.status)
	}
	if a.isUnsigned() && a.status == http.StatusUnauthorized {
		return nil, g.unauthorised(a, r)
	}
	if _, err := verify(ctx, a.signedMessage, g.now(), g.keys.find); err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%w: %w", payment.ErrWalletTimeout, err)
		}
		return nil, fmt.Errorf("%w: status %d: %w", payment.ErrWalletBadResponse, a.status, err)
	}
	switch {
	case a.status >= http.StatusBadRequest:
		return nil, r.errorOf(a)
	case a.status != status:
		return nil, fmt.Errorf("%w: status %d", payment.ErrWalletBadResponse, a.status)
	case status == http.StatusNoContent:
		return nil, nil
	}
	found, err := parseObject(a.body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", payment.ErrWalletBadResponse, err)
	}
	return found, nil
}

// unauthorised returns the error for an answer without a signature that refuses that of the request: the wallet signs no
// answer to a caller that it does not know.
func (g *V3) unauthorised(a answerV3, r refusalsV3) error {
	f := payment.ErrWalletBadResponse
	if a.code() == "SIGN_ERROR" {
		f = payment.ErrWalletRefused
		if r.rest != nil {
			f = r.rest
		}
	}
	return fmt.Errorf("%w: the wallet rejects the signature%s: check the clock, the private key and the serial number",
		f, a.clockHint(g.now()))
}

// errorOf returns the error for a signed refusal.
func (r refusalsV3) errorOf(a answerV3) error {
	code := a.code()
	f, known := r.codes[code]
	switch {
	case known:
	case r.rest != nil:
		f = r.rest
	case a.status == http.StatusTooManyRequests:
		f = payment.ErrWalletBusy
	default:
		f = payment.ErrWalletBadResponse
	}
	return fmt.Errorf("%w: the wallet says %s with status %d", f, code, a.status)
}

// code returns the code of a refusal, or a hint if it has none that can be shown: other texts may contain secrets.
func (a answerV3) code() string {
	found, err := parseObject(a.body)
	if code := found.text("code"); err == nil && consists(code, 31, capitals+"_") {
		return code
	}
	return "something odd"
}
