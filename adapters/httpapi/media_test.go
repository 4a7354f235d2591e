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

	"plaza/application/pictures"
	"plaza/domain/media"
	"plaza/domain/secret"
)

// shown are the stored pictures of a test, by key.
type shown struct {
	media.Store
	addresses media.Addresses
	pictures  map[media.Key]string
	closed    int
}

func newShown(pictures map[media.Key]string) *shown {
	return &shown{addresses: media.NewAddresses("", secret.New("signing key")), pictures: pictures}
}

// served are the use cases that serve the pictures at the time.
func (s *shown) served(now time.Time) *pictures.Pictures {
	return pictures.New(s, s.addresses, nil, nil, func() time.Time { return now })
}

func (s *shown) URL(key media.Key, a media.Audience, now time.Time) string {
	return s.addresses.URL(key, a, now)
}

func (s *shown) Open(_ context.Context, key media.Key) (media.File, error) {
	content, exists := s.pictures[key]
	if !exists {
		return media.File{}, media.ErrNotFound
	}
	if content == "" {
		return media.File{}, errors.New("the disk is broken")
	}
	return media.File{ReadSeekCloser: &openPicture{strings.NewReader(content), s}, Type: "image/webp", Bytes: int64(len(content))}, nil
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
func picturesOver(
	t *testing.T, pictures map[media.Key]string, now time.Time,
) (*shown, func(method, target string, header ...string) *httptest.ResponseRecorder) {
	t.Helper()
	source := newShown(pictures)
	router, err := newRouter(&api{UseCases: UseCases{Pictures: source.served(now)}}, table)
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
