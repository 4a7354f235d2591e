package bootstrap

import (
	"cmp"
	"fmt"
	"time"

	"plaza/adapters/wallet/wechatpay"
	"plaza/application/paying"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

// MerchantConfig identifies the merchant, for the wallet's client and for the sandbox.
type MerchantConfig struct {
	WalletMchID       string        `env:"PLAZA_WALLET_MCH_ID" help:"The merchant's id." placeholder:"ID"`
	WalletKey         secret.String `env:"PLAZA_WALLET_KEY" help:"The merchant's API key (default: for the sandbox, a random one in the data directory, created at the first start)." placeholder:"KEY"`
	WalletAppID       string        `env:"PLAZA_WALLET_APP_ID" help:"Id of the wallet application official_account." placeholder:"ID"`
	WalletSvcAppID    string        `env:"PLAZA_WALLET_SVC_APP_ID" help:"Id of the wallet application svc_ios_app, if any." placeholder:"ID"`
	WalletSandboxAddr string        `default:"127.0.0.1:8090" env:"PLAZA_WALLET_SANDBOX_ADDR" help:"Address of the sandbox. Every client that reaches it can pay any order." placeholder:"HOST:PORT"`
}

// The wallets.
const (
	noWallet      = "none"
	sandboxWallet = "sandbox"
	wechatWallet  = "wechatpay"
	autoWallet    = "auto"
)

// notifyPath is the path for notifications from the wallet.
const notifyPath = "/api/pay/notify/wallet/"

// checkWallet fills in missing values and notes all problems.
func (c *Config) checkWallet(p problems) {
	c.Wallet = cmp.Or(c.Wallet, noWallet)
	p.note("PLAZA_WALLET", oneOf(c.Wallet, autoWallet, noWallet, sandboxWallet, wechatWallet))
	switch c.Wallet {
	case wechatWallet:
		c.WalletURL = cmp.Or(c.WalletURL, wechatpay.URL)
		p.require("PLAZA_WALLET_MCH_ID", c.WalletMchID != "", wechatWallet)
		p.require("PLAZA_WALLET_KEY", !c.WalletKey.IsZero(), wechatWallet)
		p.require("PLAZA_WALLET_APP_ID", len(c.walletApps()) > 0, wechatWallet)
	case sandboxWallet, autoWallet:
		c.useDemoMerchant()
	}
	p.note("PLAZA_WALLET_POLL", between(c.WalletPoll, 50*time.Millisecond, time.Hour, "a duration"))
	p.note("PLAZA_WALLET_TIMEOUT", between(c.WalletTimeout, 50*time.Millisecond, 10*time.Second, "a duration"))
	c.checkSandboxAddr(p)
}

// checkSandboxAddr fills in a missing address and notes a wrong one.
func (c *MerchantConfig) checkSandboxAddr(p problems) {
	c.WalletSandboxAddr = cmp.Or(c.WalletSandboxAddr, "127.0.0.1:8090")
	p.note("PLAZA_WALLET_SANDBOX_ADDR", checkAddr(c.WalletSandboxAddr))
}

// useDemoMerchant fills in the missing ids of the sandbox's merchant.
func (c *MerchantConfig) useDemoMerchant() {
	c.WalletMchID = cmp.Or(c.WalletMchID, demoMerchant)
	c.WalletAppID, c.WalletSvcAppID = cmp.Or(c.WalletAppID, demoAppID), cmp.Or(c.WalletSvcAppID, demoSvcAppID)
}

// walletApps returns the ids of the wallet's applications.
func (c MerchantConfig) walletApps() map[payment.WalletApp]string {
	ids := map[payment.WalletApp]string{}
	for app, id := range map[payment.WalletApp]string{payment.OfficialAccount: c.WalletAppID, payment.SvcIOSApp: c.WalletSvcAppID} {
		if id != "" {
			ids[app] = id
		}
	}
	return ids
}

// startsSandbox reports whether the server must start a sandbox.
func (c Config) startsSandbox() bool { return c.Wallet == sandboxWallet && c.WalletURL == "" }

// The merchant of the sandbox. sandboxKey returns its key.
const (
	demoMerchant = "1900000109"
	demoAppID    = "wxplazademo000001"
	demoSvcAppID = "wxplazademo000002"
)

// newGateways returns the gateways to the configured wallet. The sandbox uses the protocol of
// wechatpay.
func newGateways(c Config) (payment.Gateways, error) {
	var gateways payment.Gateways
	switch c.Wallet {
	case sandboxWallet, wechatWallet:
		gateway, err := wechatpay.New(wechatpay.Config{
			URL: c.WalletURL, MerchantID: c.WalletMchID, Key: c.WalletKey, AppIDs: c.walletApps(),
			NotifyURL: cmp.Or(c.WalletNotifyURL, c.PublicURL+notifyPath), Deadline: c.WalletTimeout,
			Wrap: c.traces.spans("wallet", true),
		})
		if err != nil {
			return payment.Gateways{}, fmt.Errorf("%w: PLAZA_WALLET_…:\n%w", errUsage, err)
		}
		gateways.Current = gateway
	}
	return gateways, nil
}

func payingLimits(c Config) paying.Limits { return paying.NewLimits(c.WalletTimeout, c.WalletPoll) }
