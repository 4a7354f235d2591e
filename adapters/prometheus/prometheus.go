// Package prometheus counts and measures what a server does, for Prometheus.
//
// Every label has a fixed set of values, which the program defines: routes are patterns of the
// interface, limits and jobs are constants, and any other text of a client counts as "other" or
// "none". So the number of series is bounded for all requests.
//
// Counters begin at zero with the process. Metrics of the stored state come from samples
// (application/telemetry): every server has the same, so queries aggregate them with max.
package prometheus

import (
	"log/slog"
	"net/http"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the metrics of one server.
type Metrics struct {
	registry *client.Registry
	requests requests
	limits   *client.CounterVec
	wallet   wallet
	jobs     jobs
	samples  samples
}

// New returns metrics that have counted nothing, with those of Go and of the process.
func New() *Metrics {
	registry := client.NewRegistry()
	registered := promauto.With(registry)
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return &Metrics{
		registry: registry,
		requests: newRequests(registered),
		limits: registered.NewCounterVec(client.CounterOpts{
			Name: "plaza_limits_hit_total",
			Help: "Requests that a limit has refused (429, 409 of a quota, or 503), by the limit.",
		}, []string{"limit"}),
		wallet: newWallet(registered), jobs: newJobs(registered), samples: newSamples(registered),
	}
}

// Register adds collectors. It panics if a name is taken.
func (m *Metrics) Register(c ...client.Collector) { m.registry.MustRegister(c...) }

// Handler serves the metrics. It logs those that cannot be collected.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)})
}

// LimitHit counts a request that the named limit has refused. Names are constants of the
// program (fault.Error.Limit).
func (m *Metrics) LimitHit(limit string) { m.limits.WithLabelValues(limit).Inc() }

// jobs are the metrics of what a server does in the background.
type jobs struct {
	success, duration *client.GaugeVec
	failures          *client.CounterVec
}

func newJobs(registered promauto.Factory) jobs {
	name := []string{"name"} // Prometheus has a label "job" of its own
	return jobs{
		success: registered.NewGaugeVec(client.GaugeOpts{
			Name: "plaza_job_last_success_timestamp_seconds",
			Help: "When the background job last succeeded; before that, when the server started.",
		}, name),
		duration: registered.NewGaugeVec(client.GaugeOpts{
			Name: "plaza_job_last_duration_seconds", Help: "How long the last round of the background job took, failed or not.",
		}, name),
		failures: registered.NewCounterVec(client.CounterOpts{
			Name: "plaza_job_failures_total", Help: "Rounds of the background job that have failed. The next round tries again.",
		}, name),
	}
}

// AddJob makes the series of the job exist, as if it had succeeded now. So an alert on the time
// of the last success also finds a job that never does.
func (m *Metrics) AddJob(name string, now time.Time) {
	m.jobs.success.WithLabelValues(name).Set(seconds(now))
	m.jobs.duration.WithLabelValues(name)
	m.jobs.failures.WithLabelValues(name)
}

// JobEnded records the end of a round of the job with its result.
func (m *Metrics) JobEnded(name string, began, ended time.Time, err error) {
	m.jobs.duration.WithLabelValues(name).Set(ended.Sub(began).Seconds())
	if err != nil {
		m.jobs.failures.WithLabelValues(name).Inc()
		return
	}
	m.jobs.success.WithLabelValues(name).Set(seconds(ended))
}

// seconds returns the instant in seconds since 1970.
func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
