package bootstrap_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/domain/media"
	"plaza/domain/secret"
)

func TestPLA04_pictures_in_a_bucket(t *testing.T) {
	flags := []string{"--media-key-id=id", "--media-secret=never-shown-secret"}
	c, err := parsed(t, append(flags, "--media-url=s3://store.example.org/pictures?public=https://cdn.example.org")...)
	require.NoError(t, err)
	store, err := bootstrap.OpenMedia(c, secret.New("signing"))
	require.NoError(t, err)
	key := media.KeyAt(media.Everyone, "abcdefghijklmnopqrstuvwxyz.jpg")
	assert.Equal(t, "https://cdn.example.org/"+string(key), store.URL(key, media.Everyone, time.Now()))
	assert.Contains(t, store.URL(media.KeyAt(media.Viewers, "abcdefghijklmnopqrstuvwxyz.jpg"), media.Viewers, time.Now()), "X-Amz-Signature=")

	c, err = parsed(t, append(flags, "--media-url=s3://store.example.org/Not_A_Bucket")...)
	require.NoError(t, err)
	_, err = bootstrap.OpenMedia(c, secret.New("signing"))
	assert.ErrorContains(t, err, "Bucket must be a valid bucket name")
}
