package httpapi

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

func sent(t *testing.T, r reply, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	req := httptest.NewRequest(http.MethodGet, "/", nil)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	r.send(w, req)
	return w
}

func TestA_reply_that_cant_be_encoded_is_a_mistake_of_ours(t *testing.T) {
	w := sent(t, data(math.NaN()))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
	assert.True(t, json.Valid(w.Body.Bytes()))
}

func TestGEN_12_files_are_sent_once(t *testing.T) {
	picture := bare(file{"image/png", []byte("pixels"), "public, max-age=31536000, immutable"})
	w := sent(t, picture)
	tag := w.Header().Get("ETag")
	assert.Regexp(t, `^"[0-9a-f]{32}"$`, tag)
	assert.Equal(t, "pixels", w.Body.String())
	assert.Equal(t, "image/png", w.Header().Get("Content-Type"))
	assert.Equal(t, "public, max-age=31536000, immutable", w.Header().Get("Cache-Control"))

	for header, isKnown := range map[string]bool{tag: true, `"other"`: false} {
		w := sent(t, picture, "If-None-Match", header)
		assert.Equal(t, isKnown, w.Code == http.StatusNotModified, header)
		assert.Equal(t, isKnown, w.Body.Len() == 0, header)
		assert.Equal(t, tag, w.Header().Get("ETag"))
	}
}

func TestGEN_12_lists_that_may_be_asked_after(t *testing.T) {
	list := tag(data([]int{1, 2}))
	w := sent(t, list)
	assert.Equal(t, `{"data":[1,2]}`+"\n", w.Body.String())
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	for _, known := range []string{w.Header().Get("ETag"), "*"} {
		again := sent(t, list, "If-None-Match", known)
		assert.Equal(t, http.StatusNotModified, again.Code)
		assert.Empty(t, again.Body.String())
		for _, name := range []string{"ETag", "Cache-Control", "Vary"} {
			assert.Equal(t, w.Header().Get(name), again.Header().Get(name))
		}
	}
	assert.Equal(t, "no-cache", w.Header().Get("Cache-Control"))
	assert.Equal(t, "Authorization, Accept-Encoding, x-language-locale", w.Header().Get("Vary"))
	assert.NotEqual(t, w.Header().Get("ETag"), sent(t, tag(data([]int{1}))).Header().Get("ETag"))
}
