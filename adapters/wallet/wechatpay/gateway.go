// Package wechatpay implements versions 2 and 3 of WeChat Pay's protocol.
//
// A gateway verifies the signature of each of the wallet's messages before it uses any field. Errors never contain a key, a
// signature or a payer. The package logs nothing.
package wechatpay

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"

	"plaza/adapters/wallet"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

// The names of the gateways in errors.
const (
	nameV2 = "wechatpay"
	nameV3 = "wechatpayv3"
)

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

	notifications notificationCounts
}

// newGateway returns the gateway. adjust changes how it connects.
func newGateway(name string, s wallet.Settings, adjust func(*http.Transport), algorithms ...string) gateway {
	g := gateway{
		name: name, transport: newTransport(s, adjust), merchant: s.MerchantID, key: s.Key, notify: s.NotifyURL, nonce: rand.Text,
		appIDs: s.AppIDs, apps: map[string]payment.WalletApp{}, notifications: newNotificationCounts(algorithms...),
	}
	for app, id := range s.AppIDs {
		g.apps[id] = app
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
