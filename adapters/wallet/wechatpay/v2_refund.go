package wechatpay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"plaza/domain/payment"
)

// Refund implements payment.Gateway. The answer says only that the wallet has taken the refund in.
func (g *V2) Refund(ctx context.Context, r payment.RefundRequest) (payment.RefundReport, error) {
	if g.refunds == nil {
		return payment.RefundReport{}, payment.ErrRefundsOff
	}
	m, err := g.refundFields(r.App, r.No)
	if err != nil {
		return payment.RefundReport{}, err
	}
	m["transaction_id"] = r.TransactionID
	m["refund_fee"], m["total_fee"] = strconv.FormatInt(r.Amount, 10), strconv.FormatInt(r.Total, 10)
	m["refund_fee_type"] = r.Currency
	m["refund_desc"] = printable(r.Reason)
	m["notify_url"] = g.refunded
	m.sign(g.key)
	reply, err := g.send(ctx, *g.refunds, "/secapi/pay/refund", m, m.encode(), refundRefusals)
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("refunding a wallet payment: %w", err)
	}
	if reply["refund_id"] == "" {
		return badRefund(errors.New("no refund id"))
	}
	return refundReportV2(reply, "", r.No, processing)
}

func (g *V2) QueryRefund(ctx context.Context, app payment.WalletApp, no payment.RefundNo) (payment.RefundReport, error) {
	m, err := g.refundFields(app, no)
	if err != nil {
		return payment.RefundReport{}, err
	}
	m.sign(g.key)
	reply, err := g.send(ctx, g.transport, "/pay/refundquery", m, m.encode(), refundQueryRefusals)
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("querying a wallet refund: %w", err)
	}
	return refundReportV2(reply, "_0", no, reply["refund_status_0"])
}

// refundFields returns the common fields of a request about a refund. The wallet knows a payment by the merchant, so any
// application of the merchant does if that of the payment is unknown.
func (g *V2) refundFields(app payment.WalletApp, no payment.RefundNo) (xmlMessage, error) {
	id, err := g.appID(app)
	if app == "" {
		id, err = g.anyAppID(), nil
	}
	if err != nil {
		return nil, err
	}
	if err := g.checkRefundNo(no); err != nil {
		return nil, err
	}
	return xmlMessage{"appid": id, "mch_id": g.merchant, "out_refund_no": string(no), "nonce_str": g.nonce()}, nil
}

// anyAppID returns the id of an application of the merchant.
func (g *V2) anyAppID() string {
	return cmp.Or(g.appIDs[payment.OfficialAccount], g.appIDs[payment.SvcIOSApp])
}

// processing is the state of a refund that the wallet has taken in.
const processing = "PROCESSING"

var refundFormV2 = refundForm{layout: time.DateTime, states: map[string]payment.RefundState{
	processing: payment.RefundProcessing, "SUCCESS": payment.RefundSucceeded,
	"REFUNDCLOSE": payment.RefundClosed, "CHANGE": payment.RefundAbnormal,
}}

// refundReportV2 reads a refund. An answer to a query has an index behind the names of its fields.
func refundReportV2(reply xmlMessage, index string, no payment.RefundNo, state string) (payment.RefundReport, error) {
	amount, err := amountOf(reply["refund_fee"+index])
	if err != nil {
		return badRefund(err)
	}
	return refundFormV2.report(payment.RefundReport{
		No: payment.RefundNo(reply["out_refund_no"+index]), WalletID: reply["refund_id"+index], TransactionID: reply["transaction_id"],
		Amount: amount, Currency: cmp.Or(reply["refund_fee_type"+index], reply["refund_fee_type"], reply["fee_type"]),
	}, no, state, reply["refund_success_time"+index])
}
