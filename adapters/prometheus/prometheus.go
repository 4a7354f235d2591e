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

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the metrics of one server.
type Metrics struct {
	registry *client.Registry
	requests *requests
	limits   *client.CounterVec
	wallet   wallet
	jobs     jobs
	samples  samples
}

// New returns metrics that have counted nothing, with those of Go and of the process.
func New() *Metrics {
	m := &Metrics{
		registry: client.NewRegistry(),
		requests: newRequests(),
		limits: client.NewCounterVec(client.CounterOpts{
			Name: "plaza_limits_hit_total",
			Help: "Requests that a limit has refused (429, 409 of a quota, or 503), by the limit.",
		}, []string{"limit"}),
		wallet: newWallet(), jobs: newJobs(), samples: newSamples(),
	}
	m.Register(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), m.limits)
	m.requests.register(m.registry)
	m.wallet.register(m.registry)
	m.jobs.register(m.registry)
	m.samples.register(m.registry)
	return m
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
