package settings_test

import (
	"encoding/json"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

// parsed returns the checked settings of the flags.
func parsed(t *testing.T, flags ...string) (settings.Config, error) {
	t.Helper()
	var command struct{ settings.Config }
	p, err := settings.NewParser(&command, settings.Offered{})
	require.NoError(t, err)
	_, err = p.Parse(flags)
	require.NoError(t, err, "wrong settings do not stop the parser")
	return command.Check()
}

// TestWrongSettings reads values that Check refuses, by their flags.
func TestWrongSettings(t *testing.T) {
	text, err := os.ReadFile("testdata/wrong.json")
	require.NoError(t, err)
	var wrong map[string][]string
	require.NoError(t, json.Unmarshal(text, &wrong))
	variable := func(flag string) string {
		return "PLAZA_" + strings.ReplaceAll(strings.ToUpper(flag[len("--"):]), "-", "_") + ": "
	}
	var all []string
	for flag, values := range wrong {
		for _, value := range values {
			_, err := parsed(t, flag+"="+value)
			require.ErrorContains(t, err, flag+", "+variable(flag), "%q", value)
			assert.NotRegexp(t, `slog|strconv|\bint\b|time:`, err.Error(), "%q: words of Go", value)
			assert.NotContains(t, err.Error(), "\nPLAZA_", "%s=%q is the only problem", flag, value)
			if strings.HasSuffix(flag, "-url") || strings.HasSuffix(flag, "-urls") {
				assert.NotRegexp(t, "hunter2|hun%ter2", err.Error(), "an address may hold a password")
			}
		}
		all = append(all, flag+"="+values[len(values)-1])
	}
	_, err = parsed(t, all...)
	for flag := range wrong {
		assert.ErrorContains(t, err, variable(flag), "all problems are reported at once")
	}
}

func TestSettings(t *testing.T) {
	c, err := parsed(t, "--database-wait=0s", "--data-dir=data", "--public-url=HTTPS://plaza.example.org/", "--token-ttl=1m",
		"--trusted-proxies=10.1.1.1", "--trusted-proxies=10.0.0.0/8, ::1,", "--log-level=debug", "--log-format=json",
		"--database-pooler", "--database-connections=2")
	require.NoError(t, err)
	assert.Equal(t, "sqlite:data/plaza.db", c.DatabaseURL)
	assert.Equal(t, time.Millisecond, c.DatabaseWait, "zero would be the store's own default")
	assert.Equal(t, "https://plaza.example.org", c.PublicURL)
	assert.Equal(t, time.Minute, c.TokenTTL)
	assert.Equal(t, settings.Networks{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}, c.TrustedProxies)
	assert.Equal(t, slog.LevelDebug, c.LogLevel)
	assert.Equal(t, "json", c.LogFormat)
	assert.True(t, c.DatabasePooler)
	assert.Equal(t, 2, c.DatabaseConnections)
}

func TestSettings_of_the_environment(t *testing.T) {
	for variable, value := range map[string]string{
		"PLAZA_TOKEN_TTL": "soon", "PLAZA_LOG_LEVEL": "debug", "PLAZA_DATABASE_WAIT": "", "PLAZA_DATABASE_CONNECTIONS": "",
		"PLAZA_DATABASE_POOLER": "",
	} {
		t.Setenv(variable, value)
	}
	_, err := parsed(t)
	require.ErrorContains(t, err, "PLAZA_TOKEN_TTL: ")
	c, err := parsed(t, "--token-ttl=1h", "--log-level=error")
	require.NoError(t, err, "a flag overrides its variable")
	assert.Equal(t, time.Hour, c.TokenTTL)
	assert.Equal(t, slog.LevelError, c.LogLevel)
	assert.Equal(t, 30*time.Second, c.DatabaseWait, "an empty variable is a missing one")
	assert.Zero(t, c.DatabaseConnections)
	assert.False(t, c.DatabasePooler)
	_, err = parsed(t, "--log-level=loud", "--token-ttl=1h")
	assert.ErrorContains(t, err, "PLAZA_LOG_LEVEL: ", "also when its variable is valid")
	_, err = parsed(t, "--log-level=error", "--token-ttl=1h", "--token-ttl=soon")
	assert.ErrorContains(t, err, "PLAZA_TOKEN_TTL: ", "also when it comes again")
}

func TestWhereabouts_never_tell_a_password(t *testing.T) {
	for address, want := range map[string]string{
		"sqlite:/var/lib/plaza.db":                           "/var/lib/plaza.db",
		"sqlite:rel/a b.db":                                  "rel/a b.db",
		"postgres://me:hunter22@db:5432/plaza":               "postgres://db:5432/plaza",
		"postgresql://db/plaza?password=hunter22&user=me":    "postgresql://db/plaza",
		"postgres:///plaza?host=/tmp&password=hunter22":      "postgres:///plaza",
		"postgres://me:hun%ter@db/plaza?sslkey=/tmp/hunter2": "the database",
	} {
		assert.Equal(t, want, settings.Config{DatabaseURL: address}.DisplayDatabase(), address)
	}
}

// TestOFF04_staff_need_a_second_factor_unless_the_demo_is_loaded looks at all that is chosen by itself.
func TestOFF04_staff_need_a_second_factor_unless_the_demo_is_loaded(t *testing.T) {
	for withDemo, want := range map[bool][]string{false: {"required", "none", "none", "none"}, true: {"off", "pseudo", "sandbox", "sandbox"}} {
		c, err := parsed(t)
		require.NoError(t, err)
		c.Choose(withDemo)
		assert.Equal(t, want, []string{c.SecondFactor, c.Translator, c.Wallet, c.SMS})
		c, err = parsed(t, "--staff-second-factor=off", "--translator=pseudo", "--wallet=sandboxv3", "--sms=none")
		require.NoError(t, err)
		c.Choose(withDemo)
		assert.Equal(t, []string{"off", "pseudo", "sandboxv3", "none"}, []string{c.SecondFactor, c.Translator, c.Wallet, c.SMS}, "it is set")
	}
}
