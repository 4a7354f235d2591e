package wechatpay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

// The signatures are the wallet's published ones, or those of another program.
func TestPAY08_what_the_terminals_are_given(t *testing.T) {
	v2, v3 := openV2(t, "https://wallet.example"), openV3(t, "https://wallet.example")
	ofVector := openV2(t, "https://wallet.example")
	ofVector.appIDs = map[payment.WalletApp]string{payment.SvcIOSApp: official}
	for _, c := range []struct {
		gateway payment.Gateway
		intent  payment.Intent
		now     time.Time
		want    payment.ClientParams
	}{
		{ofVector, byApp, time.Unix(1412000000, 999), payment.ClientParams{
			EndType: payment.App, PrepayID: "wx201410272009395522657a690389285100", AppID: official, PartnerID: merchantV2,
			Package: "Sign=WXPay", Nonce: nonceV2, Signature: "05F33CA98485F5AA2FFA3F80752FDA2E34FDA943E8112F190511EFE3B963F932",
		}},
		{v2, byBrowser, time.Unix(1490840662, 0), payment.ClientParams{
			EndType: payment.JSAPI, PrepayID: "wx2017033010242291fcfe0db70013231072", AppID: official,
			Package: "prepay_id=wx2017033010242291fcfe0db70013231072", Nonce: nonceV2, SignType: "HMAC-SHA256",
			Signature: "15FC5558B3F2A6AF14B8C4FEB53F8D822E04051B2C788ECDD0ABA657F9EA5A06",
		}},
		{v3, byApp, noon, payment.ClientParams{
			EndType: payment.App, PrepayID: "wx20", AppID: service, PartnerID: merchantV3, Package: "Sign=WXPay",
			Nonce: nonceV3, Signature: versions[1].heard("client-app"),
		}},
		{v3, byBrowser, noon, payment.ClientParams{
			EndType: payment.JSAPI, PrepayID: "wx20", AppID: official, Package: "prepay_id=wx20", SignType: "RSA",
			Nonce: nonceV3, Signature: versions[1].heard("client-jsapi"),
		}},
	} {
		c.want.Timestamp = c.now.Unix()
		v, err := c.gateway.ClientParams(c.intent, payment.Ticket{PrepayID: c.want.PrepayID}, c.now)
		require.NoError(t, err)
		assert.Equal(t, c.want, v)
	}
}
