package wechatpay_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/wechatpay"
	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/ports"
	"plaza/test/walletsandbox"
)

func TestPAY_the_port_of_a_wallet(t *testing.T) { ports.Gateway(t, openWallet) }

const (
	boxKey      = "qazwsxedcrfvtgbyhnujmikolp111111"
	boxMerchant = "1900000109"
	boxAccount  = "wxd678efh567hg6787"
	boxService  = "wxd930ea5d5a258f4f"
)

func openWallet(t *testing.T) ports.Wallet {
	s := walletsandbox.Open(t, sandbox.Config{MerchantID: boxMerchant, Key: secret.New(boxKey), AppIDs: []string{boxAccount, boxService}})
	s.Gateway = func(address string, deadline time.Duration) payment.Gateway {
		g, err := wechatpay.NewV2(wechatpay.ConfigV2{
			Config: wechatpay.Config{
				URL: address, MerchantID: boxMerchant, Key: secret.New(boxKey), Deadline: deadline, NotifyURL: s.MerchantURL + "/paid/",
				AppIDs: map[payment.WalletApp]string{payment.OfficialAccount: boxAccount, payment.SvcIOSApp: boxService},
			},
			RefundNotifyURL: s.MerchantURL + "/refunded/",
		})
		require.NoError(t, err)
		return g
	}
	return ports.Wallet{
		Side: s.Server, Gateway: s.Gateway, Pay: s.Pay, Pass: s.Pass, Forgeries: forgeries, CloseAge: payment.CloseAge, Secrets: []string{boxKey},
		RefundOutcome: s.RefundOutcome,
		EndTypes:      []payment.EndType{payment.Native, payment.App, payment.JSAPI, payment.H5},
	}
}

// forgeries have no signature, an empty one, or one that was made without the key.
func forgeries(n payment.Notification) []payment.Notification {
	signed := regexp.MustCompile(`<sign>.*?</sign>`)
	var all []payment.Notification
	for _, other := range []string{
		"", "<sign></sign>", "<sign><![CDATA[]]></sign>", "<sign>" + strings.Repeat("0", 64) + "</sign>", "<sign>" + strings.Repeat("0", 32) + "</sign>",
	} {
		all = append(all, payment.Notification{Body: signed.ReplaceAll(n.Body, []byte(other))})
	}
	return all
}
