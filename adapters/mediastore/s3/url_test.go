package s3_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/mediastore/s3"
	"plaza/domain/media"
	"plaza/domain/secret"
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

		answer, body = fetch(t, http.MethodGet, s.URL(key, media.Viewers, now.Add(-59*time.Minute)))
		assert.Equal(t, http.StatusOK, answer.StatusCode, "one of an hour ago: %s", body)
		for name, spoilt := range map[string]string{
			"expired":       s.URL(key, media.Viewers, now.Add(-media.AddressLife)),
			"a longer life": strings.Replace(address, "X-Amz-Expires=7200", "X-Amz-Expires=9999", 1),
			"another type":  strings.Replace(address, "image%2Fpng", "text%2Fhtml", 1),
			"no signature":  address[:strings.Index(address, "&X-Amz-Signature")],
			"no query":      address[:strings.Index(address, "?")],
			"other letters": address[:len(address)-4] + strings.Map(func(r rune) rune { return '0' + (r+1)%8 }, address[len(address)-4:]),
		} {
			answer, body = fetch(t, http.MethodGet, spoilt)
			assert.GreaterOrEqual(t, answer.StatusCode, 400, name)
			assert.NotContains(t, body, string(photo.Bytes), name)
		}
		for _, method := range []string{http.MethodDelete, http.MethodPut} {
			answer, _ = fetch(t, method, address)
			assert.GreaterOrEqual(t, answer.StatusCode, 400, method)
		}
		answer, _ = fetch(t, http.MethodGet, address)
		assert.Equal(t, http.StatusOK, answer.StatusCode)
	})
}

func TestPLA04_an_address_is_for_one_picture(t *testing.T) {
	onEveryServer(t, func(t *testing.T, endpoint string) {
		s := open(t, endpoint)
		one, other := put(t, s, media.Viewers), put(t, s, media.Viewers)
		address := s.URL(one, media.Viewers, time.Now())
		answer, _ := fetch(t, http.MethodGet, strings.Replace(address, string(one), string(other), 1))
		assert.Equal(t, http.StatusForbidden, answer.StatusCode)
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
