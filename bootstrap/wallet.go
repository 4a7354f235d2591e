package bootstrap

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
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
	noWallet        = "none"
	sandboxWallet   = "sandbox"
	sandboxV3Wallet = "sandboxv3"
	wechatWallet    = "wechatpay"
	wechatV3Wallet  = "wechatpayv3"
	autoWallet      = "auto"
)

// notifyPath is the path for notifications of protocol version 2.
const notifyPath = "/api/pay/notify/wallet/"

// checkWallet fills in missing values and notes all problems.
func (c *Config) checkWallet(p problems) {
	c.Wallet = cmp.Or(c.Wallet, noWallet)
	p.note("PLAZA_WALLET", oneOf(c.Wallet, autoWallet, noWallet, sandboxWallet, sandboxV3Wallet, wechatWallet, wechatV3Wallet))
	switch c.Wallet {
	case wechatWallet:
		c.WalletURL = cmp.Or(c.WalletURL, wechatpay.URL)
		p.require("PLAZA_WALLET_MCH_ID", c.WalletMchID != "", wechatWallet)
		p.require("PLAZA_WALLET_KEY", !c.WalletKey.IsZero(), wechatWallet)
		p.require("PLAZA_WALLET_APP_ID", len(c.walletApps()) > 0, wechatWallet)
	case wechatV3Wallet:
		c.checkWalletV3(p)
	case sandboxWallet, sandboxV3Wallet, autoWallet:
		c.useDemoMerchant()
	}
	c.checkRefunds(p)
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

// usesSandbox reports whether the wallet is a sandbox, which speaks both versions of the protocol.
func (c Config) usesSandbox() bool { return c.Wallet == sandboxWallet || c.Wallet == sandboxV3Wallet }

// startsSandbox reports whether the server must start a sandbox.
func (c Config) startsSandbox() bool { return c.usesSandbox() && c.WalletURL == "" }

// The merchant of the sandbox. sandboxKey returns its key.
const (
	demoMerchant = "1900000109"
	demoAppID    = "wxplazademo000001"
	demoSvcAppID = "wxplazademo000002"
)

// newGateways returns the gateways to the configured wallet. The sandbox uses the protocols of
// wechatpay and wechatpayv3. With the key of version 2, wechatpayv3 also serves what that version has opened.
func newGateways(c Config, t *traces) (payment.Gateways, error) {
	var gateways payment.Gateways
	var err error
	switch c.Wallet {
	case sandboxWallet, wechatWallet:
		gateways.Current, err = newWechatpay(c, t, c.WalletKey)
	case sandboxV3Wallet, wechatV3Wallet:
		gateways.Current, err = wechatpay.NewV3(c.walletV3(t))
		if !c.WalletV2Key.IsZero() {
			former, problem := newWechatpay(c, t, c.WalletV2Key)
			if problem != nil {
				problem = fmt.Errorf("PLAZA_WALLET_V2_KEY: %w", problem)
			}
			gateways.Others, err = []payment.Gateway{former}, errors.Join(err, problem)
		}
	}
	if err != nil {
		return payment.Gateways{}, fmt.Errorf("%w: PLAZA_WALLET_…:\n%w", errUsage, err)
	}
	return gateways, nil
}

func newWechatpay(c Config, t *traces, key secret.String) (payment.Gateway, error) {
	return wechatpay.NewV2(wechatpay.ConfigV2{
		Config: c.walletConfig(t, key, c.notifyURLV2()), RefundNotifyURL: c.refundNotifyURL(), Certificate: c.merchantCertificate(),
	})
}

// walletConfig returns the settings that the gateways of both versions have.
func (c Config) walletConfig(t *traces, key secret.String, notifyURL string) wechatpay.Config {
	return wechatpay.Config{
		URL: c.WalletURL, MerchantID: c.WalletMchID, Key: key, AppIDs: c.walletApps(), NotifyURL: notifyURL, Deadline: c.WalletTimeout,
		Wrap: t.spans("wallet", true),
	}
}

// notifyURLV2 returns where the wallet reports what version 2 has opened. With wechatpayv3 the setting is the address of
// version 3.
func (c Config) notifyURLV2() string {
	address := cmp.Or(c.WalletNotifyURL, c.PublicURL+notifyPath)
	if c.notifyPath() == notifyPathV3 {
		address = strings.TrimSuffix(address, "v3/")
	}
	return address
}

func payingLimits(c Config) paying.Limits { return paying.NewLimits(c.WalletTimeout, c.WalletPoll) }
