package text_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/text"
)

func TestServiceURL(t *testing.T) {
	for address, confidential := range map[string]bool{
		"https://wallet.example": true, "https://wallet.example:8443/pay/": true, "http://localhost:8090": true,
		"http://127.0.0.1:8090/": true, "http://[::1]/": true,
		"http://wallet.example": false, "http://10.0.0.1/": false, "http://localhost.example/": false,
	} {
		u, is := text.ServiceURL(address)
		assert.True(t, is, address)
		assert.Equal(t, confidential, text.IsConfidential(u), address)
	}
	for _, address := range []string{
		"", "wallet.example", "https://", "https://:443", "ftp://wallet.example", "https://user@wallet.example", "https://wallet.example?",
		"https://wallet.example#", "https://wallet.example/a b", "https://wallet.example/é", " https://wallet.example",
		"https://wallet.example/%zz",
	} {
		_, is := text.ServiceURL(address)
		assert.False(t, is, address)
	}
}

func TestIsVisible(t *testing.T) {
	for s, want := range map[string]bool{"": true, "!~aZ09": true, " ": false, "a b": false, "\x7f": false, "é": false, "\n": false} {
		assert.Equal(t, want, text.IsVisible(s), "%q", s)
	}
}
