package bootstrap

import (
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/domain/ratelimit"
)

func newTestApp(t *testing.T, config settings.Config) *App {
	t.Helper()
	c, err := Check(config)
	require.NoError(t, err)
	app, err := NewApp(t.Context(), c, slog.New(slog.DiscardHandler), Parts{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, app.Close()) })
	return app
}

// exposedBy returns the metrics of the App as Prometheus reads them.
func exposedBy(t *testing.T, app *App) string {
	t.Helper()
	seen := httptest.NewRecorder()
	app.Metrics.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(seen, httptest.NewRequest("GET", "/metrics", nil))
	body, err := io.ReadAll(seen.Body)
	require.NoError(t, err)
	return string(body)
}

var (
	// metricRow matches a row of the table of metrics and captures the name.
	metricRow = regexp.MustCompile("(?m)^\\| `(plaza_[a-z_]+)` \\| ")
	// helpLine matches the help of a metric and captures the name.
	helpLine = regexp.MustCompile(`(?m)^# HELP (plaza_[a-z_]+) .+$`)
)

func namesIn(text string, pattern *regexp.Regexp) []string {
	var names []string
	for _, found := range pattern.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	return names
}

// TestMetrics_of_a_server_are_those_of_the_table serves the demo with all that has metrics: a database, a wallet, and
// a remote translator, which is down, with a budget, and a collector of traces.
func TestMetrics_of_a_server_are_those_of_the_table(t *testing.T) {
	down := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(down.Close)
	withoutTraces(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", down.URL)
	c := serveSettings(demoDir(t))
	c.Translator, c.TranslatorURL, c.TranslatorBudget = "libretranslate", down.URL, new(int64(1000))
	c.LimitAddress = ratelimit.Limit{Count: 1, Period: time.Hour}
	c.SMSBudget, c.SMSCodes = new(int64(500)), settings.DiallingCodes{"86": 0, "852": 20}
	s := startServing(t, Server{Demo: true, Config: c})
	key := s.login("+86-13800000001")
	for range 2 {
		status, _ := s.post("/api/user/user-simple-info/", "", "{}")
		require.NotEqual(t, http.StatusOK, status)
	}
	status, body := s.asks("GET", s.url+"/api/writing/bundle-data/get-publication-feed-items/", key, "", "x-language-locale", "eo")
	require.Equal(t, http.StatusOK, status, body)
	// The sample is taken in the background.
	require.Eventually(t, func() bool { return strings.Contains(s.metrics(), "plaza_import_last_success") }, time.Minute, 10*time.Millisecond)
	text := s.metrics()
	table, err := os.ReadFile("observability.md")
	require.NoError(t, err)
	assert.Equal(t, namesIn(string(table), metricRow), namesIn(text, helpLine))
	assert.Regexp(t, `plaza_translation_misses_total [1-9]`, text, "PUB-07: what is counted of translations can be seen")
	assert.Regexp(t, `plaza_translation_failures_total [1-9]`, text)
	assert.Contains(t, text, "plaza_translation_hits_total 0\n")
	for _, series := range []string{
		`plaza_build_info{goversion="go1.`, `plaza_database_connections{pool="reader",state="max"} `,
		`plaza_database_connections{pool="writer",state="max"} 1`, `plaza_limits_hit_total{limit="address"} `,
		`plaza_http_requests_total{code="429",method="POST",route="/api/user/user-simple-info/"} `,
		`plaza_job_last_success_timestamp_seconds{name="payments_poll"} `, `plaza_job_last_success_timestamp_seconds{name="sweep"} `,
		`plaza_verification_messages_total{outcome="refused",reason="set-up"} 0`, `plaza_verification_budget_messages{dialling_code="all"} 500`,
		`plaza_verification_budget_spent{dialling_code="852"} 0`,
		`plaza_payments{state="refund_due"} `, "plaza_translation_breaker_open 0\n", "plaza_translation_budget_remaining_characters 1000\n",
	} {
		assert.Contains(t, text, "\n"+series)
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	require.NoError(t, err)
	assert.Empty(t, problems)
}

func TestMetrics_of_a_sample_that_fails_stay(t *testing.T) {
	s := serveSettings(demoDir(t))
	s.PublicURL = "https://plaza.example.org"
	app := newTestApp(t, s)
	sample := app.jobs()[slices.IndexFunc(app.jobs(), func(j job) bool { return j.name == "sample" })]
	app.Metrics.AddJob(sample.name, time.Now())
	app.round(t.Context(), sample)
	sampled := func() map[string]string {
		all := map[string]string{}
		for _, found := range regexp.MustCompile(`(?m)^(plaza_(?:payments|wallet_oldest|media|import)[^ ]*) (.+)$`).FindAllStringSubmatch(exposedBy(t, app), -1) {
			all[found[1]] = found[2]
		}
		return all
	}
	before := sampled()
	require.NotEmpty(t, slices.Collect(maps.Keys(before)))
	require.NoError(t, app.Database().Close())
	app.round(t.Context(), sample)
	assert.Equal(t, before, sampled())
	assert.Contains(t, exposedBy(t, app), `plaza_job_failures_total{name="sample"} 1`)
}
