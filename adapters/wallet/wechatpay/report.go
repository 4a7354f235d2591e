package wechatpay

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"plaza/domain/payment"
)

// reply is a message of the wallet about a payment, in either version.
type reply interface {
	// text returns the text with the name, or "". The versions have most names in common.
	text(name string) string
	// paid returns what the versions write differently of a completed payment.
	paid() (amount int64, currency string, at time.Time, err error)
}

// report reads the answer to a query. The fields depend on the state; an unpaid payment has
// neither an amount nor a transaction.
func (g *gateway) report(r reply, no payment.TradeNo) (report payment.Report, err error) {
	switch r.text("trade_state") {
	case "SUCCESS", "REFUND":
		report.State = payment.WalletPaid
		report.Receipt, err = g.receipt(r)
	case "CLOSED", "REVOKED":
		report.State = payment.WalletClosed
	case "NOTPAY", "USERPAYING", "PAYERROR":
		report.State = payment.WalletUnpaid
	default:
		err = errors.New("unknown trade state")
	}
	if r.text("out_trade_no") != string(no) {
		err = errors.New("another payment's trade number")
	}
	if err != nil {
		return payment.Report{}, fmt.Errorf("querying a wallet payment: %w: %w", payment.ErrWalletBadResponse, err)
	}
	return report, nil
}

// receipt reads a completed payment. Its amount is what the order is worth: a payer with coupons pays less. The
// application is empty if it is not configured; the caller judges that.
func (g *gateway) receipt(r reply) (payment.Receipt, error) {
	amount, currency, at, err := r.paid()
	if err != nil {
		return payment.Receipt{}, err
	}
	receipt := payment.Receipt{
		TransactionID: r.text("transaction_id"), TradeNo: payment.TradeNo(r.text("out_trade_no")), App: g.apps[r.text("appid")],
		Amount: amount, Currency: cmp.Or(currency, payment.CNY), // the protocol's default
		Paid: at.UTC(), Refunded: r.text("trade_state") == "REFUND",
	}
	if receipt.TransactionID == "" || receipt.TradeNo == "" {
		return payment.Receipt{}, errors.New("no transaction id")
	}
	return receipt, nil
}

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
