package settings_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

func TestPLA04_where_pictures_are_kept(t *testing.T) {
	for value, want := range map[string]settings.MediaURL{
		"":                   {},
		"file:/srv/pictures": {Dir: "/srv/pictures"},
		"s3://store.example.org:9000/pictures/plaza/one?region=eu-1&tls=off&public=https://cdn.example.org/p": {
			Endpoint: "http://store.example.org:9000", Region: "eu-1", Bucket: "pictures", Prefix: "plaza/one",
			PublicURL: "https://cdn.example.org/p"},
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
