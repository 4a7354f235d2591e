package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/domain/secret"
)

// shown are the stored pictures of a test, by key.
type shown struct {
	media.Addresses
	pictures map[media.Key]string
	now      time.Time
	closed   int
}

func (s *shown) open(_ context.Context, name media.Key, a media.Audience) (media.File, error) {
	content, exists := s.pictures[media.KeyAt(a, string(name))]
	if !exists {
		return media.File{}, media.ErrNotFound
	}
	if content == "" {
		return media.File{}, errors.New("the disk is broken")
	}
	return media.File{ReadSeekCloser: &openPicture{strings.NewReader(content), s}, Type: "image/webp"}, nil
}

func (s *shown) check(name media.Key, expires, signature string) time.Duration {
	until, err := s.Check(media.KeyAt(media.Viewers, string(name)), expires, signature, s.now)
	if err != nil {
		return 0
	}
	return until.Sub(s.now)
}

type openPicture struct {
	*strings.Reader
	of *shown
}

func (p *openPicture) Close() error {
	p.of.closed++
	return nil
}

// picturesOver serves the pictures at the time.
func picturesOver(t *testing.T, pictures map[media.Key]string, now time.Time) (*shown, func(method, target string, header ...string) *httptest.ResponseRecorder) {
	t.Helper()
	source := &shown{Addresses: media.NewAddresses("", secret.New("signing key")), pictures: pictures, now: now}
	router, err := newRouter(&api{UseCases: UseCases{Media: source.open, Addresses: source.check}}, table)
	require.NoError(t, err)
	return source, func(method, target string, header ...string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		router.ServeHTTP(w, newRequest(method, target, header...))
		return w
	}
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestPLA_04_public_pictures_are_for_ever(t *testing.T) {
	source, get := picturesOver(t, map[media.Key]string{"public/lake.webp": "pixels", "public/a/b": "deep", "private/plate": "hidden"}, noon)
	w := get(http.MethodGet, "/media/public/lake.webp", "Authorization", "Token stale")
	assert.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "pixels", w.Body.String())
	assert.Equal(t, "image/webp", w.Header().Get("Content-Type"))
	assert.Equal(t, "public, max-age=31536000, immutable", w.Header().Get("Cache-Control"))

	tag := w.Header().Get("ETag")
	assert.Equal(t, http.StatusNotModified, get(http.MethodGet, "/media/public/lake.webp", "If-None-Match", tag).Code)
	part := get(http.MethodGet, "/media/public/lake.webp", "Range", "bytes=2-3")
	assert.Equal(t, http.StatusPartialContent, part.Code)
	assert.Equal(t, "xe", part.Body.String())
	assert.Equal(t, "6", get(http.MethodHead, "/media/public/lake.webp").Header().Get("Content-Length"))
	assert.Equal(t, "deep", get(http.MethodGet, "/media/public/a/b").Body.String())
	assert.Equal(t, 5, source.closed, "whatever is opened is closed")

	for _, target := range []string{
		"/media/public/", "/media/public/plate", "/media/public/../private/plate", "/media/public/..%2Fprivate%2Fplate",
	} {
		assert.Equal(t, http.StatusNotFound, get(http.MethodGet, target).Code, target)
	}
}

func TestA_picture_that_cant_be_read_is_a_mistake_of_ours(t *testing.T) {
	_, get := picturesOver(t, map[media.Key]string{"public/broken": ""}, noon)
	assert.Equal(t, http.StatusInternalServerError, get(http.MethodGet, "/media/public/broken").Code)
}
