package wechatpay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
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
	reply, err := g.send(ctx, *g.refunds, "/secapi/pay/refund", m, m.encode(), refundRefusalsV2)
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("refunding a wallet payment: %w", err)
	}
	report, err := refundReportV2(reply, "", r.No)
	if err == nil && report.WalletID == "" {
		err = errors.New("no refund id")
	}
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("refunding a wallet payment: %w: %w", payment.ErrWalletBadResponse, err)
	}
	return report, nil
}

// QueryRefund implements payment.Gateway.
func (g *V2) QueryRefund(ctx context.Context, app payment.WalletApp, no payment.RefundNo) (payment.RefundReport, error) {
	m, err := g.refundFields(app, no)
	if err != nil {
		return payment.RefundReport{}, err
	}
	m.sign(g.key)
	reply, err := g.send(ctx, g.transport, "/pay/refundquery", m, m.encode(), refundQueryRefusalsV2)
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("querying a wallet refund: %w", err)
	}
	report, err := refundReportV2(reply, "_0", no)
	if err == nil {
		err = readOutcome(reply, &report)
	}
	if err != nil {
		return payment.RefundReport{}, fmt.Errorf("querying a wallet refund: %w: %w", payment.ErrWalletBadResponse, err)
	}
	return report, nil
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

// refundReport reads a refund that is processing. An answer to a query has an index behind the names of its fields.
func refundReportV2(reply xmlMessage, index string, no payment.RefundNo) (payment.RefundReport, error) {
	if reply["out_refund_no"+index] != string(no) {
		return payment.RefundReport{}, errors.New("another refund's number")
	}
	amount := reply["refund_fee"+index]
	fee, err := strconv.ParseInt(amount, 10, 64)
	if err != nil || strings.Trim(amount, digits) != "" {
		return payment.RefundReport{}, errors.New("no amount")
	}
	return payment.RefundReport{
		No: no, WalletID: reply["refund_id"+index], TransactionID: reply["transaction_id"], State: payment.RefundProcessing, Amount: fee,
		Currency: cmp.Or(reply["refund_fee_type"+index], reply["refund_fee_type"], reply["fee_type"], payment.CNY), // the protocol's default
	}, nil
}

// refundTime is the form of a refund's time.
const refundTime = "2006-01-02 15:04:05"

// readOutcome reads the state of the refund from an answer to a query.
func readOutcome(reply xmlMessage, r *payment.RefundReport) (err error) {
	switch reply["refund_status_0"] {
	case "SUCCESS":
		r.State = payment.RefundSucceeded
		r.Succeeded, err = time.ParseInLocation(refundTime, reply["refund_success_time_0"], beijing)
		r.Succeeded = r.Succeeded.UTC()
		if err != nil {
			return errors.New("no time of refund")
		}
	case "PROCESSING":
	case "REFUNDCLOSE":
		r.State = payment.RefundClosed
	case "CHANGE":
		r.State = payment.RefundAbnormal
	default:
		return errors.New("unknown refund state")
	}
	return nil
}
