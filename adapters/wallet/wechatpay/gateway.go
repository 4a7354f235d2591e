// Package wechatpay implements versions 2 and 3 of WeChat Pay's protocol.
//
// A gateway verifies the signature of each of the wallet's messages before it uses any field. Errors never contain a key, a
// signature or a payer. The package logs nothing.
package wechatpay

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"plaza/adapters/upstream"
	"plaza/adapters/wallet"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

// The names of the gateways in errors.
const (
	nameV2 = "wechatpay"
	nameV3 = "wechatpayv3"
)

// addressOf returns the address for an order: the payer's for H5, where the wallet lets nothing else pay.
func addressOf(i payment.Intent, payer netip.Addr) string {
	if i.EndType == payment.H5 && payer.IsValid() {
		return payer.String()
	}
	return "127.0.0.1"
}

// gateway is what the gateways of both versions have in common.
type gateway struct {
	name      string // in errors
	transport transport
	merchant  string
	key       secret.String
	appIDs    map[payment.WalletApp]string
	apps      map[string]payment.WalletApp
	notify    string
	nonce     func() string

	notifications map[string]*atomic.Int64 // with a valid signature, by algorithm
}

// newGateway returns the gateway. adjust changes how it connects.
func newGateway(name string, s wallet.Settings, adjust func(*http.Transport), algorithms ...string) gateway {
	g := gateway{
		name: name, transport: newTransport(s, adjust), merchant: s.MerchantID, key: s.Key, notify: s.NotifyURL, nonce: rand.Text,
		appIDs: s.AppIDs, apps: map[string]payment.WalletApp{}, notifications: map[string]*atomic.Int64{},
	}
	for app, id := range s.AppIDs {
		g.apps[id] = app
	}
	for _, each := range algorithms {
		g.notifications[each] = &atomic.Int64{}
	}
	return g
}

func (g *gateway) appID(app payment.WalletApp) (string, error) {
	id, known := g.appIDs[app]
	if !known {
		return "", fmt.Errorf("%w: no AppID configured for the wallet application", payment.ErrNoWallet)
	}
	return id, nil
}

// appIDFor returns the ID of the wallet application for a request about the payment. It fails if the number of the
// payment is not one.
func (g *gateway) appIDFor(app payment.WalletApp, no payment.TradeNo) (string, error) {
	id, err := g.appID(app)
	if err == nil && (len(no) < 6 || !consists(string(no), 32, letters+digits+"_-|*")) {
		err = errors.New(g.name + ": invalid trade number")
	}
	return id, err
}

func (g *gateway) checkRefundNo(no payment.RefundNo) error {
	if len(no) < 6 || !consists(string(no), 64, letters+digits+"_-|*@") {
		return errors.New(g.name + ": invalid refund number")
	}
	return nil
}

// transport sends requests to the wallet.
type transport struct {
	url      string // the base URL
	deadline time.Duration
	client   *http.Client
}

// newTransport returns a transport. adjust changes how it connects.
func newTransport(s wallet.Settings, adjust func(*http.Transport)) transport {
	connection := upstream.Connection{Deadline: s.Deadline, Wrap: s.Wrap}
	return transport{url: strings.TrimRight(s.URL, "/"), deadline: s.Deadline, client: connection.HTTPClient(adjust)}
}

// readBody returns the body, truncated slightly above the limit, and closes it.
func readBody(response *http.Response, limit int64) ([]byte, error) {
	defer func() { _ = response.Body.Close() }()
	return io.ReadAll(io.LimitReader(response.Body, limit+1))
}

// transportError classifies a failed request.
func transportError(ctx context.Context, err error) error {
	lost := upstream.Lost(ctx, err)
	isMalformed := ctx.Err() == nil && strings.Contains(err.Error(), "malformed")
	if isMalformed || errors.Is(lost, upstream.ErrInvalidAnswer) {
		return fmt.Errorf("%w: %w", payment.ErrWalletBadResponse, lost)
	}
	return fmt.Errorf("%w: %w", payment.ErrWalletTimeout, lost)
}

// Notifications returns how many notifications with a valid signature this process has received, by algorithm. In
// version 2 the wallet may sign with MD5, the protocol's weaker default. In version 3 it moves merchants from certificates
// to public keys.
func (g *gateway) Notifications() map[string]int64 {
	all := map[string]int64{}
	for algorithm, count := range g.notifications {
		all[algorithm] = count.Load()
	}
	return all
}

// paymentNotice returns what a notification reports of a completed payment.
func (g *gateway) paymentNotice(r reply) (payment.Notice, error) {
	receipt, err := g.receipt(r)
	if err != nil {
		return payment.Notice{}, forged(err.Error())
	}
	return payment.Notice{Receipt: &receipt}, nil
}

func forged(why string) error { return fmt.Errorf("%w: %s", payment.ErrForged, why) }
