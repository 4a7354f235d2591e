package bootstrap_test

import (
	"log/slog"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
)

// wrongSettings are values that Check refuses, by the field.
var wrongSettings = []struct {
	field, variable string
	values          []string
}{
	{"Addr", "PLAZA_ADDR", []string{"", "nowhere", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:nothing"}},
	{"AdminAddr", "PLAZA_ADMIN_ADDR", []string{"", "nowhere"}},
	{"DataDir", "PLAZA_DATA_DIR", []string{""}},
	{"DatabaseURL", "PLAZA_DATABASE_URL", []string{"mysql://hunter2@x", "sqlite:", "memory", "postgres://me:hun%ter2@x"}},
	{"DatabaseWait", "PLAZA_DATABASE_WAIT", []string{"soon", "-1s", "61m"}},
	{"PublicURL", "PLAZA_PUBLIC_URL", []string{"ftp://x", "plaza.example.org", "https://", "https://x?a=b", "https://x#a", "https://me@x"}},
	{"TokenTTL", "PLAZA_TOKEN_TTL", []string{"", "soon", "59s", "87601h"}},
	{"TrustedProxies", "PLAZA_TRUSTED_PROXIES", []string{"me", "10.0.0.0/99", "10.0.0.1,me"}},
	{"LogLevel", "PLAZA_LOG_LEVEL", []string{"loud"}},
	{"LogFormat", "PLAZA_LOG_FORMAT", []string{"", "xml"}},
}

func TestWrongSettings(t *testing.T) {
	var all bootstrap.Settings
	for _, c := range wrongSettings {
		for _, value := range c.values {
			s := settings()
			reflect.ValueOf(&s).Elem().FieldByName(c.field).SetString(value)
			_, err := s.Check()
			require.ErrorContains(t, err, c.variable+": ", "%q", value)
			assert.NotContains(t, err.Error(), "\nPLAZA_", "%s=%q is the only problem", c.variable, value)
			if c.field == "DatabaseURL" {
				assert.NotRegexp(t, "hunter2|hun%ter2", err.Error(), "an address may hold a password")
			}
		}
		reflect.ValueOf(&all).Elem().FieldByName(c.field).SetString(c.values[len(c.values)-1])
	}
	_, err := all.Check()
	for _, c := range wrongSettings {
		assert.ErrorContains(t, err, c.variable+": ", "all problems are reported at once")
	}
}

func TestSettings(t *testing.T) {
	s := settings()
	s.DatabaseURL, s.DatabaseWait, s.DataDir = "", "0s", "data"
	s.PublicURL, s.TokenTTL = "https://plaza.example.org/", "1m"
	s.TrustedProxies, s.LogLevel, s.LogFormat = "10.0.0.0/8, ::1,", "debug", "json"
	c, err := s.Check()
	require.NoError(t, err)
	assert.Equal(t, "sqlite:data/plaza.db", c.DatabaseURL)
	assert.Equal(t, time.Millisecond, c.DatabaseWait, "zero would be the store's own default")
	assert.Equal(t, "https://plaza.example.org", c.PublicURL)
	assert.Equal(t, time.Minute, c.TokenTTL)
	assert.Equal(t, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}, c.TrustedProxies)
	assert.Equal(t, slog.LevelDebug, c.LogLevel)
	assert.Equal(t, "json", c.LogFormat)
	for _, url := range []string{"memory:", "sqlite:a.db", "postgres://db/plaza", "postgresql://db/plaza"} {
		s.DatabaseURL = url
		c, err := s.Check()
		require.NoError(t, err)
		assert.Equal(t, url, c.DatabaseURL)
	}
}
