//go:build !race

package httpapi

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/test/allocations"
)

// How often a request may allocate in the middleware, its line included. slog's JSON allocates for a
// fraction, here the duration, unless that is zero: a request that takes no microsecond costs one less.
const (
	textLogCost = 9
	jsonLogCost = 10
)

func TestA_line_of_the_log_costs_little(t *testing.T) {
	for format, c := range map[string]struct {
		slog.Handler
		most float64
	}{
		"text": {slog.NewTextHandler(io.Discard, nil), textLogCost},
		"json": {slog.NewJSONHandler(io.Discard, nil), jsonLogCost},
	} {
		f := newMiddleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requestLogOf(r.Context()).user = 1_000_000
			w.WriteHeader(http.StatusNoContent)
		}), Config{Log: slog.New(c.Handler)})
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("X-Request-ID", "abc-123")
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		assert.LessOrEqual(t, allocations.PerRun(100, func() { f.ServeHTTP(w, r) }), c.most, format)
	}
}
