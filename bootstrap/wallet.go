package bootstrap

import (
	"cmp"
	"fmt"

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
	w := c.Wallet
	w.NotifyURL = cmp.Or(w.NotifyURL, c.PublicURL+notifyPath)
	var gateway payment.Gateway
	var err error
	switch w.Kind {
	case sandboxWallet, wechatWallet:
		gateway, err = wechatpay.New(wechatpay.Config{
			URL: w.URL, MerchantID: w.MerchantID, Key: w.Key, AppIDs: w.AppIDs, NotifyURL: w.NotifyURL, Deadline: w.Timeout,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("%w: PLAZA_WALLET_…:\n%w", errUsage, err)
	}
	return gateway, nil
}

func payingLimits(c Config) paying.Limits { return paying.NewLimits(c.Wallet.Timeout, c.Wallet.Poll) }
