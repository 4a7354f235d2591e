package bootstrap_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
)

// FuzzOrigins parses any setting. What is taken is a star, or a scheme with a host as a
// browser may send it, and reads the same again.
func FuzzOrigins(f *testing.F) {
	for _, s := range []string{
		"", "*", "https://app.example", "http://localhost:3000, https://app.example", "https://*.example", "https://app.example/", "https://a@b.example", "https://app.example?x", "https://app.example#x", "HTTPS://app.example", "null", "//app.example",
		"https://", "https://:80", "https://app.example:", "https://app.example:99999", "https://[::1]:80", "https://[::1", "https://a b", "ftp://x", "https://x,,*", "https://%41", "https://\u00e9.example", "https://x\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var all, again bootstrap.Origins
		if all.UnmarshalText([]byte(s)) != nil {
			return
		}
		for _, origin := range all {
			if origin == "*" {
				continue
			}
			u, err := url.Parse(origin)
			require.NoError(t, err)
			require.Contains(t, []string{"http", "https"}, u.Scheme)
			require.Equal(t, url.URL{Scheme: u.Scheme, Host: u.Host}, *u, "nothing but a scheme and a host")
			require.NotEmpty(t, u.Hostname())
			require.NotContains(t, origin, "*")
			_, err = netip.ParseAddrPort("[::]:" + u.Port())
			require.True(t, err == nil || u.Port() == "" && !strings.HasSuffix(origin, ":"), "%q", origin)
		}
		require.NoError(t, again.UnmarshalText([]byte(strings.Join(all, ","))))
		require.Equal(t, all, again)
	})
}

// FuzzNetworks parses any setting. What is taken are networks, and they read the same again.
func FuzzNetworks(f *testing.F) {
	for _, s := range []string{"", "10.0.0.0/8, ::1,", "10.0.0.1", "10.0.0.1/99", "::ffff:10.0.0.1", "fe80::1%eth0", "fe80::1%eth0/64", "0.0.0.0/0", "10.0.0.1/8", "me", "127.1", "010.0.0.1", "1.2.3.4/-1", "::/129"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var all, again bootstrap.Networks
		if all.UnmarshalText([]byte(s)) != nil {
			return
		}
		var written []string
		for _, network := range all {
			require.True(t, network.IsValid(), "%q", s)
			written = append(written, network.String())
		}
		require.NoError(t, again.UnmarshalText([]byte(strings.Join(written, ","))))
		require.Equal(t, all, again)
	})
}
