package wechatpay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"plaza/domain/payment"
)

// Gateway implements payment.Gateway. It is safe for concurrent use.
type V3 struct {
	gateway
	spareURL string // empty: there is no other address
	signer   signer
	serial   string
	keys     *platformKeys
	now      func() time.Time
}

var _ payment.Gateway = (*V3)(nil)

// NewV3 returns the gateway, or all problems of the configuration. It sends nothing.
func NewV3(c ConfigV3) (*V3, error) {
	transport := newTransport(c.Config, func(t *http.Transport) {
		t.DisableCompression = true // signed is what was sent
		if c.SpareURL != "" {
			t.DialContext = (&net.Dialer{Timeout: c.deadline() / 2}).DialContext // time is left for the other address
		}
	})
	common, err := newGateway(nameV3, c.Config, transport, c.Problems(), string(byCertificate), string(byPublicKey))
	if err != nil {
		return nil, err
	}
	private, err := parsePrivateKey(c.PrivateKey)
	if err != nil {
		return nil, err
	}
	g := &V3{
		gateway: common, spareURL: strings.TrimRight(c.SpareURL, "/"), signer: signer{key: private}, serial: c.Serial, now: time.Now,
	}
	if c.Now != nil {
		g.now = c.Now
	}
	g.keys = &platformKeys{fetch: g.certificates, deadline: transport.deadline, now: g.now}
	if c.PublicKey != "" {
		published, err := parsePublicKey(c.PublicKey)
		if err != nil {
			return nil, err
		}
		g.keys.fixedID, g.keys.fixed = c.PublicKeyID, platformKey{mode: byPublicKey, rsa: published}
	}
	return g, nil
}

// Protocol implements payment.Gateway.
func (g *V3) Protocol() payment.Protocol { return ProtocolV3 }

// Query implements payment.Gateway.
func (g *V3) Query(ctx context.Context, app payment.WalletApp, no payment.TradeNo) (payment.Report, error) {
	path, err := g.pathOf(app, no)
	if err != nil {
		return payment.Report{}, err
	}
	q := requestV3{method: http.MethodGet, target: path + "?mchid=" + url.QueryEscape(g.merchant)}
	reply, err := g.call(ctx, q, http.StatusOK, queryRefusalsV3)
	if err != nil {
		return payment.Report{}, fmt.Errorf("querying a wallet payment: %w", err)
	}
	if reply.text("out_trade_no") != string(no) || reply.text("mchid") != g.merchant {
		err = errors.New("another payment's trade number, or another merchant's")
		return payment.Report{}, fmt.Errorf("querying a wallet payment: %w: %w", payment.ErrWalletBadResponse, err)
	}
	return g.report(reply, no)
}

// Close implements payment.Gateway.
func (g *V3) Close(ctx context.Context, app payment.WalletApp, no payment.TradeNo) error {
	path, err := g.pathOf(app, no)
	if err != nil {
		return err
	}
	body, err := json.Marshal(map[string]string{"mchid": g.merchant})
	if err != nil {
		return fmt.Errorf("wechatpayv3: writing a request: %w", err)
	}
	q := requestV3{method: http.MethodPost, target: path + "/close", body: body}
	if _, err := g.call(ctx, q, http.StatusNoContent, closeRefusalsV3); err != nil {
		return fmt.Errorf("closing a wallet payment: %w", err)
	}
	return nil
}

// pathOf returns the path of a prepayment at the wallet.
func (g *V3) pathOf(app payment.WalletApp, no payment.TradeNo) (string, error) {
	if _, err := g.appIDFor(app, no); err != nil {
		return "", err
	}
	return "/v3/pay/transactions/out-trade-no/" + url.PathEscape(string(no)), nil
}

// paid implements reply.
func (o jsonObject) paid() (amount int64, currency string, at time.Time, err error) {
	total := o.object("amount")
	if amount, err = total.amount("total"); err != nil {
		return 0, "", time.Time{}, err
	}
	if at, err = time.Parse(time.RFC3339, o.text("success_time")); err != nil {
		err = errors.New("no time of payment")
	}
	return amount, total.text("currency"), at, err
}
