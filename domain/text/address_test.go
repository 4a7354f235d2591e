package text_test

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"plaza/domain/text"
)

func TestADM04_addresses_are_whole_and_of_http(t *testing.T) {
	for _, good := range []string{
		"http://example.org", "https://example.org/a?b=c#d", "HTTPS://example.org:8443/%20", "https://例え.example/桂花", "http://[::1]/",
		"https://example.org/" + strings.Repeat("a", 2028),
	} {
		assert.Empty(t, text.AddressProblem(good), good)
	}
	for _, bad := range []string{
		"", " ", "example.org", "//example.org", "/a", "ftp://example.org", "javascript:alert(1)", "data:image/png;base64,AA==",
		"http://", "http:///a", "https://:80/", "https://user@example.org", "https://user:password@example.org/", "https://example.org/a b",
		"https://example.org/\n", "https://example.org/\x00", "https://example.org/\"onload=", "https://example.org\\@elsewhere.example",
		"https://example.org/<b>", "https://exam\u200bple.org", "https://example.org/%", "https://example.org/" + strings.Repeat("a", 2029),
		"\xff",
	} {
		assert.NotEmpty(t, text.AddressProblem(bad), "%q", bad)
	}
}

// FuzzAddress reads any address. One without a problem is that of a host on the web, and has
// nothing that ends an attribute or that browsers read in another way.
func FuzzAddress(f *testing.F) {
	for _, s := range []string{
		"https://x.example/a?b=c#d", "http://[::1]:80/", "https://", "https:///x", "https://a@x.example", "https://x.example\\@evil.example",
		"javascript:alert(1)//https://x.example", "HTTPS://x.example", "https://x.example/\"onload=", "https://x.example/\u202e",
		"https://x.example/a b", "https://x.example/\x00", "//x.example", "https://:80", "https://x.example:", "https://%41.example",
		"https://xn--a", "https://x.example/%zz", "https://x.example/<", "https://\u200b", "data:text/html,x", "https://x.example/" +
			strings.Repeat("a", 2048),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if text.AddressProblem(s) != "" {
			return
		}
		assert.LessOrEqual(t, len(s), 2048)
		assert.True(t, utf8.ValidString(s))
		assert.Regexp(t, `^(?i:https?)://[^/?#\\@]`, s)
		assert.NotRegexp(t, "[\x00-\x20\"<>\\\\\x7f]", s)
		u, err := url.Parse(s)
		assert.NoError(t, err)
		assert.NotEmpty(t, u.Hostname())
		assert.Nil(t, u.User)
	})
}
