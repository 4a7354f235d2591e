// Package wechatpay speaks version 2 of WeChat Pay's protocol, the one whose client
// signatures have the fields of our interface.
//
// Nothing that the wallet says is believed before its signature over all that came is
// verified. Neither the key nor a signature nor a payer ever appears in an error, and
// nothing is logged here.
package wechatpay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"plaza/domain/payment"
	"plaza/domain/secret"
)

// Gateway implements payment.Gateway. Any number of goroutines may use it.
type Gateway struct {
	wire     wire
	merchant string
	key      secret.String
	appIDs   map[payment.WalletApp]string
	apps     map[string]payment.WalletApp
	notify   string
	site     string // whose payments these are, for browsers
	ip       string
	nonce    func() string
	counts   *notificationCounts
}

var _ payment.Gateway = (*Gateway)(nil)

// New returns the gateway, or all that is wrong with the configuration.
func New(c Config) (*Gateway, error) {
	if err := c.problems(); err != nil {
		return nil, err
	}
	g := &Gateway{
		wire: newWire(c), merchant: c.MerchantID, key: c.Key, notify: c.NotifyURL, site: siteOf(c.NotifyURL), ip: defaultIP,
		appIDs: map[payment.WalletApp]string{}, apps: map[string]payment.WalletApp{}, nonce: rand.Text, counts: &notificationCounts{},
	}
	if c.SpbillIP != "" {
		g.ip = c.SpbillIP
	}
	for app, id := range c.AppIDs {
		g.appIDs[app], g.apps[id] = id, app
	}
	return g, nil
}

// Prepare implements payment.Gateway.
func (g *Gateway) Prepare(ctx context.Context, request []byte) (payment.Ticket, error) {
	asked, err := parse(request)
	if err != nil {
		return payment.Ticket{}, fmt.Errorf("wechatpay: a request that Draw has not made: %w", err)
	}
	said, err := g.ask(ctx, "/pay/unifiedorder", asked, request, ordering)
	if err != nil {
		return payment.Ticket{}, fmt.Errorf("preparing a payment at the wallet: %w", err)
	}
	ticket := payment.Ticket{PrepayID: said["prepay_id"]}
	missing := ticket.PrepayID == ""
	switch asked["trade_type"] {
	case native:
		ticket.CodeURL = said["code_url"]
		missing = missing || ticket.CodeURL == ""
	case mweb:
		ticket.MWebURL = said["mweb_url"]
		missing = missing || ticket.MWebURL == ""
	}
	if missing || said["trade_type"] != asked["trade_type"] {
		return payment.Ticket{}, fmt.Errorf("preparing a payment at the wallet: %w: it gives another ticket than asked for", payment.ErrWalletBadResponse)
	}
	return ticket, nil
}

// Query implements payment.Gateway.
func (g *Gateway) Query(ctx context.Context, app payment.WalletApp, no payment.TradeNo) (payment.Report, error) {
	said, err := g.about(ctx, "/pay/orderquery", app, no, asking)
	if err != nil {
		return payment.Report{}, fmt.Errorf("asking the wallet after a payment: %w", err)
	}
	report, err := g.report(said, no)
	if err != nil {
		return payment.Report{}, fmt.Errorf("asking the wallet after a payment: %w: %w", payment.ErrWalletBadResponse, err)
	}
	return report, nil
}

// Close implements payment.Gateway.
func (g *Gateway) Close(ctx context.Context, app payment.WalletApp, no payment.TradeNo) error {
	if _, err := g.about(ctx, "/pay/closeorder", app, no, closing); err != nil {
		return fmt.Errorf("closing a payment at the wallet: %w", err)
	}
	return nil
}

// about asks something that is about one payment.
func (g *Gateway) about(ctx context.Context, path string, app payment.WalletApp, no payment.TradeNo, r refusals) (message, error) {
	m, err := g.address(app, no)
	if err != nil {
		return nil, err
	}
	m.sign(g.key)
	return g.ask(ctx, path, m, m.encode(), r)
}

// address begins a request that is about a payment.
func (g *Gateway) address(app payment.WalletApp, no payment.TradeNo) (message, error) {
	id, known := g.appIDs[app]
	if !known {
		return nil, fmt.Errorf("%w: the wallet application has no id", payment.ErrNoWallet)
	}
	if s := string(no); len(s) < 6 || len(s) > 32 || strings.Trim(s, letters+digits+"_-|*") != "" {
		return nil, errors.New("wechatpay: a number for a payment that the wallet does not take")
	}
	return message{"appid": id, "mch_id": g.merchant, "out_trade_no": string(no), "nonce_str": g.nonce()}, nil
}

// report reads what the wallet says of a payment. Which fields there are depends on how
// it stands; of one that is not paid there are hardly any.
func (g *Gateway) report(said message, no payment.TradeNo) (payment.Report, error) {
	if said["out_trade_no"] != string(no) {
		return payment.Report{}, errors.New("it speaks of another payment")
	}
	switch state := said["trade_state"]; state {
	case "SUCCESS", "REFUND":
		receipt, err := g.receipt(said)
		receipt.Refunded = state == "REFUND"
		return payment.Report{State: payment.WalletPaid, Receipt: receipt}, err
	case "CLOSED", "REVOKED":
		return payment.Report{State: payment.WalletClosed}, nil
	case "NOTPAY", "USERPAYING", "PAYERROR":
		return payment.Report{State: payment.WalletUnpaid}, nil
	}
	return payment.Report{}, errors.New("it gives an unknown state")
}

// receipt reads what is said of a payment that was made. The application is empty if it is
// none of ours: that is for others to judge.
func (g *Gateway) receipt(said message) (payment.Receipt, error) {
	amount := said["total_fee"]
	fee, err := strconv.ParseInt(amount, 10, 64)
	if err != nil || strings.Trim(amount, digits) != "" {
		return payment.Receipt{}, errors.New("it gives no amount")
	}
	paid, err := time.ParseInLocation(instantLayout, said["time_end"], beijing)
	if err != nil {
		return payment.Receipt{}, errors.New("it gives no time of the payment")
	}
	r := payment.Receipt{
		TransactionID: said["transaction_id"], TradeNo: payment.TradeNo(said["out_trade_no"]), App: g.apps[said["appid"]],
		Amount: fee, Currency: said["fee_type"], Paid: paid.UTC(),
	}
	if r.TransactionID == "" || r.TradeNo == "" {
		return payment.Receipt{}, errors.New("it gives no number of the payment")
	}
	if r.Currency == "" {
		r.Currency = payment.CNY // as the protocol has it
	}
	return r, nil
}

// The wallet's instants are Beijing's, which has had no summer time for as long as there
// is a wallet; so no time zone database is needed.
const instantLayout = "20060102150405"

var beijing = time.FixedZone("UTC+8", 8*60*60)
