package transport

import (
	"net/http"
	"time"

	"github.com/rs/cors"
)

// preflightAge is how long a browser may remember a preflight, in seconds.
const preflightAge = int(2 * time.Hour / time.Second)

// WithCORS lets browsers call next from pages of the origins, * being any (GEN-15). It
// answers preflights of these origins by itself and adds CORS headers to all other
// responses to them, errors included. To any other origin next answers as without CORS.
func WithCORS(next http.Handler, origins []string) http.Handler {
	if len(origins) == 0 {
		return next
	}
	rules := cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		},
		AllowedHeaders: []string{
			"Authorization", "Content-Type", "If-None-Match", "Idempotency-Key", "Last-Event-ID", "X-Request-ID", "x-language-locale", "traceparent",
		},
		ExposedHeaders: []string{"X-Request-ID", "X-Order-ID", "Retry-After", "ETag", "Location"},
		MaxAge:         preflightAge,
	})
	listed := rules.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rules.OriginAllowed(r) {
			listed.ServeHTTP(w, r)
			return
		}
		w.Header().Add("Vary", "Origin")
		next.ServeHTTP(w, r)
	})
}
