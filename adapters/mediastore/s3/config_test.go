package s3_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/mediastore/s3"
	"plaza/domain/media"
	"plaza/domain/secret"
)

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
