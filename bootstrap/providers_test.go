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
	"plaza/domain/ratelimit"
)

func TestSettings_leave_requests_the_time_that_the_HTTP_interface_needs(t *testing.T) {
	assert.Equal(t, transport.MinWriteTimeout, settings.MinWriteTimeout)
}

func TestGEN_14_the_settings_of_requests_reach_the_HTTP_interface(t *testing.T) {
	c := serveSettings("unused")
	c.MaxRequests, c.LimitAddress = 7, ratelimit.Limit{Count: 3, Period: time.Minute}
	c.TrustedProxies, c.CORSOrigins = settings.Networks{netip.MustParsePrefix("192.0.2.0/24")}, settings.Origins{"https://app.example"}
	got, err := newHTTPConfig(c, Parts{Now: time.Now}, slog.New(slog.DiscardHandler), prometheus.New())
	require.NoError(t, err)
	assert.Equal(t, 7, got.MaxRequests)
	assert.Equal(t, c.LimitAddress, got.AddressLimit)
	assert.Equal(t, []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}, got.TrustedProxies)
	assert.Equal(t, []string{"https://app.example"}, got.Origins)
}
