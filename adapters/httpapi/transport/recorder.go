package transport

import (
	"net/http"
	"strings"
)

// recorder remembers the status and the size of a response.
type recorder struct {
	http.ResponseWriter
	isHead bool
	base   string // what clients see before the paths of this server
	status int    // zero before the response begins
	bytes  int
	log    requestLog
}

// WriteHeader sends the status. The router redirects HEAD as it does POST; WriteHeader
// answers it as GET (GEN-09).
func (r *recorder) WriteHeader(status int) {
	if r.isHead && status == http.StatusTemporaryRedirect {
		status = http.StatusMovedPermanently
	}
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
		if r.base != "" && strings.HasPrefix(r.Header().Get("Location"), "/") {
			r.Header().Set("Location", r.base+r.Header().Get("Location"))
		}
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap gives http.ResponseController access to the wrapped writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
