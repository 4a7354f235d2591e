package s3_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/minio/minio-go/v7/pkg/signer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/mediastore/s3"
	"plaza/domain/media"
	"plaza/domain/secret"
	"plaza/test/versitygw"
)

// fetch requests the URL as a browser does.
func fetch(t *testing.T, method, address string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	require.NoError(t, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer, string(body)
}

func TestPLA04_whoever_has_the_signed_address_gets_the_picture_from_the_store(t *testing.T) {
	onEveryServer(t, func(t *testing.T, endpoint string) {
		s := open(t, endpoint)
		key := put(t, s, media.Viewers)
		now := time.Now()
		address := s.URL(key, media.Viewers, now)
		assert.True(t, strings.HasPrefix(address, endpoint+"/"+bucket+"/"))
		answer, body := fetch(t, http.MethodGet, address)
		require.Equal(t, http.StatusOK, answer.StatusCode, body)
		assert.Equal(t, string(photo.Bytes), body)
		assert.Equal(t, "image/png", answer.Header.Get("Content-Type"))
		assert.Equal(t, "private", answer.Header.Get("Cache-Control"))
		until, err := http.ParseTime(answer.Header.Get("Expires"))
		require.NoError(t, err)
		assert.Equal(t, now.Truncate(time.Hour).Add(media.AddressLife).UTC(), until.UTC(), "caches keep it no longer than it is good")
	})
}

// Real stores refuse addresses that were changed: see real_test.go.
func TestPLA04_addresses_and_requests_are_signed_as_minio_signs_them(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // in whose bubble an hour begins, and no time passes
		const endpoint = "http://127.0.0.1:1"
		compare := roundTrip(func(r *http.Request) (*http.Response, error) {
			again := r.Clone(t.Context())
			again.Header.Del("Authorization")
			again = signer.SignV4(*again, keyID, secretKey, "", region)
			assert.Equal(t, again.Header.Get("Authorization"), r.Header.Get("Authorization"))
			return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
		})
		s := open(t, endpoint, func(c *s3.Config) {
			c.Prefix, c.Wrap = "", func(http.RoundTripper) http.RoundTripper { return compare }
		})
		require.NoError(t, s.Remove(t.Context(), there))
		signed, err := versitygw.Direct(t, endpoint).PresignedGetObject(t.Context(), bucket, string(there), media.AddressLife, url.Values{
			"response-cache-control": {"private"}, "response-content-type": {"image/png"},
			"response-expires": {time.Now().UTC().Add(media.AddressLife).Format(http.TimeFormat)},
		})
		require.NoError(t, err)
		own, err := url.Parse(s.URL(there, media.Viewers, time.Now().Add(59*time.Minute)))
		require.NoError(t, err)
		assert.Equal(t, signed.Query(), own.Query())
		assert.Equal(t, signed.Host+signed.Path, own.Host+own.Path)
	})
}

func TestPLA04_pictures_for_everyone_are_served_by_Plaza_or_by_a_public_place(t *testing.T) {
	key := media.KeyAt(media.Everyone, strings.Repeat("a", 26)+".png")
	s := open(t, "http://127.0.0.1:1")
	assert.Equal(t, "https://plaza.example/base/media/"+string(key), s.URL(key, media.Everyone, noon))
	for _, base := range []string{"https://cdn.example/p/", "https://cdn.example/p"} {
		s = open(t, "http://127.0.0.1:1", func(c *s3.Config) { c.PublicURL = base })
		assert.Equal(t, "https://cdn.example/p/"+string(key), s.URL(key, media.Everyone, noon))
	}

	private := media.KeyAt(media.Viewers, strings.Repeat("a", 26)+".png")
	address := s.URL(private, media.Everyone, noon)
	assert.Equal(t, "https://cdn.example/p/public/"+string(private), address, "where nothing is")
	u, err := url.Parse(s.URL(key, media.Viewers, noon))
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(u.Path, "/private/"+string(key)), "nor there: %s", u.Path)
	assert.NotContains(t, s.URL(private, media.Viewers, noon), "cdn.example", "what is private is nowhere else")
}

