package bootstrap

import (
	"cmp"
	"errors"

	"plaza/adapters/wallet/wechatpay"
	"plaza/domain/secret"
)

// WalletV3Config holds the settings of protocol version 3 of the wallet, beside those that all wallets have.
type WalletV3Config struct {
	WalletPrivateKey  secret.String `env:"PLAZA_WALLET_PRIVATE_KEY" help:"The merchant's private RSA key as PEM, for wechatpayv3 and for refunds of wechatpay." placeholder:"PEM"`
	WalletCertSerial  string        `env:"PLAZA_WALLET_CERT_SERIAL" help:"Serial number of the merchant's certificate, for wechatpayv3." placeholder:"HEX"`
	WalletPublicKey   secret.String `env:"PLAZA_WALLET_PUBLIC_KEY" help:"The wallet's public RSA key as PEM, for wechatpayv3 (default: its certificates are fetched)." placeholder:"PEM"`
	WalletPublicKeyID string        `env:"PLAZA_WALLET_PUBLIC_KEY_ID" help:"Id of the wallet's public key, PUB_KEY_ID_…." placeholder:"ID"`
	WalletV2Key       secret.String `name:"wallet-v2-key" env:"PLAZA_WALLET_V2_KEY" help:"With wechatpayv3, the API key of version 2, while orders that were opened with wechatpay may still be paid." placeholder:"KEY"`
}

// notifyPathV3 is the path for notifications of protocol version 3.
const notifyPathV3 = notifyPath + "v3/"

// notifyPath returns the path for notifications of the protocol that new orders are opened with.
func (c Config) notifyPath() string {
	if c.Wallet == sandboxV3Wallet || c.Wallet == wechatV3Wallet {
		return notifyPathV3
	}
	return notifyPath
}

// walletV3 returns the configuration of the gateway of version 3.
func (c Config) walletV3(t *traces) wechatpay.ConfigV3 {
	config := wechatpay.ConfigV3{
		Config:     c.walletConfig(t, c.WalletKey, cmp.Or(c.WalletNotifyURL, c.PublicURL+notifyPathV3)),
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

// checkWalletV3 fills in missing values and notes all problems.
func (c *Config) checkWalletV3(p problems) {
	c.WalletURL = cmp.Or(c.WalletURL, wechatpay.URL)
	p.require("PLAZA_WALLET_MCH_ID", c.WalletMchID != "", wechatV3Wallet)
	p.require("PLAZA_WALLET_KEY", !c.WalletKey.IsZero(), wechatV3Wallet)
	p.require("PLAZA_WALLET_APP_ID", len(c.walletApps()) > 0, wechatV3Wallet)
	p.require("PLAZA_WALLET_PRIVATE_KEY", !c.WalletPrivateKey.IsZero(), wechatV3Wallet)
	p.require("PLAZA_WALLET_CERT_SERIAL", c.WalletCertSerial != "", wechatV3Wallet)
	for _, problem := range c.walletV3(nil).Problems() {
		setting, is := walletV3Settings[problem.Field]
		// The default of the address for notifications is made of the public address, which may not be known yet.
		if is && (problem.Field != "NotifyURL" || c.WalletNotifyURL != "") {
			p.note(setting, errors.New(problem.Text))
		}
	}
}
