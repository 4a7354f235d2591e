//go:build soak

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
	"plaza/test/process"
)

// hasty are the changes of alerts.yml and prometheus.yml that make them decide within seconds.
var hasty = struct{ rules, config []*regexp.Regexp }{
	rules:  []*regexp.Regexp{regexp.MustCompile(`\[5m\]`), regexp.MustCompile(`(?m)^( +for: ).*$`)},
	config: []*regexp.Regexp{regexp.MustCompile(`(_interval: )15s`), regexp.MustCompile(`(scrape_timeout: )10s`)},
}

// monitor is a Prometheus with the configuration of bootstrap/deploy.
type monitor struct {
	t   *testing.T
	url string
}

// startMonitor starts Prometheus over the servers. It decides within seconds.
func startMonitor(t *testing.T, servers ...*running) monitor {
	t.Helper()
	programs := server(t, "PLAZA_TEST_PROMETHEUS", "prometheus")
	folder := t.TempDir()
	config, rules := deployed(t, "prometheus/prometheus.yml"), deployed(t, "prometheus/alerts.yml")
	for i, with := range []string{"[10s]", "${1}0s"} {
		require.Regexp(t, hasty.rules[i], rules)
		rules = hasty.rules[i].ReplaceAllString(rules, with)
	}
	for _, setting := range hasty.config {
		require.Regexp(t, setting, config)
		config = setting.ReplaceAllString(config, "${1}1s")
	}
	var targets []string
	for _, r := range servers {
		targets = append(targets, strings.TrimSuffix(strings.TrimPrefix(r.admin, "http://"), "/readyz"))
	}
	list := replaced(t, deployed(t, "prometheus/targets.yml"), `"127.0.0.1:9081", "127.0.0.1:9082"`, `"`+strings.Join(targets, `", "`)+`"`)
	for name, text := range map[string]string{"prometheus.yml": config, "alerts.yml": rules, "targets.yml": list} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	at := process.OnLoopback(t, process.Server{
		Command: func(address string) *exec.Cmd {
			return exec.Command(filepath.Join(programs, "prometheus"), "--config.file="+filepath.Join(folder, "prometheus.yml"),
				"--storage.tsdb.path="+filepath.Join(folder, "data"), "--web.listen-address="+address, "--log.level=warn")
		},
		IsReady: func(address string) bool {
			res, err := http.Get("http://" + address + "/-/ready")
			return err == nil && res.Body.Close() == nil && res.StatusCode == http.StatusOK
		},
	})
	return monitor{t, "http://" + at}
}

// get reads an answer of Prometheus' interface.
func (m monitor) get(path string, into any) {
	m.t.Helper()
	res, err := http.Get(m.url + path)
	require.NoError(m.t, err)
	defer res.Body.Close()
	require.Equal(m.t, http.StatusOK, res.StatusCode, path)
	require.NoError(m.t, json.NewDecoder(res.Body).Decode(into))
}

// series returns how many series the query returns.
func (m monitor) series(query string) int {
	m.t.Helper()
	var answer struct{ Data struct{ Result []any } }
	m.get("/api/v1/query?query="+url.QueryEscape(query), &answer)
	return len(answer.Data.Result)
}

// firing returns the names of the alerts that fire.
func (m monitor) firing() map[string]bool {
	m.t.Helper()
	var answer struct {
		Data struct {
			Alerts []struct {
				State  string
				Labels map[string]string
			}
		}
	}
	m.get("/api/v1/alerts", &answer)
	names := map[string]bool{}
	for _, alert := range answer.Data.Alerts {
		if alert.State == "firing" {
			names[alert.Labels["alertname"]] = true
		}
	}
	return names
}

// comparison matches the comparison that decides whether an alert fires.
var comparison = regexp.MustCompile(`(?s)^(.*?\s)(>|<|==)(\s.*)$`)

// queries returns the queries of all alerts, without their thresholds, and of the dashboard.
func queries(t *testing.T) (all []string) {
	t.Helper()
	var rules struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(deployed(t, "prometheus/alerts.yml")), &rules))
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			require.Regexp(t, comparison, rule.Expr, rule.Alert)
			all = append(all, strings.ReplaceAll(comparison.ReplaceAllString(rule.Expr, "$1$2 bool$3"), "[5m]", "[10s]"))
		}
	}
	alerts := len(all)
	require.NotZero(t, alerts)
	var dashboard struct {
		Panels []struct {
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(deployed(t, "grafana/plaza.json")), &dashboard))
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			all = append(all, strings.NewReplacer("$__rate_interval", "10s", "$instance", ".*").Replace(target.Expr))
		}
	}
	require.Greater(t, len(all), alerts)
	return all
}

