package settings

import (
	"cmp"
	"time"

	"plaza/domain/payment"
	"plaza/domain/secret"
)

// MerchantConfig identifies the merchant, for the wallet's client and for the sandbox.
type MerchantConfig struct {
	WalletMchID       string        `env:"PLAZA_WALLET_MCH_ID" help:"The merchant's id." placeholder:"ID"`
	WalletKey         secret.String `env:"PLAZA_WALLET_KEY" help:"The merchant's API key (default: for the sandbox, a random one in the data directory, created at the first start)." placeholder:"KEY"`
	WalletAppID       string        `env:"PLAZA_WALLET_APP_ID" help:"Id of the wallet application official_account." placeholder:"ID"`
	WalletSvcAppID    string        `env:"PLAZA_WALLET_SVC_APP_ID" help:"Id of the wallet application svc_ios_app, if any." placeholder:"ID"`
	WalletSandboxAddr string        `default:"127.0.0.1:8090" env:"PLAZA_WALLET_SANDBOX_ADDR" help:"Address of the sandboxes. Every client that reaches it can pay any order, and use the codes of the SMS sandbox." placeholder:"HOST:PORT"`
}

// Values of PLAZA_WALLET that move no money.
const (
	NoWallet        = "none"
	SandboxWallet   = "sandbox"
	SandboxV3Wallet = "sandboxv3"
)

// WithoutMoney returns the values of PLAZA_WALLET that move no money.
func WithoutMoney() []string { return []string{Auto, NoWallet, SandboxWallet, SandboxV3Wallet} }

// WalletV3Config holds the settings of protocol version 3 of the wallet, beside those that all wallets have.
type WalletV3Config struct {
	WalletPrivateKey  secret.String `env:"PLAZA_WALLET_PRIVATE_KEY" help:"The merchant's private RSA key as PEM, for wechatpayv3 and for refunds of wechatpay." placeholder:"PEM"`
	WalletCertSerial  string        `env:"PLAZA_WALLET_CERT_SERIAL" help:"Serial number of the merchant's certificate, for wechatpayv3." placeholder:"HEX"`
	WalletPublicKey   secret.String `env:"PLAZA_WALLET_PUBLIC_KEY" help:"The wallet's public RSA key as PEM, for wechatpayv3 (default: its certificates are fetched)." placeholder:"PEM"`
	WalletPublicKeyID string        `env:"PLAZA_WALLET_PUBLIC_KEY_ID" help:"Id of the wallet's public key, PUB_KEY_ID_…." placeholder:"ID"`
	WalletV2Key       secret.String `name:"wallet-v2-key" env:"PLAZA_WALLET_V2_KEY" help:"With wechatpayv3, the API key of version 2, while orders that were opened with wechatpay may still be paid." placeholder:"KEY"`
}

// RefundConfig holds the settings of refunds.
type RefundConfig struct {
	WalletRefundDue string        `default:"staff" env:"PLAZA_WALLET_REFUND_DUE" help:"What refunds payments that are refund_due: staff, or auto, the server itself." placeholder:"HOW"`
	WalletCert      secret.String `env:"PLAZA_WALLET_CERT" help:"The merchant's certificate as PEM, with which wechatpay refunds (default: no refunds)." placeholder:"PEM"`
}

// What refunds payments that are refund_due.
const (
	refundByStaff       = "staff"
	RefundAutomatically = "auto"
)

// checkRefunds fills in missing values and notes all problems.
func (c *Config) checkRefunds(p Problems) {
	if c.WalletRefundDue == "" {
		c.WalletRefundDue = refundByStaff
	}
	p.Note("PLAZA_WALLET_REFUND_DUE", OneOf(c.WalletRefundDue, refundByStaff, RefundAutomatically))
}

// checkWallet fills in missing values and notes all problems.
func (c *Config) checkWallet(p Problems) {
	c.Wallet = cmp.Or(c.Wallet, NoWallet)
	if c.UsesSandbox() || c.Wallet == Auto {
		c.useDemoMerchant()
	}
	c.checkRefunds(p)
	p.Note("PLAZA_WALLET_POLL", between(c.WalletPoll, 50*time.Millisecond, time.Hour, "a duration"))
	p.Note("PLAZA_WALLET_TIMEOUT", between(c.WalletTimeout, 50*time.Millisecond, 10*time.Second, "a duration"))
	c.checkSandboxAddr(p)
}

// checkSandboxAddr fills in a missing address and notes a wrong one.
func (c *MerchantConfig) checkSandboxAddr(p Problems) {
	c.WalletSandboxAddr = cmp.Or(c.WalletSandboxAddr, "127.0.0.1:8090")
	p.Note("PLAZA_WALLET_SANDBOX_ADDR", CheckAddr(c.WalletSandboxAddr))
}

// useDemoMerchant fills in the missing ids of the sandbox's merchant.
func (c *MerchantConfig) useDemoMerchant() {
	c.WalletMchID = cmp.Or(c.WalletMchID, demoMerchant)
	c.WalletAppID, c.WalletSvcAppID = cmp.Or(c.WalletAppID, demoAppID), cmp.Or(c.WalletSvcAppID, demoSvcAppID)
}

func (c MerchantConfig) WalletApps() map[payment.WalletApp]string {
	ids := map[payment.WalletApp]string{}
	for app, id := range map[payment.WalletApp]string{payment.OfficialAccount: c.WalletAppID, payment.SvcIOSApp: c.WalletSvcAppID} {
		if id != "" {
			ids[app] = id
		}
	}
	return ids
}

// UsesSandbox reports whether the wallet is a sandbox, which speaks both versions of the protocol.
func (c Config) UsesSandbox() bool { return c.Wallet == SandboxWallet || c.Wallet == SandboxV3Wallet }

// StartsSandbox reports whether the server must start a sandbox.
func (c Config) StartsSandbox() bool { return c.UsesSandbox() && c.WalletURL == "" }

// The merchant of the sandbox. Its key is in the data directory.
const (
	demoMerchant = "1900000109"
	demoAppID    = "wxplazademo000001"
	demoSvcAppID = "wxplazademo000002"
)
