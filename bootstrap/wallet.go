package bootstrap

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"

	"plaza/adapters/wallet/wechatpay"
	"plaza/application/paying"
	"plaza/application/reconciling"
	"plaza/application/refunding"
	"plaza/bootstrap/settings"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

// The paths for notifications of both versions of the protocol.
const (
	notifyPathV2 = "/api/pay/notify/wallet/"
	notifyPathV3 = notifyPathV2 + "v3/"
)

// Check returns the configuration with its missing values filled in, or all problems with the settings together. It
// checks also what only the wallet's adapter knows.
func Check(c settings.Config) (settings.Config, error) { return c.Check(checkWechatpay) }

// checkWechatpay fills in the wallet's address and notes the problems that the gateway has with its configuration.
func checkWechatpay(c *settings.Config, p settings.Problems) {
	if c.Wallet == settings.WechatWallet || c.Wallet == settings.WechatV3Wallet {
		c.WalletURL = cmp.Or(c.WalletURL, wechatpay.URL)
	}
	if c.Wallet != settings.WechatV3Wallet {
		return
	}
	for _, problem := range walletV3(*c, nil).Problems() {
		setting, is := walletV3Settings[problem.Field]
		// The default of the address for notifications is made of the public address, which may not be known yet.
		if is && (problem.Field != "NotifyURL" || c.WalletNotifyURL != "") {
			p.Note(setting, errors.New(problem.Text))
		}
	}
}

// newGateways returns the gateways to the configured wallet. The sandbox uses the protocols of
// wechatpay and wechatpayv3. With the key of version 2, wechatpayv3 also serves what that version has opened.
func newGateways(c settings.Config, t *traces) (payment.Gateways, error) {
	var gateways payment.Gateways
	var err error
	switch c.Wallet {
	case settings.SandboxWallet, settings.WechatWallet:
		gateways.Current, err = newWechatpay(c, t, c.WalletKey)
	case settings.SandboxV3Wallet, settings.WechatV3Wallet:
		gateways.Current, err = wechatpay.NewV3(walletV3(c, t))
		if !c.WalletV2Key.IsZero() {
			former, problem := newWechatpay(c, t, c.WalletV2Key)
			if problem != nil {
				problem = fmt.Errorf("PLAZA_WALLET_V2_KEY: %w", problem)
			}
			gateways.Others, err = []payment.Gateway{former}, errors.Join(err, problem)
		}
	}
	if err != nil {
		return payment.Gateways{}, fmt.Errorf("%w: PLAZA_WALLET_…:\n%w", settings.ErrInvalid, err)
	}
	return gateways, nil
}

func newWechatpay(c settings.Config, t *traces, key secret.String) (payment.Gateway, error) {
	return wechatpay.NewV2(wechatpay.ConfigV2{
		Config: walletConfig(c, t, key, notifyURLV2(c)), RefundNotifyURL: refundNotifyURL(c), Certificate: merchantCertificate(c),
	})
}

// walletConfig returns the settings that the gateways of both versions have.
func walletConfig(c settings.Config, t *traces, key secret.String, notifyURL string) wechatpay.Config {
	return wechatpay.Config{
		URL: c.WalletURL, MerchantID: c.WalletMchID, Key: key, AppIDs: c.WalletApps(), NotifyURL: notifyURL, Deadline: c.WalletTimeout,
		Wrap: t.spans("wallet", true),
	}
}

// notifyURLV2 returns where the wallet reports what version 2 has opened. With wechatpayv3 the setting is the address of
// version 3.
func notifyURLV2(c settings.Config) string {
	address := cmp.Or(c.WalletNotifyURL, c.PublicURL+notifyPathV2)
	if notifyPath(c) == notifyPathV3 {
		address = strings.TrimSuffix(address, "v3/")
	}
	return address
}

func payingLimits(c settings.Config) paying.Limits {
	return paying.NewLimits(c.WalletTimeout, c.WalletPoll)
}

// notifyPath returns the path for notifications of the protocol that new orders are opened with.
func notifyPath(c settings.Config) string {
	if c.Wallet == settings.SandboxV3Wallet || c.Wallet == settings.WechatV3Wallet {
		return notifyPathV3
	}
	return notifyPathV2
}

// walletV3 returns the configuration of the gateway of version 3.
func walletV3(c settings.Config, t *traces) wechatpay.ConfigV3 {
	config := wechatpay.ConfigV3{
		Config:     walletConfig(c, t, c.WalletKey, cmp.Or(c.WalletNotifyURL, c.PublicURL+notifyPathV3)),
		PrivateKey: c.WalletPrivateKey, Serial: c.WalletCertSerial, PublicKey: c.WalletPublicKey.Reveal(), PublicKeyID: c.WalletPublicKeyID,
	}
	if c.WalletURL == wechatpay.URL {
		config.SpareURL = wechatpay.SpareURL
	}
	return config
}

// walletV3Settings are the settings by the fields of the gateway's configuration.
var walletV3Settings = map[string]string{
	"URL": "PLAZA_WALLET_URL", "MerchantID": "PLAZA_WALLET_MCH_ID", "Key": "PLAZA_WALLET_KEY",
	"PrivateKey": "PLAZA_WALLET_PRIVATE_KEY", "Serial": "PLAZA_WALLET_CERT_SERIAL",
	"PublicKey": "PLAZA_WALLET_PUBLIC_KEY", "PublicKeyID": "PLAZA_WALLET_PUBLIC_KEY_ID",
	"AppIDs": "PLAZA_WALLET_APP_ID", "NotifyURL": "PLAZA_WALLET_NOTIFY_URL",
}

// merchantCertificate returns the pair that checkRefunds has checked.
func merchantCertificate(c settings.Config) *tls.Certificate {
	pair, err := c.KeyPair()
	if err != nil {
		return nil
	}
	return pair
}

// refundNotifyURL returns where the wallet reports refunds of version 2.
func refundNotifyURL(c settings.Config) string {
	return strings.TrimRight(notifyURLV2(c), "/") + "/refund/"
}

func refundingLimits(c settings.Config) refunding.Limits {
	return refunding.Limits{Call: c.WalletTimeout, Interval: c.WalletPoll, Automatic: c.WalletRefundDue == settings.RefundAutomatically}
}

// applyReceipts returns how payments are taken in that only a bill has.
func applyReceipts(p *paying.Paying) reconciling.Apply { return p.ApplyReceipt }
