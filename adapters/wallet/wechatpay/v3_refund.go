package wechatpay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"plaza/domain/payment"
)

const refundPath = "/v3/refund/domestic/refunds"

type refundBody struct {
	TransactionID string `json:"transaction_id"`
	OutRefundNo   string `json:"out_refund_no"`
	Reason        string `json:"reason,omitempty"`
	NotifyURL     string `json:"notify_url"`
	Amount        struct {
		Refund   int64  `json:"refund"`
		Total    int64  `json:"total"`
		Currency string `json:"currency"`
	} `json:"amount"`
}

// Refund implements payment.Gateway. The wallet has one code for several broken rules, so that the refund is asked for
// to tell whether its number was used before.
func (g *V3) Refund(ctx context.Context, r payment.RefundRequest) (payment.RefundReport, error) {
	if err := g.checkRefundNo(r.No); err != nil {
		return payment.RefundReport{}, err
	}
	body := refundBody{TransactionID: r.TransactionID, OutRefundNo: string(r.No), Reason: printable(r.Reason), NotifyURL: g.notify}
	body.Amount.Refund, body.Amount.Total, body.Amount.Currency = r.Amount, r.Total, r.Currency
	reply, refusal := g.post(ctx, refundPath, body, http.StatusOK, refundRefusals)
	var report payment.RefundReport
	err := refusal
	switch {
	case refusal == nil:
		report, err = refundReportV3(reply, r.No)
	case errors.Is(refusal, payment.ErrRefundTooMuch):
		if report, err = g.QueryRefund(ctx, r.App, r.No); errors.Is(err, payment.ErrRefundNotFound) {
			err = refusal
		}
	}
	if err == nil && (report.TransactionID != r.TransactionID || report.Amount != r.Amount || report.Currency != r.Currency) {
		err = payment.ErrRefundDiffers
	}
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("refunding a wallet payment: %w", err)
	}
	return report, nil
}

func (g *V3) QueryRefund(ctx context.Context, app payment.WalletApp, no payment.RefundNo) (payment.RefundReport, error) {
	if err := g.checkRefundNo(no); err != nil {
		return payment.RefundReport{}, err
	}
	reply, err := g.get(ctx, refundPath+"/"+url.PathEscape(string(no)), refundQueryRefusals)
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("querying a refund: %w", err)
	}
	return refundReportV3(reply, no)
}

var refundFormV3 = refundForm{layout: time.RFC3339, states: map[string]payment.RefundState{
	processing: payment.RefundProcessing, "SUCCESS": payment.RefundSucceeded,
	"CLOSED": payment.RefundClosed, "ABNORMAL": payment.RefundAbnormal,
}}

// refundReportV3 reads a refund.
func refundReportV3(reply jsonObject, no payment.RefundNo) (payment.RefundReport, error) {
	amount := reply.object("amount")
	refund, err := amount.amount("refund")
	if err != nil {
		return badRefund(err)
	}
	r := payment.RefundReport{
		No: payment.RefundNo(reply.text("out_refund_no")), WalletID: reply.text("refund_id"), TransactionID: reply.text("transaction_id"),
		Amount: refund, Currency: amount.text("currency"),
	}
	if r.WalletID == "" || r.TransactionID == "" {
		return badRefund(errors.New("no refund id or no transaction id"))
	}
	return refundFormV3.report(r, no, reply.text("status"), reply.text("success_time"))
}
