package transport

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

const (
	traceID    = "0af7651916cd43dd8448eb211c80319c"
	callerID   = "b7ad6b7169203331"
	wellFormed = "00-" + traceID + "-" + callerID + "-01"
)

func TestGEN10_the_trace_that_the_caller_names_is_in_every_line(t *testing.T) {
	for header, isNamed := range map[string]bool{
		wellFormed:                               true,
		"":                                       false,
		"ff-" + traceID + "-" + callerID + "-01": false,
		"00-00000000000000000000000000000000-" + callerID + "-01": false,
		"00-0AF7651916CD43DD8448EB211C80319C-" + callerID + "-01": false,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if header != "" {
			r.Header.Set("traceparent", header)
		}
		_, log := framed(r, func(w http.ResponseWriter, r *http.Request) {
			Logger(r.Context()).Info("something of the handler's")
			w.WriteHeader(http.StatusNoContent)
		})
		assert.Equal(t, map[bool]int{true: 2}[isNamed], bytes.Count([]byte(log), []byte(" trace_id="+traceID)), "%s: %s", header, log)
		assert.Equal(t, isNamed, bytes.Contains([]byte(log), []byte("trace_id")), header)
	}
}
