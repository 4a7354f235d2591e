package wechatpay

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
)

// The signatures are those of another program.
func TestPAY08_what_the_terminals_are_given_v3(t *testing.T) {
	g := newV3(t, "https://wallet.example")
	ticket := payment.Ticket{PrepayID: "wx20"}
	v, err := g.ClientParams(byApp, ticket, noon)
	require.NoError(t, err)
	assert.Equal(t, payment.ClientParams{
		EndType: payment.App, PrepayID: "wx20", AppID: service, PartnerID: merchantV3, Package: "Sign=WXPay",
		Nonce: nonceV3, Timestamp: noon.Unix(), Signature: heardV3(t, "client-app"),
	}, v)
	v, err = g.ClientParams(byBrowser, ticket, noon)
	require.NoError(t, err)
	assert.Equal(t, payment.ClientParams{
		EndType: payment.JSAPI, PrepayID: "wx20", AppID: official, Package: "prepay_id=wx20", SignType: "RSA",
		Nonce: nonceV3, Timestamp: noon.Unix(), Signature: heardV3(t, "client-jsapi"),
	}, v)
}
