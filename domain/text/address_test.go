package text_test

import (
	"strings"
	"testing"

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
		"https://example.org/<b>", "https://exam\u200bple.org", "https://example.org/%", "https://example.org/" + strings.Repeat("a", 2029), "\xff",
	} {
		assert.NotEmpty(t, text.AddressProblem(bad), "%q", bad)
	}
}
