package bootstrap

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"plaza/adapters/wallet/wechatpay"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

// WalletSettings are the settings of the mobile wallet, as written.
type WalletSettings struct {
	Wallet    string `default:"auto" env:"PLAZA_WALLET" help:"Which mobile wallet takes payments: none, sandbox, which moves no money, or wechatpay (auto: sandbox with --demo, else none)." placeholder:"NAME"`
	WalletURL string `env:"PLAZA_WALLET_URL" help:"Address of the wallet (default: wechatpay's own, or a sandbox that the server starts)." placeholder:"URL"`
	MerchantSettings
	WalletNotifyURL string `env:"PLAZA_WALLET_NOTIFY_URL" help:"Where the wallet reports payments (default: the public address with /api/pay/notify/wallet/)." placeholder:"URL"`
	WalletPoll      string `default:"30s" env:"PLAZA_WALLET_POLL" help:"How often the wallet is polled for pending payments." placeholder:"DURATION"`
	WalletTimeout   string `default:"5s" env:"PLAZA_WALLET_TIMEOUT" help:"How long the wallet may take to answer." placeholder:"DURATION"`
}

// MerchantSettings identify the merchant, for the wallet's client and for the sandbox.
type MerchantSettings struct {
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

// WalletConfig is the configuration of the wallet.
type WalletConfig struct {
	Kind        string // none, sandbox, wechatpay, or auto, which serve resolves
	URL         string // empty with a sandbox: the server starts one
	MerchantID  string
	Key         secret.String // empty with a sandbox: the key in the data directory
	AppIDs      map[payment.WalletApp]string
	NotifyURL   string // empty: PublicURL with notifyPath
	Poll        time.Duration
	Timeout     time.Duration
	SandboxAddr string
}

// notifyPath is the path for notifications from the wallet.
const notifyPath = "/api/pay/notify/wallet/"

// check returns the configuration and notes all problems.
func (s WalletSettings) check(problems *noted) WalletConfig {
	c := WalletConfig{
		Kind: cmp.Or(s.Wallet, noWallet), URL: s.WalletURL, MerchantID: s.WalletMchID, Key: s.WalletKey,
		NotifyURL: s.WalletNotifyURL, SandboxAddr: cmp.Or(s.WalletSandboxAddr, "127.0.0.1:8090"),
	}
	appID, svcAppID := s.WalletAppID, s.WalletSvcAppID
	problems.note("WALLET", oneOf(c.Kind, autoWallet, noWallet, sandboxWallet, wechatWallet))
	switch c.Kind {
	case wechatWallet:
		c.URL = cmp.Or(c.URL, wechatpay.URL)
		missing := errors.New("wechatpay needs one")
		for variable, isMissing := range map[string]bool{
			"WALLET_MCH_ID": c.MerchantID == "", "WALLET_KEY": c.Key.IsZero(), "WALLET_APP_ID": appID == "" && svcAppID == "",
		} {
			if isMissing {
				problems.note(variable, missing)
			}
		}
	case sandboxWallet, autoWallet:
		c.MerchantID, appID, svcAppID = cmp.Or(c.MerchantID, demoMerchant), cmp.Or(appID, demoAppID), cmp.Or(svcAppID, demoSvcAppID)
	}
	c.AppIDs = map[payment.WalletApp]string{}
	for app, id := range map[payment.WalletApp]string{payment.OfficialAccount: appID, payment.SvcIOSApp: svcAppID} {
		if id != "" {
			c.AppIDs[app] = id
		}
	}
	var err error
	c.Poll, err = within(cmp.Or(s.WalletPoll, "30s"), 50*time.Millisecond, time.Hour)
	problems.note("WALLET_POLL", err)
	c.Timeout, err = within(cmp.Or(s.WalletTimeout, "5s"), 50*time.Millisecond, 10*time.Second)
	problems.note("WALLET_TIMEOUT", err)
	problems.note("WALLET_SANDBOX_ADDR", checkAddr(c.SandboxAddr))
	return c
}

// within parses a duration between least and most.
func within(value string, least, most time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(value)
	if err != nil || d < least || d > most {
		return 0, fmt.Errorf("%q is not a duration from %v to %v, like 5s", value, least, most)
	}
	return d, nil
}

// startsSandbox reports whether the server must start a sandbox.
func (c WalletConfig) startsSandbox() bool { return c.Kind == sandboxWallet && c.URL == "" }
