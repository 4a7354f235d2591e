package transport

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// newRequest returns a request with the headers, each a name and a value.
func newRequest(method, target string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return r
}

func sent(t *testing.T, r Reply, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r.Send(w, newRequest(http.MethodGet, "/", headers...))
	return w
}

func TestA_reply_that_cant_be_encoded_is_a_mistake_of_ours(t *testing.T) {
	w := sent(t, Data(math.NaN()))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.True(t, json.Valid(w.Body.Bytes()))
}
