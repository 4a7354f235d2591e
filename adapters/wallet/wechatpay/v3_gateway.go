package wechatpay

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"plaza/adapters/wallet"
	"plaza/domain/payment"
)

// V3 implements payment.Gateway over version 3. It is safe for concurrent use.
type V3 struct {
	gateway
	spareURL string // empty: there is no other address
	signer   signer
	serial   string
	keys     *platformKeys
	now      func() time.Time
}

// newV3 returns the gateway, and what is wrong with the settings. It sends nothing.
func newV3(s wallet.Settings) (*V3, problems) {
	s, _, found := complete(s)
	private, public := parsePrivateKey(s.PrivateKey), parsePublicKey(s.PublicKey)
	found.check(wallet.PrivateKey, private != nil, "must be an unencrypted RSA key as PEM, PKCS #8 or PKCS #1, with 2,048 bits or more")
	found.check(wallet.CertSerial, isSerial(s.CertSerial), "must be 1 to 64 hexadecimal digits with capital letters")
	found.check(wallet.PublicKey, public != nil || s.PublicKey.IsZero(), "must be an RSA public key as PEM with 2,048 bits or more")
	found.check(wallet.PublicKey, !s.PublicKey.IsZero() || s.PublicKeyID == "", "must be set, because PUBLIC_KEY_ID is")
	hasID := s.PublicKey.IsZero() || isPublicKeyID(s.PublicKeyID)
	found.check(wallet.PublicKeyID, hasID, "must be "+publicKeyPrefix+" and letters and digits")
	found.check(wallet.NotifyURL, isAddress(s.NotifyURL) && len(s.NotifyURL) <= 255, addressText+" of at most 255 characters")
	g := &V3{signer: signer{key: private}, serial: s.CertSerial, now: time.Now}
	if s.URL == URL {
		g.spareURL = SpareURL
	}
	g.gateway = newGateway(nameV3, s, func(t *http.Transport) {
		t.DisableCompression = true // signed is what was sent
		if g.spareURL != "" {
			t.DialContext = (&net.Dialer{Timeout: s.Deadline / 2}).DialContext // time is left for the other address
		}
	}, string(byCertificate), string(byPublicKey))
	g.keys = &platformKeys{fetch: g.certificates, deadline: s.Deadline, now: g.now}
	if public != nil {
		g.keys.fixedID, g.keys.fixed = s.PublicKeyID, platformKey{mode: byPublicKey, rsa: public}
	}
	return g, found
}

func (g *V3) Protocol() payment.Protocol { return ProtocolV3 }

func (g *V3) Query(ctx context.Context, app payment.WalletApp, no payment.TradeNo) (payment.Report, error) {
	path, err := g.pathOf(app, no)
	if err != nil {
		return payment.Report{}, err
	}
	reply, err := g.get(ctx, path+"?mchid="+url.QueryEscape(g.merchant), queryRefusals)
	if err != nil {
		return payment.Report{}, fmt.Errorf("querying a wallet payment: %w", err)
	}
	if reply.text("mchid") != g.merchant {
		return payment.Report{}, fmt.Errorf("querying a wallet payment: %w: another merchant's", payment.ErrWalletBadResponse)
	}
	return g.report(reply, no)
}

func (g *V3) Close(ctx context.Context, app payment.WalletApp, no payment.TradeNo) error {
	path, err := g.pathOf(app, no)
	if err != nil {
		return err
	}
	if _, err := g.post(ctx, path+"/close", map[string]string{"mchid": g.merchant}, http.StatusNoContent, closeRefusals); err != nil {
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
