package httpapi

import (
	"net/http"
	"net/http/httptest"
	"slices"
)

// newRequest returns a request with the headers, each a name and a value.
func newRequest(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return r
}
