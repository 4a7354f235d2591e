package payment_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

const (
	method   = "pay_method"
	end      = "end_type"
	app      = "extra_params.wallet_app_type"
	payer    = "extra_params.open_id"
	official = payment.OfficialAccount
	inApp    = payment.SvcIOSApp
)

func TestPAY01_PAY04_PAY06_what_fits_together(t *testing.T) {
	long := strings.Repeat("a", 129)
	for _, c := range []struct {
		method payment.Method
		end    payment.EndType
		app    payment.WalletApp
		openID string
		wrong  []string
	}{
		{200, 0, "", "", nil}, {200, 0, official, "", nil}, {200, 0, official, "o", nil}, {200, 300, "", "", nil}, {200, 300, official, "", nil},
		{200, 100, inApp, "", nil}, {200, 200, "", "o", nil}, {200, 200, official, long[:128], nil},

		{0, 0, "", "", []string{method}}, {100, 0, "", "", []string{method}}, {1, 0, "", "", []string{method}},
		{-200, 0, "", "", []string{method}},
		{200, 1, "", "", []string{end}}, {200, -100, inApp, "", []string{end}}, {200, 400, "", "", []string{end}},
		{200, 100, "", "", []string{app}}, {200, 100, official, "", []string{app}}, {200, 0, inApp, "", []string{app}},
		{200, 200, inApp, "o", []string{app}}, {200, 300, inApp, "", []string{app}}, {200, 0, "Official_Account", "", []string{app}},
		{200, 200, "", "", []string{payer}}, {200, 200, "", " ", []string{payer}}, {200, 200, "", long, []string{payer}},
		{200, 0, "", long, []string{payer}},
		{200, 200, "", "o\x00", []string{payer}},
		{0, 7, "x", long, []string{method, end, app, payer}}, {100, 200, inApp, "", []string{method, app, payer}},
	} {
		got, err := payment.NewIntent(c.method, c.end, c.app, c.openID)
		if c.wrong == nil {
			require.NoError(t, err, "%+v", c)
			assert.Equal(t, c.end, got.EndType)
			assert.Equal(t, c.openID, got.OpenID)
			assert.Contains(t, []payment.WalletApp{official, inApp}, got.App)
			continue
		}
		f, isFault := fault.As(err)
		require.True(t, isFault, "%+v", c)
		assert.Equal(t, fault.Invalid, f.Kind)
		assert.Len(t, f.Fields, len(c.wrong), "%+v: %v", c, err)
		for _, field := range c.wrong {
			assert.Len(t, f.Fields[field], 1, "%+v: %v", c, err)
		}
	}
}

func orders() map[string]payment.Order {
	open := payment.NewOrder(1, "A subject", 1250, time.Hour, noon)
	all := map[string]payment.Order{}
	for i, name := range []string{"open", "another", "expired", "paid", "closed"} {
		o := open
		o.ID = payment.OrderID(i + 1)
		switch name {
		case "expired":
			o.Expires = noon
		case "paid":
			o.State, o.Expires = payment.Paid, noon
		case "closed":
			o.State = payment.Closed
		}
		all[name] = o
	}
	return all
}

func TestPAY07_which_order_is_meant(t *testing.T) {
	all := orders()
	for names, want := range map[string]error{
		"":                             payment.ErrNoOpenOrder,
		"expired paid closed":          payment.ErrNoOpenOrder,
		"open":                         nil,
		"expired open paid closed":     nil,
		"open another":                 payment.ErrAmbiguousOrder,
		"closed open paid another":     payment.ErrAmbiguousOrder,
		"another open expired another": payment.ErrAmbiguousOrder,
	} {
		var given []payment.Order
		for _, name := range strings.Fields(names) {
			given = append(given, all[name])
		}
		got, err := payment.Choose(given, noon)
		if want == nil {
			require.NoError(t, err, names)
			assert.Equal(t, all["open"], got)
			continue
		}
		assert.Same(t, want, err, names)
		assert.Zero(t, got)
	}
}

func TestPAY07_what_can_be_paid(t *testing.T) {
	all := orders()
	for name, want := range map[string]error{
		"open": nil, "expired": payment.ErrExpired, "paid": payment.ErrPaid, "closed": payment.ErrClosed,
	} {
		o := all[name]
		assert.Equal(t, want == nil, o.IsOpen(noon))
		if want != nil {
			assert.Same(t, want, o.CheckPayable(noon), name)
		}
	}
	open := all["open"]
	assert.NoError(t, open.CheckPayable(noon.Add(time.Hour-time.Nanosecond)))
	assert.Same(t, payment.ErrExpired, open.CheckPayable(noon.Add(time.Hour)))
	for err, kind := range map[*fault.Error]fault.Kind{
		payment.ErrNoOrder: fault.NotFound, payment.ErrNoOpenOrder: fault.NotFound, payment.ErrAmbiguousOrder: fault.Conflict,
		payment.ErrPaid: fault.Conflict, payment.ErrClosed: fault.Conflict, payment.ErrExpired: fault.Conflict,
	} {
		assert.Equal(t, kind, err.Kind, err.Text)
	}
}
