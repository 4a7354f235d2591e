package wechatpay

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"plaza/adapters/wallet"
	"plaza/domain/payment"
)

// V2 implements payment.Gateway over version 2. It is safe for concurrent use.
type V2 struct {
	gateway
	// refunds brings the merchant's certificate; nil: refunds are off. Without TLS there are no certificates: then the
	// wallet is on this machine.
	refunds  *transport
	refunded string // where the wallet sends notifications of refunds
	scene    string // of payments in browsers
}

// newV2 returns the gateway, and what is wrong with the settings.
func newV2(s wallet.Settings) (*V2, problems) {
	s, certificates, found := complete(s)
	refunded := strings.TrimRight(s.NotifyURL, "/") + "/refund/"
	found.check(wallet.NotifyURL, isAddress(s.NotifyURL) && len(refunded) <= 256, addressText+" of at most 248 characters")
	common := newGateway(nameV2, s, func(*http.Transport) {}, string(hmacSHA256), string(md5Sum))
	g := &V2{gateway: common, refunded: refunded, scene: sceneOf(s.NotifyURL)}
	if certificates != nil || strings.HasPrefix(s.URL, "http:") {
		refunds := newTransport(s, func(t *http.Transport) { t.TLSClientConfig.Certificates = certificates })
		g.refunds = &refunds
	}
	return g, found
}

func (g *V2) Protocol() payment.Protocol { return ProtocolV2 }

// Prepare implements payment.Gateway. The signature of the request is part of it, and has no time.
func (g *V2) Prepare(ctx context.Context, request []byte) (payment.Ticket, error) {
	asked, err := parseXML(request, "xml")
	if err != nil {
		return payment.Ticket{}, fmt.Errorf("wechatpay: request not made by BuildRequest: %w", err)
	}
	reply, err := g.send(ctx, g.transport, "/pay/unifiedorder", asked, request, orderRefusals)
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

func (g *V2) Query(ctx context.Context, app payment.WalletApp, no payment.TradeNo) (payment.Report, error) {
	reply, err := g.sendAbout(ctx, "/pay/orderquery", app, no, queryRefusals)
	if err != nil {
		return payment.Report{}, fmt.Errorf("querying a wallet payment: %w", err)
	}
	return g.report(reply, no)
}

func (g *V2) Close(ctx context.Context, app payment.WalletApp, no payment.TradeNo) error {
	if _, err := g.sendAbout(ctx, "/pay/closeorder", app, no, closeRefusals); err != nil {
		return fmt.Errorf("closing a wallet payment: %w", err)
	}
	return nil
}

func (g *V2) sendAbout(ctx context.Context, path string, app payment.WalletApp, no payment.TradeNo, r refusals) (xmlMessage, error) {
	m, err := g.requestFields(app, no)
	if err != nil {
		return nil, err
	}
	m.sign(g.key)
	return g.send(ctx, g.transport, path, m, m.encode(), r)
}

// requestFields returns the common fields of a request about a payment.
func (g *V2) requestFields(app payment.WalletApp, no payment.TradeNo) (xmlMessage, error) {
	id, err := g.appIDFor(app, no)
	if err != nil {
		return nil, err
	}
	return xmlMessage{"appid": id, "mch_id": g.merchant, "out_trade_no": string(no), "nonce_str": g.nonce()}, nil
}

func (m xmlMessage) text(name string) string { return m[name] }

func (m xmlMessage) paid() (amount int64, currency string, at time.Time, err error) {
	if amount, err = amountOf(m["total_fee"]); err != nil {
		return 0, "", time.Time{}, err
	}
	if at, err = time.ParseInLocation(instantLayout, m["time_end"], beijing); err != nil {
		err = errors.New("no time of payment")
	}
	return amount, m["fee_type"], at, err
}

const instantLayout = "20060102150405"
