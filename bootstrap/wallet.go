package bootstrap

import (
	"cmp"
	"fmt"
	"log/slog"

	"plaza/adapters/wallet/wechatpay"
	"plaza/application/paying"
	"plaza/domain/payment"
)

// The merchant of the sandbox. sandboxKey returns its key.
const (
	demoMerchant = "1900000109"
	demoAppID    = "wxplazademo000001"
	demoSvcAppID = "wxplazademo000002"
)

// newGateway returns the gateway to the configured wallet, or nil for none. The sandbox uses
// the protocol of wechatpay.
func newGateway(c Config) (payment.Gateway, error) {
	var gateway payment.Gateway
	var err error
	switch c.Wallet {
	case sandboxWallet, wechatWallet:
		gateway, err = wechatpay.New(wechatpay.Config{
			URL: c.WalletURL, MerchantID: c.WalletMchID, Key: c.WalletKey, AppIDs: c.walletApps(),
			NotifyURL: cmp.Or(c.WalletNotifyURL, c.PublicURL+notifyPath), Deadline: c.WalletTimeout,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("%w: PLAZA_WALLET_…:\n%w", errUsage, err)
	}
	return gateway, nil
}

func payingLimits(c Config) paying.Limits { return paying.NewLimits(c.WalletTimeout, c.WalletPoll) }

func payingLog(log *slog.Logger) paying.Log { return logOf(log) }
