package bootstrap

import (
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/prometheus"
	"plaza/bootstrap/settings"
)

func TestSettings_leave_requests_the_time_that_the_HTTP_interface_needs(t *testing.T) {
	assert.Equal(t, transport.MinWriteTimeout, settings.MinWriteTimeout)
}

func TestGEN_14_the_settings_of_requests_reach_the_HTTP_interface(t *testing.T) {
	var command struct{ settings.Config }
	p, err := settings.NewParser(&command, Offered())
	require.NoError(t, err)
	_, err = p.Parse([]string{"--max-requests=7", "--limit-address=3/m", "--trusted-proxies=192.0.2.0/24", "--cors-origins=https://app.example"})
	require.NoError(t, err)
	c, err := Check(command.Config)
	require.NoError(t, err)
	got, err := newHTTPConfig(c, Parts{Now: time.Now}, slog.New(slog.DiscardHandler), prometheus.New())
	require.NoError(t, err)
	assert.Equal(t, 7, got.MaxRequests)
	assert.Equal(t, c.LimitAddress, got.AddressLimit)
	assert.Equal(t, []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, got.TrustedProxies)
	assert.Equal(t, []string{"https://app.example"}, got.Origins)
}
