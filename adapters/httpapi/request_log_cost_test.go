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

// logCost is how often a request may allocate in the middleware, its line included.
const logCost = 9

func TestA_line_of_the_log_costs_little(t *testing.T) {
	for format, handler := range map[string]slog.Handler{"text": slog.NewTextHandler(io.Discard, nil), "json": slog.NewJSONHandler(io.Discard, nil)} {
		f := newMiddleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requestLogOf(r.Context()).user = 1_000_000
			w.WriteHeader(http.StatusNoContent)
		}), Config{Log: slog.New(handler)})
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("X-Request-ID", "abc-123")
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		assert.LessOrEqual(t, allocations.PerRun(100, func() { f.ServeHTTP(w, r) }), float64(logCost), format)
	}
}
