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

func TestPLA04_where_pictures_are_kept(t *testing.T) {
	for value, want := range map[string]bootstrap.MediaURL{
		"":                   {},
		"file:/srv/pictures": {Dir: "/srv/pictures"},
		"s3://store.example.org:9000/pictures/plaza/one?region=eu-1&tls=off&public=https://cdn.example.org/p": {
			Endpoint: "http://store.example.org:9000", Region: "eu-1", Bucket: "pictures", Prefix: "plaza/one", PublicURL: "https://cdn.example.org/p"},
		"s3://store.example.org/pictures": {Endpoint: "https://store.example.org", Region: "us-east-1", Bucket: "pictures"},
	} {
		c, err := parsed(t, "--media-url="+value, "--media-key-id=id", "--media-secret=never-shown-secret")
		require.NoError(t, err)
		assert.Equal(t, want, c.MediaURL)
	}
}

func TestPLA04_wrong_places_for_pictures(t *testing.T) {
	for value, want := range map[string]string{
		"file:":                               "a folder is required",
		"s3:///bucket":                        "not a valid URL",
		"s3://host":                           "names no bucket",
		"s3://id:never-shown@host/bucket":     "belongs in PLAZA_MEDIA_KEY_ID",
		"s3://host/bucket?secret=never-shown": "is not one of region, public, tls",
		"s3://host/bucket?tls=maybe":          "tls must be on or off",
		"s3://host/bucket?region=%zz":         "malformed",
	} {
		_, err := parsed(t, "--media-url="+value)
		require.ErrorContains(t, err, want, value)
		assert.ErrorContains(t, err, "PLAZA_MEDIA_URL: ")
		assert.NotContains(t, err.Error(), "never-shown")
	}
	_, err := parsed(t, "--media-url=s3://host/bucket")
	assert.ErrorContains(t, err, "PLAZA_MEDIA_KEY_ID")
	assert.ErrorContains(t, err, "PLAZA_MEDIA_SECRET")
}

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
