package settings_test

import (
	"log/slog"
	"net/netip"
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

// wrongSettings are values that Check refuses, by their flags.
var wrongSettings = []struct {
	flag, variable string
	values         []string
}{
	{"--addr", "PLAZA_ADDR", []string{"", "nowhere", "127.0.0.1", "127.0.0.1:99999", "127.0.0.1:nothing"}},
	{"--admin-addr", "PLAZA_ADMIN_ADDR", []string{"", "nowhere"}},
	{"--data-dir", "PLAZA_DATA_DIR", []string{""}},
	{"--database-url", "PLAZA_DATABASE_URL", []string{"mysql://hunter2@x", "sqlite:", "memory", "postgres://me:hun%ter2@x",
		"postgres://me:12/hunter2@x/plaza", "postgres://me:h@un/ter2@x/plaza", "postgres://me:9#hunter2@x/plaza",
		"postgres://me:9?hunter2@x/plaza"}},
	{"--database-pooler", "PLAZA_DATABASE_POOLER", []string{"perhaps"}},
	{"--database-connections", "PLAZA_DATABASE_CONNECTIONS", []string{"many", "1", "-1", "1001"}},
	{"--database-wait", "PLAZA_DATABASE_WAIT", []string{"soon", "-1s", "61m"}},
	{"--migrate", "PLAZA_MIGRATE", []string{"perhaps"}},
	{"--public-url", "PLAZA_PUBLIC_URL", []string{"ftp://x", "plaza.example.org", "https://", "https://x?a=b", "https://x#a", "https://me@x"}},
	{"--token-ttl", "PLAZA_TOKEN_TTL", []string{"0", "soon", "59s", "87601h"}},
	{"--wallet-poll", "PLAZA_WALLET_POLL", []string{"0", "5", "49ms", "61m"}},
	{"--wallet-timeout", "PLAZA_WALLET_TIMEOUT", []string{"0", "11s"}},
	{"--trusted-proxies", "PLAZA_TRUSTED_PROXIES", []string{"me", "10.0.0.0/99", "10.0.0.1,me", "0.0.0.0/0", "10.0.0.1,::/0"}},
	{"--quota-drafts", "PLAZA_QUOTA_DRAFTS", []string{"many", "-1", "1.5", "3000000000", "1k"}},
	{"--quota-comments", "PLAZA_QUOTA_COMMENTS", []string{"few", "-1"}},
	{"--quota-follows", "PLAZA_QUOTA_FOLLOWS", []string{"all", "-1"}},
	{"--quota-pictures", "PLAZA_QUOTA_PICTURES", []string{"much", "-1", "10 GiB each", "10EiB", "none of them"}},
	{"--cors-origins", "PLAZA_CORS_ORIGINS", []string{
		"app.example", "ftp://app.example", "https://app.example/", "https://me@app.example", "https://*.example", "https://:80",
		"https://app.example:", "https://app.example:99999", "https://app.example:443", "http://app.example:80", "null",
	}},
	{"--read-timeout", "PLAZA_READ_TIMEOUT", []string{"0s", "soon", "999ms", "61s"}},
	{"--write-timeout", "PLAZA_WRITE_TIMEOUT", []string{"0s", "20s", "29s", "61m"}},
	{"--idle-timeout", "PLAZA_IDLE_TIMEOUT", []string{"0s", "61m"}},
	{"--drain-delay", "PLAZA_DRAIN_DELAY", []string{"-1s", "5", "61m"}},
	{"--drain-timeout", "PLAZA_DRAIN_TIMEOUT", []string{"0s", "61m"}},
	{"--limits", "PLAZA_LIMITS", []string{"none", "perhaps"}},
	{"--limit-comments", "PLAZA_LIMIT_COMMENTS", []string{"300", "0/h", "many/h"}},
	{"--limit-upload-bytes", "PLAZA_LIMIT_UPLOAD_BYTES", []string{"8GB/d"}},
	{"--sms-budget", "PLAZA_SMS_BUDGET", []string{"many", "0", "-1"}},
	{"--sms-codes", "PLAZA_SMS_CODES", []string{"+86", "8613", "86=", "86=many", "86=0", "86,86", ","}},
	{"--sms-host", "PLAZA_SMS_HOST", []string{"https://app.example", "app.example:80", "app.example/", "-app.example", "a b"}},
	{"--sign-up", "PLAZA_SIGN_UP", []string{"off", "perhaps"}},
	{"--log-level", "PLAZA_LOG_LEVEL", []string{"loud"}},
	{"--log-format", "PLAZA_LOG_FORMAT", []string{"", "xml"}},
}

func TestWrongSettings(t *testing.T) {
	var all []string
	for _, c := range wrongSettings {
		for _, value := range c.values {
			_, err := parsed(t, c.flag+"="+value)
			require.ErrorContains(t, err, c.flag+", "+c.variable+": ", "%q", value)
			assert.NotRegexp(t, `slog|strconv|\bint\b|time:`, err.Error(), "%q: words of Go", value)
			assert.NotContains(t, err.Error(), "\nPLAZA_", "%s=%q is the only problem", c.variable, value)
			if strings.HasSuffix(c.flag, "-url") || strings.HasSuffix(c.flag, "-urls") {
				assert.NotRegexp(t, "hunter2|hun%ter2", err.Error(), "an address may hold a password")
			}
		}
		all = append(all, c.flag+"="+c.values[len(c.values)-1])
	}
	_, err := parsed(t, all...)
	for _, c := range wrongSettings {
		assert.ErrorContains(t, err, c.variable+": ", "all problems are reported at once")
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
