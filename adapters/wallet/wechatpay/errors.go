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

// commonCodes are a version's codes that refuse any kind of request.
type commonCodes struct{ refused, busy []string }

// and returns a table with the common codes and more.
func (c commonCodes) and(codes map[string]*fault.Error) refusals {
	for _, code := range c.refused {
		codes[code] = payment.ErrWalletRefused
	}
	for _, code := range c.busy {
		codes[code] = payment.ErrWalletBusy
	}
	return refusals{codes: codes}
}

// shownCode returns the code as errors show it. Texts that are no codes may contain secrets.
func shownCode(code string) string {
	if consists(code, 31, capitals+"_") {
		return code
	}
	return "something odd"
}
