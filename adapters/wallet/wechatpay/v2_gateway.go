package wechatpay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"plaza/domain/payment"
)

// Gateway implements payment.Gateway. It is safe for concurrent use.
type V2 struct {
	gateway
	refunds  *transport // brings the merchant's certificate; nil: refunds are off
	refunded string     // where the wallet sends notifications of refunds
	site     string     // the site that payers come from, for browsers
	ip       string
	counts   *notificationCountsV2
}

var _ payment.Gateway = (*V2)(nil)

// NewV2 returns the gateway, or all problems of the configuration.
func NewV2(c ConfigV2) (*V2, error) {
	common, err := newGateway(nameV2, c.Config, newTransport(c.Config, func(*http.Transport) {}), c.Problems())
	if err != nil {
		return nil, err
	}
	return &V2{
		gateway: common, refunds: newRefundTransport(c), refunded: c.RefundNotifyURL, site: siteOf(c.NotifyURL),
		ip: cmp.Or(c.SpbillIP, defaultIP), counts: &notificationCountsV2{},
	}, nil
}

// Protocol implements payment.Gateway.
func (g *V2) Protocol() payment.Protocol { return payment.V2 }

// Prepare implements payment.Gateway. The signature of the request is part of it, and has no time.
func (g *V2) Prepare(ctx context.Context, request []byte) (payment.Ticket, error) {
	asked, err := parseXML(request)
	if err != nil {
		return payment.Ticket{}, fmt.Errorf("wechatpay: request not made by BuildRequest: %w", err)
	}
	reply, err := g.send(ctx, g.transport, "/pay/unifiedorder", asked, request, orderRefusalsV2)
	if err != nil {
		return payment.Ticket{}, fmt.Errorf("preparing a wallet payment: %w", err)
	}
	ticket := payment.Ticket{PrepayID: reply["prepay_id"]}
	missing := ticket.PrepayID == ""
	switch asked["trade_type"] {
	case nativeV2:
		ticket.CodeURL = reply["code_url"]
		missing = missing || ticket.CodeURL == ""
	case mwebV2:
		ticket.MWebURL = reply["mweb_url"]
		missing = missing || ticket.MWebURL == ""
	}
	if missing || reply["trade_type"] != asked["trade_type"] {
		return payment.Ticket{}, fmt.Errorf("preparing a wallet payment: %w: a ticket of another trade type", payment.ErrWalletBadResponse)
	}
	return ticket, nil
}

// Query implements payment.Gateway.
func (g *V2) Query(ctx context.Context, app payment.WalletApp, no payment.TradeNo) (payment.Report, error) {
	reply, err := g.sendAbout(ctx, "/pay/orderquery", app, no, queryRefusalsV2)
	if err != nil {
		return payment.Report{}, fmt.Errorf("querying a wallet payment: %w", err)
	}
	report, err := g.report(reply, no)
	if err != nil {
		return payment.Report{}, fmt.Errorf("querying a wallet payment: %w: %w", payment.ErrWalletBadResponse, err)
	}
	return report, nil
}

// Close implements payment.Gateway.
func (g *V2) Close(ctx context.Context, app payment.WalletApp, no payment.TradeNo) error {
	if _, err := g.sendAbout(ctx, "/pay/closeorder", app, no, closeRefusalsV2); err != nil {
		return fmt.Errorf("closing a wallet payment: %w", err)
	}
	return nil
}

// sendAbout sends a request about one payment.
func (g *V2) sendAbout(ctx context.Context, path string, app payment.WalletApp, no payment.TradeNo, r refusalsV2) (xmlMessage, error) {
	m, err := g.requestFields(app, no)
	if err != nil {
		return nil, err
	}
	m.sign(g.key)
	return g.send(ctx, g.transport, path, m, m.encode(), r)
}

// requestFields returns the common fields of a request about a payment.
func (g *V2) requestFields(app payment.WalletApp, no payment.TradeNo) (xmlMessage, error) {
	id, err := g.appID(app)
	if err != nil {
		return nil, err
	}
	if err := g.checkTradeNo(no); err != nil {
		return nil, err
	}
	return xmlMessage{"appid": id, "mch_id": g.merchant, "out_trade_no": string(no), "nonce_str": g.nonce()}, nil
}

// report reads the state of a payment. The fields depend on the state; an unpaid payment has
// few.
func (g *V2) report(reply xmlMessage, no payment.TradeNo) (payment.Report, error) {
	if reply["out_trade_no"] != string(no) {
		return payment.Report{}, errors.New("another payment's trade number")
	}
	switch state := reply["trade_state"]; state {
	case "SUCCESS", "REFUND":
		receipt, err := g.receipt(reply)
		receipt.Refunded = state == "REFUND"
		return payment.Report{State: payment.WalletPaid, Receipt: receipt}, err
	case "CLOSED", "REVOKED":
		return payment.Report{State: payment.WalletClosed}, nil
	case "NOTPAY", "USERPAYING", "PAYERROR":
		return payment.Report{State: payment.WalletUnpaid}, nil
	}
	return payment.Report{}, errors.New("unknown trade state")
}

// receipt reads a completed payment. The application is empty if it is not configured; the
// caller judges that.
func (g *V2) receipt(reply xmlMessage) (payment.Receipt, error) {
	amount := reply["total_fee"]
	fee, err := strconv.ParseInt(amount, 10, 64)
	if err != nil || strings.Trim(amount, digits) != "" {
		return payment.Receipt{}, errors.New("no amount")
	}
	paid, err := time.ParseInLocation(instantLayout, reply["time_end"], beijing)
	if err != nil {
		return payment.Receipt{}, errors.New("no time of payment")
	}
	r := payment.Receipt{
		TransactionID: reply["transaction_id"], TradeNo: payment.TradeNo(reply["out_trade_no"]), App: g.apps[reply["appid"]],
		Amount: fee, Currency: reply["fee_type"], Paid: paid.UTC(),
	}
	if r.TransactionID == "" || r.TradeNo == "" {
		return payment.Receipt{}, errors.New("no transaction id")
	}
	if r.Currency == "" {
		r.Currency = payment.CNY // the protocol's default
	}
	return r, nil
}

const instantLayout = "20060102150405"
