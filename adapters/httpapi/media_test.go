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
}

func newShown(pictures map[media.Key]string) *shown {
	return &shown{addresses: media.NewAddresses("", secret.New("signing key")), pictures: pictures}
}

// served are the use cases that serve the pictures at the time.
func (s *shown) served(now time.Time) *pictures.Pictures {
	return pictures.New(s, s.addresses, func() time.Time { return now })
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
	return media.File{ReadSeekCloser: openPicture{strings.NewReader(content)}, Type: "image/webp", Bytes: int64(len(content))}, nil
}

type openPicture struct{ *strings.Reader }

func (openPicture) Close() error { return nil }

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestA_picture_that_cant_be_read_is_a_mistake_of_ours(t *testing.T) {
	router, err := newRouter(&api{UseCases: UseCases{Pictures: newShown(map[media.Key]string{"public/broken": ""}).served(noon)}}, table)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	router.ServeHTTP(w, newRequest(http.MethodGet, "/media/public/broken"))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
}
