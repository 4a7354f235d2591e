package wechatpay

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"plaza/domain/payment"
)

// refundForm is how a version writes the state of a refund.
type refundForm struct {
	states map[string]payment.RefundState
	layout string // of times; Beijing's if they have no zone
}

// report returns the refund with the state and the time of its success, which are texts of the wallet. It fails if the
// number is not the one that was asked for.
func (f refundForm) report(r payment.RefundReport, asked payment.RefundNo, state, succeeded string) (payment.RefundReport, error) {
	r.State = f.states[state]
	r.Currency = cmp.Or(r.Currency, payment.CNY) // the protocol's default
	switch {
	case r.No != asked:
		return badRefund(errors.New("another refund's number"))
	case r.State == "":
		return badRefund(errors.New("unknown refund state"))
	case r.State != payment.RefundSucceeded:
		return r, nil
	}
	at, err := time.ParseInLocation(f.layout, succeeded, beijing)
	if err != nil {
		return badRefund(errors.New("no time of the refund"))
	}
	r.Succeeded = at.UTC()
	return r, nil
}

func badRefund(err error) (payment.RefundReport, error) {
	return payment.RefundReport{}, fmt.Errorf("reading a wallet refund: %w: %w", payment.ErrWalletBadResponse, err)
}
