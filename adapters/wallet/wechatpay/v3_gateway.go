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
	counts   *notificationCountsV3
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
	common, err := newGateway(nameV3, c.Config, transport, c.Problems())
	if err != nil {
		return nil, err
	}
	private, err := parsePrivateKey(c.PrivateKey)
	if err != nil {
		return nil, err
	}
	g := &V3{
		gateway: common, spareURL: strings.TrimRight(c.SpareURL, "/"), signer: signer{key: private}, serial: c.Serial, now: time.Now,
		counts: &notificationCountsV3{},
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
func (g *V3) Protocol() payment.Protocol { return payment.V3 }

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
	report, err := g.report(reply, no)
	if err != nil {
		return payment.Report{}, fmt.Errorf("querying a wallet payment: %w: %w", payment.ErrWalletBadResponse, err)
	}
	return report, nil
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
	if _, err := g.appID(app); err != nil {
		return "", err
	}
	if err := g.checkTradeNo(no); err != nil {
		return "", err
	}
	return "/v3/pay/transactions/out-trade-no/" + url.PathEscape(string(no)), nil
}

// report reads the state of a payment. The fields depend on the state; an unpaid payment has
// neither an amount nor a transaction.
func (g *V3) report(reply jsonObject, no payment.TradeNo) (payment.Report, error) {
	if reply.text("out_trade_no") != string(no) || reply.text("mchid") != g.merchant {
		return payment.Report{}, errors.New("another payment's trade number, or another merchant's")
	}
	switch state := reply.text("trade_state"); state {
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

// receipt reads a completed payment. Its amount is what the order is worth: a payer with coupons pays less. The
// application is empty if it is not configured; the caller judges that.
func (g *V3) receipt(reply jsonObject) (payment.Receipt, error) {
	amount := reply.object("amount")
	total, err := amount.amount("total")
	if err != nil {
		return payment.Receipt{}, err
	}
	paid, err := time.Parse(time.RFC3339, reply.text("success_time"))
	if err != nil {
		return payment.Receipt{}, errors.New("no time of payment")
	}
	r := payment.Receipt{
		TransactionID: reply.text("transaction_id"), TradeNo: payment.TradeNo(reply.text("out_trade_no")),
		App: g.apps[reply.text("appid")], Amount: total, Currency: amount.text("currency"), Paid: paid.UTC(),
	}
	if r.TransactionID == "" || r.TradeNo == "" {
		return payment.Receipt{}, errors.New("no transaction id")
	}
	if r.Currency == "" {
		r.Currency = payment.CNY // the protocol's default
	}
	return r, nil
}