func TestPrometheusConfiguration(t *testing.T) {
	programs := server(t, "PLAZA_TEST_PROMETHEUS", "prometheus")
	folder := filepath.Join("..", "..", "bootstrap", "deploy", "prometheus")
	out, err := exec.CommandContext(t.Context(), filepath.Join(programs, "promtool"), "check", "config",
		filepath.Join(folder, "prometheus.yml")).CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Regexp(t, `SUCCESS: \d+ rules found`, string(out), "the rules are found as well")
}

// customers send requests of all kinds to a server of the demo until the test ends.
func customers(t *testing.T, r *running, pay bool) {
	t.Helper()
	key := login(t, r.url)
	send := func(method, path string, header http.Header, body any) { ask(r, key, method, path, header, body) }
	repeat(t, func(n int) {
		send(http.MethodGet, "/api/feed/items/uncategory/", nil, nil)
		send(http.MethodGet, "/api/writing/bundle-data/get-publication-feed-items/", http.Header{"X-Language-Locale": {"fr"}}, nil)
		send(http.MethodPut, "/api/activity/like/1/", nil, nil)
		ask(r, "", http.MethodPost, "/api/auth/login/", nil, map[string]string{"username": fmt.Sprintf("+1-20255501%02d", n%100),
			"password": "wrong"})
		if pay {
			send(http.MethodPost, "/api/pay/order/pay/", nil, map[string]int{"pay_method": 200, "end_type": 0})
		}
	})
}

// repeat calls the function ten times a second until the test ends, with the number of the call.
func repeat(t *testing.T, do func(n int)) {
	stop := make(chan struct{})
	var ended sync.WaitGroup
	t.Cleanup(func() { close(stop); ended.Wait() })
	ended.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			do(n)
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	})
}

func TestPrometheusSeesABrokenWallet(t *testing.T) {
	server(t, "PLAZA_TEST_PROMETHEUS", "prometheus")
	sound := serve(t, "--demo", "--data-dir="+t.TempDir(), "--wallet-sandbox-addr=127.0.0.1:0", "--wallet-poll=200ms",
		"--sms-budget=1000")
	const nowhere = "http://127.0.0.1:1"
	dir := t.TempDir()
	examples := t.TempDir()
	_, errOut, status := run(t, nil, "demo", "--write", examples)
	require.Zero(t, status, errOut)
	files, err := filepath.Glob(filepath.Join(examples, "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	_, errOut, status = run(t, nil, "demo", "--data-dir="+dir)
	require.Zero(t, status, errOut)
	_, errOut, status = run(t, nil, append([]string{"import", "--data-dir=" + dir}, files...)...)
	require.Zero(t, status, errOut)
	broken := serve(t, "--demo", "--data-dir="+dir, "--wallet-url="+nowhere, "--wallet-poll=200ms", "--limit-likes=1/d",
		"--wallet-sandbox-addr=127.0.0.1:0",
		"--translator=libretranslate", "--translator-url="+nowhere, "--translator-budget=100000")
	crowded := serve(t, "--database-url=memory:", "--data-dir="+t.TempDir(), "--max-connections=1")
	onPostgres := serve(t, "--demo", "--data-dir="+t.TempDir(), "--wallet-sandbox-addr=127.0.0.1:0", "--database-url="+postgres.Empty(t))
	m := startMonitor(t, sound, broken, crowded, onPostgres)
	everybody, err := net.Dial("tcp", crowded.address())
	require.NoError(t, err)
	defer everybody.Close()
	repeat(t, func(int) { // one more is refused
		if conn, err := net.Dial("tcp", crowded.address()); err == nil {
			_, _ = io.Copy(io.Discard, conn)
			conn.Close()
		}
	})
	customers(t, sound, true)
	customers(t, broken, false)
	customers(t, onPostgres, false)
	const alert = "PlazaWalletFails"
	require.Eventually(t, func() bool { return m.series(`rate(plaza_wallet_requests_total[10s]) > 0`) > 0 }, patience, 200*time.Millisecond)
	assert.NotContains(t, m.firing(), alert, "the wallet of the first server works")
	customers(t, broken, true)
	require.Eventually(t, func() bool { return m.firing()[alert] }, patience, 200*time.Millisecond)

	var empty []string
	assert.Eventually(t, func() bool {
		empty = nil
		for _, query := range queries(t) {
			if m.series(query) == 0 {
				empty = append(empty, query)
			}
		}
		return len(empty) == 0
	}, patience, time.Second)
	assert.Empty(t, empty, "queries without a series")
}