// URLs that Plaza signed before the migration to S3 remain valid.
func TestPLA04_Plaza_checks_its_own_addresses(t *testing.T) {
	s := open(t, "http://127.0.0.1:1")
	own := media.NewAddresses("https://plaza.example", signing)
	key := media.KeyAt(media.Viewers, strings.Repeat("a", 26)+".png")
	u, err := url.Parse(own.URL(key, media.Viewers, noon))
	require.NoError(t, err)
	_, err = s.Check(key, u.Query().Get("expires"), u.Query().Get("signature"), noon)
	assert.NoError(t, err)
}

func TestWhat_a_configuration_may_be(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*s3.Config)
		wrong  string
	}{
		"as it is":             {func(*s3.Config) {}, ""},
		"a port and a slash":   {func(c *s3.Config) { c.Endpoint = "https://s3.example:9000/" }, ""},
		"a trusted network":    {func(c *s3.Config) { c.Endpoint = "http://10.0.0.1:9000" }, ""},
		"a prefix":             {func(c *s3.Config) { c.Prefix = "plaza/pictures_1.x/" }, ""},
		"a public place":       {func(c *s3.Config) { c.PublicURL = "https://cdn.example/pictures/" }, ""},
		"no endpoint":          {func(c *s3.Config) { c.Endpoint = "" }, "Endpoint"},
		"another scheme":       {func(c *s3.Config) { c.Endpoint = "ftp://s3.example" }, "Endpoint"},
		"a path":               {func(c *s3.Config) { c.Endpoint = "https://s3.example/bucket" }, "Endpoint"},
		"a user":               {func(c *s3.Config) { c.Endpoint = "https://" + secretKey + "@s3.example" }, "Endpoint"},
		"a query":              {func(c *s3.Config) { c.Endpoint = "https://s3.example?a=b" }, "Endpoint"},
		"no bucket":            {func(c *s3.Config) { c.Bucket = "" }, "Bucket"},
		"a key with a newline": {func(c *s3.Config) { c.KeyID += "\n" }, "KeyID"},
		"no secret":            {func(c *s3.Config) { c.Secret = secret.String{} }, "Secret"},
		"a way up":             {func(c *s3.Config) { c.Prefix = "a/../b" }, "Prefix"},
		"a prefix from a root": {func(c *s3.Config) { c.Prefix = "/a" }, "Prefix"},
		"an odd prefix":        {func(c *s3.Config) { c.Prefix = "a b" }, "Prefix"},
		"a public user":        {func(c *s3.Config) { c.PublicURL = "https://me@cdn.example" }, "PublicURL"},
		"a negative deadline":  {func(c *s3.Config) { c.Deadline = -1 }, "Deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			given := config("https://s3.example")
			c.change(&given)
			s, err := s3.New(given)
			if c.wrong == "" {
				require.NoError(t, err)
				return
			}
			assert.Nil(t, s)
			require.ErrorContains(t, err, "s3: "+c.wrong+" ")
			assert.NotContains(t, err.Error(), "\n", "only that")
			assertDiscreet(t, err)
		})
	}
	_, err := s3.New(s3.Config{Deadline: -1, Prefix: "/", PublicURL: "x"})
	for _, field := range []string{"Endpoint", "Region", "Bucket", "KeyID", "Secret", "Prefix", "PublicURL", "Deadline"} {
		assert.ErrorContains(t, err, "s3: "+field+" ", "all at once")
	}
}

func TestA_store_does_not_show_its_secrets(t *testing.T) {
	c := config("https://s3.example")
	s, err := s3.New(c)
	require.NoError(t, err)
	holder := struct {
		s *s3.Store
		c s3.Config
		v s3.Store
	}{s, c, *s}
	shown := fmt.Sprintf("%v %+v %#v %v %+v %#v %v %+v %v", s, *s, *s, holder, holder, holder, &holder, c, &c)
	assert.NotContains(t, shown, secretKey)
	assert.NotContains(t, shown, signing.Reveal())
	assert.NotContains(t, s.URL(there, media.Viewers, noon), secretKey)
}
