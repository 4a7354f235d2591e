package httpapi

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
)

// counted counts as Metrics do, for tests with one request at a time.
type counted struct {
	inFlight int
	ended    map[string]int // by method, route and status
	limits   []string
}

func (c *counted) metrics() transport.Metrics {
	c.ended = map[string]int{}
	return transport.Metrics{
		Begun: func() { c.inFlight++ },
		Ended: func(method, route string, status int, took time.Duration) {
			c.inFlight--
			c.ended[fmt.Sprint(method, " ", route, " ", status)]++
		},
		Limited: func(limit string) { c.limits = append(c.limits, limit) },
	}
}

// handlerOf returns the interface with one route, whose handler ends with the error.
func handlerOf(t *testing.T, c transport.Config, err func() error) http.Handler {
	t.Helper()
	return handlerWith(t, c, func(*api, *transport.Call) (transport.Reply, error) {
		return transport.Reply{Status: http.StatusNoContent}, err()
	})
}

// handlerWith returns the interface with one route.
func handlerWith(t *testing.T, c transport.Config, handle func(*api, *transport.Call) (transport.Reply, error)) http.Handler {
	t.Helper()
	router, wrong := newRouter(&api{}, []route{unlimited(http.MethodGet, "/things/{id}/", handle)})
	require.NoError(t, wrong)
	c.Log = slog.New(slog.DiscardHandler)
	return transport.NewMiddleware(transport.WithCORS(transport.LimitRequests(router, c.MaxRequests), c.Origins), c)
}

func TestRequests_are_counted_with_their_route_and_status(t *testing.T) {
	var c counted
	var failure error
	h := handlerOf(t, transport.Config{Metrics: c.metrics()}, func() error {
		assert.Equal(t, 1, c.inFlight)
		if failure == http.ErrAbortHandler {
			panic(failure)
		}
		return failure
	})
	send := func(method, path string) {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, path, nil))
		assert.Zero(t, c.inFlight)
	}
	send("GET", "/things/1/")
	send("GET", "/things/3")
	failure = http.ErrAbortHandler
	assert.Panics(t, func() { send("GET", "/things/7/") })
	assert.Zero(t, c.inFlight)
	assert.Equal(t, map[string]int{"GET /things/:id/ 204": 1, "GET none 301": 1, "GET /things/:id/ 0": 1}, c.ended)
	assert.Empty(t, c.limits)
}

func TestNTF04_a_stream_is_counted_when_it_begins(t *testing.T) {
	var c counted
	began := false
	h := handlerWith(t, transport.Config{Metrics: c.metrics()}, func(*api, *transport.Call) (transport.Reply, error) {
		return transport.Bare(transport.EventStream(func(context.Context, *transport.Events) {
			began = true
			assert.Zero(t, c.inFlight)
			assert.Equal(t, map[string]int{"GET /things/:id/ 200": 1}, c.ended)
		})), nil
	})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/things/1/", nil))
	assert.True(t, began)
	assert.Len(t, c.ended, 1)
}

func TestGEN_14_a_request_beyond_the_bound_counts_for_the_limit(t *testing.T) {
	var c counted
	var h http.Handler
	h = handlerOf(t, transport.Config{Metrics: c.metrics(), MaxRequests: 1}, func() error {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/things/2/", nil)) // while this one is worked on
		return nil
	})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/things/1/", nil))
	assert.Equal(t, []string{"requests"}, c.limits)
	assert.Equal(t, map[string]int{"GET none 503": 1, "GET /things/:id/ 204": 1}, c.ended)
}
