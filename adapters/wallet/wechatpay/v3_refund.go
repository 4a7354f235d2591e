package wechatpay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

const refundPath = "/v3/refund/domestic/refunds"

// refundRuleBroken is the wallet's code for a request that is well-formed and breaks a rule: another amount under the
// same number, more than is left of the payment, or a payment of more than a year ago. Only its message tells which.
const refundRuleBroken = "INVALID_REQUEST"

var refundRefusalsV3 = commonCodesV3.and(map[string]*fault.Error{
	"NOT_ENOUGH":            payment.ErrMerchantFunds,
	"RESOURCE_NOT_EXISTS":   payment.ErrWalletNotFound,
	"USER_ACCOUNT_ABNORMAL": payment.ErrWalletRefused,
	refundRuleBroken:        payment.ErrRefundTooMuch,
})

var refundQueryRefusalsV3 = commonCodesV3.and(map[string]*fault.Error{
	"RESOURCE_NOT_EXISTS": payment.ErrRefundNotFound,
})

type refundBody struct {
	TransactionID string           `json:"transaction_id"`
	OutRefundNo   string           `json:"out_refund_no"`
	Reason        string           `json:"reason,omitempty"`
	NotifyURL     string           `json:"notify_url"`
	Amount        refundAmountBody `json:"amount"`
}

type refundAmountBody struct {
	Refund   int64  `json:"refund"`
	Total    int64  `json:"total"`
	Currency string `json:"currency"`
}

// Refund implements payment.Gateway. The wallet has one code for several broken rules, so that the refund is asked for
// to tell whether its number was used before.
func (g *V3) Refund(ctx context.Context, r payment.RefundRequest) (payment.RefundReport, error) {
	if err := g.checkRefundNo(r.No); err != nil {
		return payment.RefundReport{}, err
	}
	body, err := json.Marshal(refundBody{
		TransactionID: r.TransactionID, OutRefundNo: string(r.No), Reason: printable(r.Reason), NotifyURL: g.notify,
		Amount: refundAmountBody{Refund: r.Amount, Total: r.Total, Currency: r.Currency},
	})
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("wechatpayv3: writing a request: %w", err)
	}
	reply, err := g.call(ctx, requestV3{method: http.MethodPost, target: refundPath, body: body}, http.StatusOK, refundRefusalsV3)
	if errors.Is(err, payment.ErrRefundTooMuch) {
		return g.formerRefund(ctx, r, err)
	}
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("refunding a wallet payment: %w", err)
	}
	report, err := refundReportV3(reply, r.No)
	switch {
	case err != nil:
		return payment.RefundReport{}, fmt.Errorf("refunding a wallet payment: %w: %w", payment.ErrWalletBadResponse, err)
	case !isOf(report, r):
		return payment.RefundReport{}, fmt.Errorf("refunding a wallet payment: %w", payment.ErrRefundDiffers)
	}
	return report, nil
}

// formerRefund returns the refund that was sent before under the number, ErrRefundDiffers if that is another one, or the
// refusal if the wallet does not know the number.
func (g *V3) formerRefund(ctx context.Context, r payment.RefundRequest, refusal error) (payment.RefundReport, error) {
	former, err := g.QueryRefund(ctx, r.App, r.No)
	switch {
	case errors.Is(err, payment.ErrRefundNotFound):
		return payment.RefundReport{}, fmt.Errorf("refunding a wallet payment: %w", refusal)
	case err != nil:
		return payment.RefundReport{}, fmt.Errorf("refunding a wallet payment: %w", err)
	case !isOf(former, r):
		return payment.RefundReport{}, fmt.Errorf("refunding a wallet payment: %w", payment.ErrRefundDiffers)
	}
	return former, nil
}

// isOf reports whether the refund is the requested one.
func isOf(report payment.RefundReport, r payment.RefundRequest) bool {
	return report.TransactionID == r.TransactionID && report.Amount == r.Amount && report.Currency == r.Currency
}

// QueryRefund implements payment.Gateway.
func (g *V3) QueryRefund(ctx context.Context, app payment.WalletApp, no payment.RefundNo) (payment.RefundReport, error) {
	if err := g.checkRefundNo(no); err != nil {
		return payment.RefundReport{}, err
	}
	q := requestV3{method: http.MethodGet, target: refundPath + "/" + url.PathEscape(string(no))}
	reply, err := g.call(ctx, q, http.StatusOK, refundQueryRefusalsV3)
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("querying a refund: %w", err)
	}
	report, err := refundReportV3(reply, no)
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("querying a refund: %w: %w", payment.ErrWalletBadResponse, err)
	}
	return report, nil
}

var refundStatesV3 = map[string]payment.RefundState{
	"PROCESSING": payment.RefundProcessing, "SUCCESS": payment.RefundSucceeded, "CLOSED": payment.RefundClosed, "ABNORMAL": payment.RefundAbnormal,
}

// refundReport reads the state of a refund.
func refundReportV3(reply jsonObject, no payment.RefundNo) (payment.RefundReport, error) {
	amount := reply.object("amount")
	refund, err := amount.amount("refund")
	if err != nil {
		return payment.RefundReport{}, err
	}
	r := payment.RefundReport{
		No: no, WalletID: reply.text("refund_id"), TransactionID: reply.text("transaction_id"),
		State: refundStatesV3[reply.text("status")], Amount: refund, Currency: amount.text("currency"),
	}
	switch {
	case reply.text("out_refund_no") != string(no):
		return payment.RefundReport{}, errors.New("another refund's number")
	case r.WalletID == "" || r.TransactionID == "":
		return payment.RefundReport{}, errors.New("no refund id or no transaction id")
	case r.State == "":
		return payment.RefundReport{}, errors.New("unknown refund state")
	case r.Currency == "":
		r.Currency = payment.CNY // the protocol's default
	}
	if r.State == payment.RefundSucceeded {
		at, err := time.Parse(time.RFC3339, reply.text("success_time"))
		if err != nil {
			return payment.RefundReport{}, errors.New("no time of the refund")
		}
		r.Succeeded = at.UTC()
	}
	return r, nil
}
