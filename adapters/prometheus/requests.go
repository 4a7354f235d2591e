package prometheus

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// requestBuckets are the upper limits of the duration of a request, in seconds. Requests end
// after 20 seconds, uploads after two minutes.
var requestBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60}

// requests are the metrics of HTTP requests.
type requests struct {
	inFlight client.Gauge
	counts   *client.CounterVec
	times    *client.HistogramVec
}

func newRequests(registered promauto.Factory) requests {
	return requests{
		inFlight: registered.NewGauge(client.GaugeOpts{
			Name: "plaza_http_requests_in_flight", Help: "HTTP requests that have arrived and are not yet answered.",
		}),
		counts: registered.NewCounterVec(client.CounterOpts{
			Name: "plaza_http_requests_total",
			Help: "HTTP requests by method, route and status. The route is that of the log line, none for unknown paths; " +
				"the code 499 means that the client left.",
		}, []string{"method", "route", "code"}),
		times: registered.NewHistogramVec(client.HistogramOpts{
			Name: "plaza_http_request_duration_seconds", Help: "Time from the arrival of an HTTP request to the end of its response.",
			Buckets: requestBuckets,
		}, []string{"method", "route"}),
	}
}

func (m *Metrics) RequestBegun() { m.requests.inFlight.Inc() }

// RequestEnded counts a request that is answered. The method may be any text. The route must be
// a pattern, never a path: each route has series of its own.
func (m *Metrics) RequestEnded(method, route string, status int, took time.Duration) {
	m.requests.inFlight.Dec()
	method = knownMethod(method)
	m.requests.counts.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.requests.times.WithLabelValues(method, route).Observe(took.Seconds())
}

// methods are the methods that have series of their own.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// knownMethod returns the method, or "other" for a method that no route has.
func knownMethod(method string) string {
	if slices.Contains(methods, method) {
		return method
	}
	return "other"
}
