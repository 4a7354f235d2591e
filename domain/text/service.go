package text

import (
	"net/netip"
	"net/url"
	"strings"
)

// IsVisible reports whether the text has visible ASCII characters only, so no spaces.
func IsVisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

// ServiceURL parses the URL of a service that the server calls. It reports whether the URL
// is http or https with a host and without user, query and fragment.
func ServiceURL(s string) (*url.URL, bool) {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(s, "?#") || !IsVisible(s) {
		return nil, false
	}
	return u, u.Scheme == "https" || u.Scheme == "http"
}

// IsConfidential reports whether the network can't read requests to the URL: it is https,
// or leads to this machine.
func IsConfidential(u *url.URL) bool {
	ip, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || err == nil && ip.IsLoopback()
}
