package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/pictures"
	"plaza/domain/media"
	"plaza/domain/secret"
)

// broken is a store of pictures whose disk is broken.
type broken struct{ media.Store }

func (broken) URL(media.Key, media.Audience, time.Time) string { return "" }

func (broken) Open(context.Context, media.Key) (media.File, error) {
	return media.File{}, errors.New("the disk is broken")
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func TestA_picture_that_cant_be_read_is_a_mistake_of_ours(t *testing.T) {
	addresses := media.NewAddresses("", secret.New("signing key"))
	router, err := newRouter(&api{UseCases: UseCases{Pictures: pictures.New(broken{}, addresses, func() time.Time { return noon })}}, table)
	require.NoError(t, err)
	w := httptest.NewRecorder()
	router.ServeHTTP(w, newRequest(http.MethodGet, "/media/public/broken"))
	assert.Equal(t, http.StatusInternalServerError, w.Code)
}
