package contract

import (
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/bootstrap/settings"
)

// metricSales show that each metric follows what happens, over HTTP and on every store.
var metricSales = []sale{
	{"metrics of requests", requestsCounted, everyStore},
	{"metrics of logins", loginsCounted, everyStore},
	{"metrics of limits", limitsCounted, everyStore},
	{"metrics of the wallet's calls", walletCounted, everyStore},
	{"metrics of the database", poolsShown, everyStore},
}

func TestMetrics(t *testing.T) {
	onEach(t, everyStore, func(t *testing.T, on store) {
		for _, r := range metricSales {
			if !on.runs(r.needs) {
				continue
			}
			t.Run(strings.ReplaceAll(r.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				s := on.startTill(t, limited, waitingOneSecond, func(c *settings.Config) { c.QuotaDrafts = 1 })
				s.awaitFirstRounds(t, "media_cleanup", "sample")
				r.show(t, s)
			})
		}
	})
}

// awaitFirstRounds returns when the first rounds of the server's jobs have ended. They begin with
// the server, and the next ones are too late to disturb a test.
func (s *server) awaitFirstRounds(t *testing.T, jobs ...string) {
	t.Helper()
	for _, job := range jobs {
		require.Eventually(t, func() bool {
			took, _ := s.metric(t, `plaza_job_last_duration_seconds{name="`+job+`"}`)
			return took > 0
		}, time.Minute, time.Millisecond, job)
	}
}

// metric returns the value of the series, added up over the servers, and whether one has it.
func (s *server) metric(t *testing.T, series string) (sum float64, found bool) {
	t.Helper()
	for _, app := range s.apps {
		w := httptest.NewRecorder()
		app.Metrics.Handler(slog.New(slog.DiscardHandler)).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
		for line := range strings.Lines(w.Body.String()) {
			if text, is := strings.CutPrefix(line, series+" "); is {
				value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
				require.NoError(t, err, line)
				sum, found = sum+value, true
			}
		}
	}
	return sum, found
}

// counts asserts the value of the series. A series that does not exist has the value zero.
func (s *server) counts(t *testing.T, want float64, series string) {
	t.Helper()
	got, _ := s.metric(t, series)
	assert.InDelta(t, want, got, 1e-6, series)
}

// sampled asserts the values of the series in a sample of one server.
func (s *server) sampled(t *testing.T, want map[string]float64) {
	t.Helper()
	require.NoError(t, s.apps[0].Sample(t.Context()))
	one := &server{apps: s.apps[:1]}
	for series, value := range want {
		_, found := one.metric(t, series)
		assert.True(t, found, series)
		one.counts(t, value, series)
	}
}

func requestsCounted(t *testing.T, s *till) {
	ada := s.member(t)
	const read, of = "plaza_http_requests_total", "plaza_http_request_duration_seconds_count"
	id := ada.publishes(t, "A lake")
	for range 2 {
		ada.reads(t, id)
	}
	ada.get(t, eventPath(id+1)).is(404)
	s.anyone().get(t, eventPath(id)).is(401)
	s.anyone().send(t, "HEAD", eventPath(id), nil).is(401)
	s.anyone().get(t, "/odd").is(404)
	s.anyone().send(t, "PURGE", eventPath(id), nil).is(405)
	s.counts(t, 1, read+`{code="201",method="POST",route="/api/xfile/event/"}`)
	s.counts(t, 2, read+`{code="200",method="GET",route="/api/xfile/event/:id/"}`)
	s.counts(t, 1, read+`{code="404",method="GET",route="/api/xfile/event/:id/"}`)
	s.counts(t, 1, read+`{code="401",method="GET",route="/api/xfile/event/:id/"}`)
	s.counts(t, 1, read+`{code="401",method="HEAD",route="/api/xfile/event/:id/"}`)
	s.counts(t, 1, read+`{code="404",method="GET",route="none"}`)
	s.counts(t, 1, read+`{code="405",method="other",route="none"}`)
	s.counts(t, 4, of+`{method="GET",route="/api/xfile/event/:id/"}`)
	s.counts(t, 0, "plaza_http_requests_in_flight")
}

func loginsCounted(t *testing.T, s *till) {
	ada, bob := s.member(t), s.member(t)
	s.anyone().gets(t, ada)
	s.anyone().failsTimes(t, 1, "+86-13999999999")
	s.anyone().failsTimes(t, 5, bob.phone)
	s.anyone().logsIn(t, bob.phone, password).throttled()
	s.anyone().logsIn(t, "ada", password).invalid("username")
	for outcome, n := range map[string]float64{"succeeded": 1, "wrong_password": 6, "throttled": 1, "invalid": 1, "failed": 0} {
		series := `plaza_logins_total{outcome="` + outcome + `"}`
		_, found := s.metric(t, series)
		assert.True(t, found, series)
		s.counts(t, n, series)
	}
}

func limitsCounted(t *testing.T, s *till) {
	ada := s.member(t)
	hit := func(n float64, limit string) {
		t.Helper()
		s.counts(t, n, `plaza_limits_hit_total{limit="`+limit+`"}`)
	}
	id := ada.publishes(t, "A lake")
	for range 3 {
		ada.comments(t, id, "Well said")
	}
	hit(0, "comment")
	for range 2 {
		ada.post(t, comments, object{"event": id, "content": "x"}).throttled()
	}
	hit(2, "comment")
	ada.writes(t, object{"title": "A draft"})
	ada.post(t, events, object{"title": "A draft"}).isFull("1 drafts")
	hit(1, "quota_drafts")
	s.anyone().failsTimes(t, 5, ada.phone)
	s.anyone().logsIn(t, ada.phone, password).throttled()
	hit(1, "failed_logins")
	bob := s.member(t)
	for range 3 {
		s.anyone().gets(t, bob)
	}
	s.anyone().logsIn(t, bob.phone, password).throttled()
	hit(1, "login")
}

func walletCounted(t *testing.T, s *till) {
	calls := func(n float64, call, outcome string) {
		t.Helper()
		s.counts(t, n, `plaza_wallet_requests_total{call="`+call+`",outcome="`+outcome+`"}`)
	}
	ada, _ := s.sells(t)
	ada.post(t, pay, paymentWith(byCode)).is(200)
	calls(1, "prepare", "ok")
	s.counts(t, 1, `plaza_wallet_request_duration_seconds_count{call="prepare"}`)
	s.clock.advance(30 * time.Second)
	s.tend(t)
	calls(1, "query", "ok")
	s.misbehaves(t, sandbox.Misbehaviour{On: sandbox.UnifiedOrder, Do: sandbox.Garbage})
	bob, _ := s.sells(t)
	bob.post(t, pay, paymentWith(byCode)).fails(502, "GATEWAY_ERROR")
	calls(1, "prepare", "unknown")
	s.clock.advance(10 * time.Minute)
	ada.post(t, pay, paymentWith(byApp)).is(200)
	calls(1, "close", "ok")
}

func poolsShown(t *testing.T, s *till) {
	s.member(t).get(t, profile).is(200)
	pools := map[string]string{"SQLite": "reader", "Postgres": "requests", "two_servers": "requests"}
	for _, pool := range []string{"reader", "requests"} {
		for _, series := range []string{
			`plaza_database_connections{pool="` + pool + `",state="max"}`, `plaza_database_connections{pool="` + pool + `",state="idle"}`,
			`plaza_database_connection_waits_total{pool="` + pool + `"}`, `plaza_database_connection_wait_seconds_total{pool="` + pool + `"}`,
		} {
			_, found := s.metric(t, series)
			assert.Equal(t, pools[s.on.name] == pool, found, series)
		}
	}
}
