package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/access"
)

var discarded = slog.New(slog.DiscardHandler)

// FuzzPresentedKey compares the key in the Authorization header with a regular expression's.
func FuzzPresentedKey(f *testing.F) {
	for _, header := range []string{
		"", "Token", "Token x", "token  x\t", "\tTOKEN x", "Token x y", "Token\u00a0x", "Token\vx", "Tokens x", "Bearer x", "bearer",
		"BEARER x y", "Bearers x", "Token,x", "To\u212aen x", "Token \xff", "Token \x00", "Token Token x",
	} {
		f.Add(header)
	}
	whole, scheme := regexp.MustCompile(`\A[ \t]*(?i:token|bearer)[ \t]+([^ \t]+)[ \t]*\z`), regexp.MustCompile(`\A[ \t]*(?i:token|bearer)(?:[ \t]|\z)`)
	f.Fuzz(func(t *testing.T, header string) {
		key, err := presentedKey(header)
		switch parts := whole.FindStringSubmatch(header); {
		case parts != nil:
			require.NoError(t, err)
			require.Equal(t, parts[1], key.Reveal())
		case scheme.MatchString(header):
			require.Equal(t, access.ErrBadKey, err)
		default:
			require.NoError(t, err)
			require.True(t, key.IsZero(), "%q", header)
		}
	})
}

// FuzzRequestID reads any X-Request-ID. The ID is fit for a header and a log line, and a
// well-formed one is kept.
func FuzzRequestID(f *testing.F) {
	for _, given := range []string{"", "x", "5f2b9c1e-0d7a", `"`, "it's", "a b", "a\tb", "a\r\nSet-Cookie: x", "\x7f", "\u00e9", "\xff", strings.Repeat("x", 128), strings.Repeat("x", 129)} {
		f.Add(given)
	}
	form := regexp.MustCompile(`\A[!#-&(-~]{1,128}\z`)
	f.Fuzz(func(t *testing.T, given string) {
		id := transport.RequestID(given)
		require.Regexp(t, form, id)
		require.Equal(t, form.MatchString(given), id == given)
		require.Equal(t, id, transport.RequestID(id))
	})
}

// FuzzNames compares If-None-Match with that of net/http, for lists of a valid form. For
// others, the tag or a star must at least be in the header.
func FuzzNames(f *testing.F) {
	const tag = `"0123456789abcdef0123456789abcdef"`
	for _, header := range []string{
		"", "*", tag, "W/" + tag, `"x", ` + tag, `"x",W/` + tag + ` , "y"`, `"x" ` + tag, strings.Trim(tag, `"`), "w/" + tag, "W/W/" + tag, tag[:10] + `"`, `"x,` + tag + `"`, "*, " + tag, ",,," + tag, strings.Repeat(`"x",`, 2000), `"\` + tag,
	} {
		f.Add(header)
	}
	valid := regexp.MustCompile(`\A[ \t]*(?:\*|(?:W/)?"[!#-+\--~]*"(?:[ \t]*,[ \t]*(?:W/)?"[!#-+\--~]*")*)[ \t]*\z`)
	f.Fuzz(func(t *testing.T, header string) {
		got := transport.MatchesETag(header, tag)
		if !valid.MatchString(header) {
			require.True(t, !got || strings.Contains(header, tag) || strings.Contains(header, "*"), "%q", header)
			return
		}
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		w.Header().Set("ETag", tag)
		r.Header.Set("If-None-Match", header)
		http.ServeContent(w, r, "x.txt", noon, bytes.NewReader([]byte("x")))
		require.Equal(t, w.Code == http.StatusNotModified, got, "%q", header)
	})
}

// FuzzForwarded sends any X-Forwarded-For. What an untrusted peer says counts for nothing (AUT-11). A trusted proxy's last address
// counts, and none before it.
func FuzzForwarded(f *testing.F) {
	for _, header := range []string{
		"", "192.0.2.1", "203.0.113.7, 192.0.2.1, 10.1.2.3", "192.0.2.1,", ",192.0.2.1", "10.0.0.1", "x, 10.0.0.1", "::ffff:10.0.0.1",
		"2001:db8::1", "fe80::1%eth0", "[2001:db8::1]:80", "192.0.2.1:80", "0x7f.1", "127.1", "010.0.0.1", "unknown", "' OR 1=1", `"192.0.2.1`,
		strings.Repeat("1.1.1.1,", 500),
	} {
		f.Add(header)
	}
	var got netip.Addr
	router, err := newRouter(&api{}, []route{row(http.MethodGet, "/", NoAuth, func(_ *api, c *transport.Call) (transport.Reply, error) {
		got = c.Address()
		return transport.NoContent(), nil
	})})
	require.NoError(f, err)
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	handler := transport.NewMiddleware(router, transport.Config{TrustedProxies: trusted, Log: discarded})
	f.Fuzz(func(t *testing.T, said string) {
		for _, c := range []struct {
			peer      string
			forwarded []string
			want      string
		}{
			{"198.51.100.9", []string{said}, "198.51.100.9"}, {"10.0.0.1", []string{said, "203.0.113.7"}, "203.0.113.7"},
			{"10.0.0.1", []string{said + ",203.0.113.7 , 10.9.9.9"}, "203.0.113.7"},
		} {
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.RemoteAddr, r.Header["X-Forwarded-For"] = c.peer+":5", c.forwarded
			r.Header.Set("X-Real-IP", "203.0.113.99")
			handler.ServeHTTP(httptest.NewRecorder(), r)
			require.Equal(t, c.want, got.String(), "%q from %s", c.forwarded, c.peer)
		}
	})
}

// FuzzOrigin sends any Origin. Only a listed origin is named in the response; any other
// request is answered as without CORS.
func FuzzOrigin(f *testing.F) {
	listed := []string{"https://app.example", "http://localhost:3000"}
	for _, origin := range []string{
		"", "null", "*", "https://app.example", "HTTPS://APP.EXAMPLE", "https://app.example.", "https://app.example/", "https://app.example:443",
		"https://app.example.evil.example", "https://evilapp.example",
		"https://evil.example#https://app.example", "http://localhost:3000", "http://localhost:30000", "https://app.example\r\nX: y",
		"https://app.example, https://evil.example", " https://app.example", "https://\u212aapp.example",
	} {
		f.Add(origin, true)
		f.Add(origin, false)
	}
	router, err := newRouter(&api{}, table)
	require.NoError(f, err)
	with := transport.WithCORS(router, listed)
	f.Fuzz(func(t *testing.T, origin string, isPreflight bool) {
		send := func(h http.Handler) *httptest.ResponseRecorder {
			r := httptest.NewRequest(http.MethodGet, "/api/user/profile/", nil)
			r.Header["Origin"] = []string{origin}
			if isPreflight {
				r.Method = http.MethodOptions
				r.Header.Set("Access-Control-Request-Method", http.MethodPost)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		got, plain := send(with), send(router)
		require.Empty(t, got.Header().Values("Access-Control-Allow-Credentials"))
		if slices.Contains(listed, strings.ToLower(origin)) {
			require.Equal(t, []string{origin}, got.Header().Values("Access-Control-Allow-Origin"))
			return
		}
		require.Empty(t, corsHeaders(got.Header()), "%q", origin)
		require.Equal(t, plain.Code, got.Code)
		require.Equal(t, plain.Body.String(), got.Body.String())
	})
}

func corsHeaders(h http.Header) (names []string) {
	for name := range h {
		if strings.HasPrefix(name, "Access-Control-") {
			names = append(names, name)
		}
	}
	return names
}
