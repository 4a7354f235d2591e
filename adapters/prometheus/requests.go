package prometheus

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
)

// requestBuckets are the upper limits of the duration of a request, in seconds. Requests end
// after 20 seconds, uploads after two minutes.
var requestBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10, 60}

// requests are the metrics of HTTP requests.
type requests struct {
	inFlight client.Gauge
	counts   *client.CounterVec
	times    *client.HistogramVec

	mu     sync.Mutex
	series atomic.Pointer[map[requestLabels]requestSeries] // replaced by a larger copy, never changed
}

// requestLabels identify the series of a request. Methods are those of knownMethod; routes and
// statuses are constants of the interface.
type requestLabels struct {
	method, route string
	status        int
}

// requestSeries are the series of requests with the same labels. They are found by one look-up
// without an allocation, because that is needed for every request.
type requestSeries struct {
	count client.Counter
	time  client.Observer
}

func newRequests() *requests {
	r := &requests{
		inFlight: client.NewGauge(client.GaugeOpts{
			Name: "plaza_http_requests_in_flight", Help: "HTTP requests that have arrived and are not yet answered.",
		}),
		counts: client.NewCounterVec(client.CounterOpts{
			Name: "plaza_http_requests_total",
			Help: "HTTP requests by method, route and status. The route is that of the log line, none for unknown paths; " +
				"the code 499 means that the client left.",
		}, []string{"method", "route", "code"}),
		times: client.NewHistogramVec(client.HistogramOpts{
			Name: "plaza_http_request_duration_seconds", Help: "Time from the arrival of an HTTP request to the end of its response.",
			Buckets: requestBuckets,
		}, []string{"method", "route"}),
	}
	r.series.Store(&map[requestLabels]requestSeries{})
	return r
}

func (r *requests) register(registry *client.Registry) {
	registry.MustRegister(r.inFlight, r.counts, r.times)
}

// RequestBegun counts a request that has arrived.
func (m *Metrics) RequestBegun() { m.requests.inFlight.Inc() }

// RequestEnded counts a request that is answered. The method may be any text. The route must be
// a pattern, never a path: each route has series of its own.
func (m *Metrics) RequestEnded(method, route string, status int, took time.Duration) {
	m.requests.inFlight.Dec()
	s := m.requests.of(requestLabels{knownMethod(method), route, status})
	s.count.Inc()
	s.time.Observe(took.Seconds())
}

// of returns the series with the labels. It makes them for the first request that needs them.
func (r *requests) of(l requestLabels) requestSeries {
	if s, known := (*r.series.Load())[l]; known {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := requestSeries{r.counts.WithLabelValues(l.method, l.route, strconv.Itoa(l.status)), r.times.WithLabelValues(l.method, l.route)}
	all := maps.Clone(*r.series.Load())
	all[l] = s
	r.series.Store(&all)
	return s
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
