package bootstrap_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/domain/media"
	"plaza/domain/secret"
)

func TestPLA04_where_pictures_are_kept(t *testing.T) {
	s := settings()
	s.MediaURL = "file:/srv/pictures"
	c, err := s.Check()
	require.NoError(t, err)
	assert.Equal(t, "/srv/pictures", c.Media.Dir)

	s.MediaURL = "s3://store.example.org:9000/pictures/plaza/one?region=eu-1&tls=off&public=https://cdn.example.org/p"
	s.MediaKeyID, s.MediaSecret = "id", secret.New("never-shown-secret")
	c, err = s.Check()
	require.NoError(t, err)
	assert.Empty(t, c.Media.Dir)
	at := c.Media.S3
	assert.Equal(t, []string{"http://store.example.org:9000", "eu-1", "pictures", "plaza/one", "https://cdn.example.org/p"},
		[]string{at.Endpoint, at.Region, at.Bucket, at.Prefix, at.PublicURL})
	s.MediaURL = "s3://store.example.org/pictures"
	c, err = s.Check()
	require.NoError(t, err)
	assert.Equal(t, "https://store.example.org", c.Media.S3.Endpoint)
	assert.Equal(t, "us-east-1", c.Media.S3.Region)
}

func TestPLA04_wrong_places_for_pictures(t *testing.T) {
	for value, want := range map[string]string{
		"file:":                               "a folder is required",
		"ftp://x":                             "must be file:DIR or s3",
		"s3://":                               "not a valid URL",
		"s3:///bucket":                        "not a valid URL",
		"s3://host":                           "names no bucket",
		"s3://id:never-shown@host/bucket":     "belongs into PLAZA_MEDIA_KEY_ID",
		"s3://host/bucket?secret=never-shown": "is not one of region, public, tls",
		"s3://host/bucket?tls=maybe":          "tls must be on or off",
		"s3://host/bucket?region=%zz":         "malformed",
	} {
		s := settings()
		s.MediaURL = value
		_, err := s.Check()
		require.ErrorContains(t, err, want, value)
		assert.ErrorContains(t, err, "PLAZA_MEDIA_URL: ")
		assert.NotContains(t, err.Error(), "never-shown")
	}
	s := settings()
	s.MediaURL = "s3://host/bucket"
	_, err := s.Check()
	assert.ErrorContains(t, err, "PLAZA_MEDIA_KEY_ID")
	assert.ErrorContains(t, err, "PLAZA_MEDIA_SECRET")
}

// TestPLA04_pictures_in_a_bucket puts Plaza together over one; nothing is asked of it yet.
func TestPLA04_pictures_in_a_bucket(t *testing.T) {
	s := settings()
	s.DatabaseURL, s.DataDir = "sqlite:"+filepath.Join(t.TempDir(), "plaza.db"), t.TempDir()
	s.MediaURL, s.MediaKeyID, s.MediaSecret = "s3://store.example.org/pictures?public=https://cdn.example.org", "id", secret.New("never-shown-secret")
	c, err := s.Check()
	require.NoError(t, err)
	app, err := bootstrap.NewApp(t.Context(), c, slog.New(slog.DiscardHandler), bootstrap.Parts{})
	require.NoError(t, err)
	key := media.KeyAt(media.Everyone, "abcdefghijklmnopqrstuvwxyz.jpg")
	assert.Equal(t, "https://cdn.example.org/"+string(key), app.Stores.Media.URL(key, media.Everyone, time.Now()))
	assert.Contains(t, app.Stores.Media.URL(media.KeyAt(media.Viewers, "abcdefghijklmnopqrstuvwxyz.jpg"), media.Viewers, time.Now()), "X-Amz-Signature=")
	require.NoError(t, app.Close())

	s.MediaURL = "s3://store.example.org/Not_A_Bucket"
	c, err = s.Check()
	require.NoError(t, err)
	_, err = bootstrap.NewApp(t.Context(), c, slog.New(slog.DiscardHandler), bootstrap.Parts{})
	assert.ErrorContains(t, err, "Bucket must be a valid bucket name")
}
