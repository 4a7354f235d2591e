package wechatpay

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

func TestPAY08_what_the_terminals_are_given(t *testing.T) {
	c := configV2("https://wallet.example")
	c.AppIDs = map[payment.WalletApp]string{payment.SvcIOSApp: official} // as in the test vector
	forApp, err := NewV2(c)
	require.NoError(t, err)
	forApp.nonce = func() string { return nonceV2 }
	v, err := forApp.ClientParams(byApp, payment.Ticket{PrepayID: "wx201410272009395522657a690389285100"}, time.Unix(1412000000, 999))
	require.NoError(t, err)
	assert.Equal(t, payment.ClientParams{
		EndType: payment.App, PrepayID: "wx201410272009395522657a690389285100", AppID: official, PartnerID: merchantV2,
		Package: "Sign=WXPay", Nonce: nonceV2, Timestamp: 1412000000,
		Signature: "05F33CA98485F5AA2FFA3F80752FDA2E34FDA943E8112F190511EFE3B963F932",
	}, v)

	g := newV2(t, "https://wallet.example")
	v, err = g.ClientParams(byBrowser, payment.Ticket{PrepayID: "wx2017033010242291fcfe0db70013231072"}, time.Unix(1490840662, 0))
	require.NoError(t, err)
	assert.Equal(t, payment.ClientParams{
		EndType: payment.JSAPI, PrepayID: "wx2017033010242291fcfe0db70013231072", AppID: official,
		Package: "prepay_id=wx2017033010242291fcfe0db70013231072", Nonce: nonceV2, SignType: "HMAC-SHA256", Timestamp: 1490840662,
		Signature: "15FC5558B3F2A6AF14B8C4FEB53F8D822E04051B2C788ECDD0ABA657F9EA5A06",
	}, v)
}
