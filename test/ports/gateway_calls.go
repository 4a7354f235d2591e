package ports

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

// The payer and the number of the payment that WalletCalls are about.
const (
	WalletPayer   = "oPayer00000000000000000000001"
	WalletTradeNo = payment.TradeNo("plaza-7_1|*")
)

// WalletOrder is an order of the moment, whose subject has what XML and JSON must escape.
func WalletOrder(at time.Time) payment.Order {
	o := payment.NewOrder(1, "茶 <Earl> & Grey's ]]> tea", 990, 2*time.Hour, at)
	o.ID = 7
	return o
}

// WalletCall sends a request through the gateway, and asserts that an error comes without a result.
type WalletCall = func(t *testing.T, g payment.Gateway) error

// WalletCalls are the requests about a payment, for a wallet that answers as the test chooses.
var WalletCalls = map[string]WalletCall{
	"prepare": func(t *testing.T, g payment.Gateway) error {
		t.Helper()
		intent := payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: WalletPayer}
		request, err := g.BuildRequest(WalletOrder(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)), intent, WalletTradeNo)
		require.NoError(t, err)
		ticket, err := g.Prepare(t.Context(), request)
		assert.True(t, err == nil || ticket == payment.Ticket{})
		return err
	},
	"query": func(t *testing.T, g payment.Gateway) error {
		t.Helper()
		report, err := g.Query(t.Context(), payment.OfficialAccount, WalletTradeNo)
		assert.True(t, err == nil || report == payment.Report{})
		return err
	},
	"close": func(t *testing.T, g payment.Gateway) error {
		t.Helper()
		return g.Close(t.Context(), payment.OfficialAccount, WalletTradeNo)
	},
}

// AssertWalletFault asserts that the error says that of the wallet and nothing else.
func AssertWalletFault(t *testing.T, want, err error) {
	t.Helper()
	require.ErrorIs(t, err, want)
	for _, other := range append([]*fault.Error{payment.ErrWalletTimeout, payment.ErrWalletBadResponse}, gatewayFaults...) {
		if !errors.Is(other, want) {
			assert.NotErrorIs(t, err, other)
		}
	}
	told, is := fault.As(err)
	require.True(t, is)
	assert.Equal(t, want, error(told), "what the caller tells")
}
