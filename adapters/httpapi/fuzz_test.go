package httpapi

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"math"
	"math/big"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/userimage"
)

// FuzzQuery reads parameters of every type from any query string. Values that are read are
// within their bounds; the problems of the others can be sent to the client.
func FuzzQuery(f *testing.F) {
	for _, raw := range []string{
		"", "page=2&page_size=7&ordering=-create_time&uid=1", "type=demand&lat=30.2741&lng=120.1551&within_distance=5", "category=%00",
		"category[]=a%00b", "%ff=%ff", "page=1;page_size=2", "%", "%zz=1", "page=%D9%A3&page=1", "page=1&page=x", "page=+1+&page_size=%2B1",
		"page=99999999999999999999&page_size=99999999999999999999", "lat=NaN&lng=Infinity", "lat=0x1p-2&lng=1_0", "lat=1e999&lng=-0",
		"lat=90.0000000000000001&lng=-180", "within_distance=1e-400&lat=0&lng=0", "lat=1", "&&==&=&", "%00=1",
		"tags__overlap=" + strings.Repeat("a,", 60) + "b", "tags__contains=" + strings.Repeat("%2C,", 60), "ordering=create_time,-create_time",
		"ordering=--event_time", "uid=-9223372036854775809", strings.Repeat("a&", 2000),
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		g, _ := gin.CreateTestContext(httptest.NewRecorder())
		g.Request = &http.Request{URL: &url.URL{RawQuery: raw}}
		q := (&transport.Call{Gin: g}).Query()
		for name, values := range q.Values {
			for _, value := range values {
				require.Empty(t, text.Limit{}.Problem(value), "%q", name)
			}
		}
		request, ordering, area := q.Page(), orderingIn(q), circleIn(q)
		words, uid := keywordsIn(q, "tags__overlap"), q.PositiveInt("uid", 0)
		err := q.Err()
		if _, malformed := url.ParseQuery(raw); malformed != nil {
			require.Error(t, err)
		}
		if err == nil {
			require.Positive(t, request.Number())
			require.GreaterOrEqual(t, request.Offset(), 0)
			require.LessOrEqual(t, request.Size(), page.MaxSize)
			require.LessOrEqual(t, len(ordering.Terms()), 2)
			require.LessOrEqual(t, len(words), userimage.MaxTags)
			require.GreaterOrEqual(t, uid, int64(0))
			if area != nil {
				require.LessOrEqual(t, math.Abs(area.Centre.Lat), 90.0)
				require.LessOrEqual(t, math.Abs(area.Centre.Lng), 180.0)
				require.True(t, area.Within > 0 && area.Within <= 500, "%v", area.Within)
			}
			return
		}
		requireTellable(t, err)
	})
}

// requireTellable asserts that the error is a refusal of the client's input, and that its response is JSON of valid text.
func requireTellable(t *testing.T, err error) {
	t.Helper()
	wrong, is := fault.As(err)
	require.True(t, is, "%v", err)
	require.Equal(t, fault.Invalid, wrong.Kind)
	require.True(t, wrong.Text != "" || len(wrong.Fields) > 0)
	for name := range wrong.Fields {
		require.True(t, name != "" && utf8.ValidString(name) && !strings.ContainsRune(name, 0), "%q", name)
	}
	raw, err := transport.Encode(transport.Refuse(err).Content)
	require.NoError(t, err)
	require.True(t, utf8.Valid(raw))
}

var digitsAlone, decimalsAlone = regexp.MustCompile(`\A[0-9]+\z`), regexp.MustCompile(`\A-?[0-9]+\z`)

// FuzzNumbers compares the numbers of paths and queries with those of math/big.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{
		"1", "0", "007", "-0", "-1", "+1", " 1\t", "1.0", ".5", "5.", ".", "1e3", "1e-400", "1e400", "0x10", "1_0", "Inf", "NaN", "infinity",
		"\u0663", "\uff11", "1\x00", "2147483648", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
		strings.Repeat("9", 400), "\u00a07\u3000",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		require.Equal(t, clamped(s, digitsAlone), transport.PositiveInt(s))

		q := &transport.Query{Values: url.Values{"n": {s}}}
		n, sent := q.Integer("n")
		isNumber := decimalsAlone.MatchString(text.Trim(s))
		require.Equal(t, isNumber, sent)
		require.Equal(t, isNumber || text.Trim(s) == "", q.Err() == nil)
		require.Equal(t, clamped(text.Trim(s), decimalsAlone), n)

		q = &transport.Query{Values: url.Values{"n": {s}}}
		if x := q.Number("n"); x != nil && q.Err() == nil {
			require.False(t, math.IsNaN(*x) || math.IsInf(*x, 0))
			require.Empty(t, strings.Trim(text.Trim(s), "0123456789+-.eE"), "%q", s)
		}

		q = &transport.Query{Values: url.Values{"page": {s}, "page_size": {s}}}
		if request := q.Page(); q.Err() == nil {
			want := max(clamped(text.Trim(s), digitsAlone), 1)
			if text.Trim(s) == "" {
				want = page.DefaultSize
			}
			require.Equal(t, min(want, page.MaxSize), int64(request.Size()))
			_, err := page.Of(request, []int{}, 0, nil)
			require.Equal(t, request.Number() > 1, err != nil)
		}
	})
}

// clamped returns the number that s has if it has the form, limited to 64 bits, else 0.
func clamped(s string, form *regexp.Regexp) int64 {
	n, ok := new(big.Int).SetString(s, 10)
	switch {
	case !ok || !form.MatchString(s):
		return 0
	case n.IsInt64():
		return n.Int64()
	case n.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// FuzzTarget sends any target to the router. Redirects stay on this server and soon end.
func FuzzTarget(f *testing.F) {
	for _, target := range []string{
		"/api/user/profile", "/api/user/profile/", "//evil.example/api/user/profile", "/\\evil.example/api/user/profile", "/%2Fevil.example/..",
		"/api/../api/user/profile", "/api/user//profile", "http://evil.example/api/user/profile", "/api/xfile/event/1%2F2",
		"/media/public/..%2fprivate%2fx", "/media/private/%2e%2e/x?a=b", "*", "/?//evil.example", "/api/user/profile?next=//evil.example/",
		"/media/portrait", "/api/xfile/event/%00", "/.", "/%", "/api/user/profile;x=1", "/API/USER/PROFILE", "/api/user/profile%2F",
		"/api/xfile/event/0%2F", "/api/xfile/event/0%2F%252F%2F", "evil.example:443",
	} {
		f.Add(target)
	}
	var rows []route
	for _, r := range table {
		rows = append(rows, row(r.Method, r.Path, NoAuth, func(*api, *transport.Call) (transport.Reply, error) {
			return transport.NoContent(),
				nil
		}))
	}
	router, err := newRouter(&api{}, rows)
	require.NoError(f, err)
	handler := transport.NewMiddleware(router, transport.Config{Log: discarded})
	get := func(target string) *httptest.ResponseRecorder {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.1\r\nHost: plaza.example\r\n\r\n")))
		if err != nil {
			return nil
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}
	f.Fuzz(func(t *testing.T, target string) {
		w := get(target)
		if w == nil {
			return
		}
		for hops := 0; w.Code == http.StatusMovedPermanently; hops++ {
			require.Less(t, hops, 3, "%q", target)
			to := w.Header().Get("Location")
			u, err := url.Parse(to)
			require.NoError(t, err)
			require.True(t, u.Scheme == "" && u.Host == "" && strings.HasPrefix(to, "/"), "%q", to)
			require.NotRegexp(t, `^/[/\\]`, to, "browsers take that for a host")
			w = get(to)
			require.NotNil(t, w)
		}
		require.Contains(t, []int{204, 404, 405}, w.Code)
	})
}

var discarded = slog.New(slog.DiscardHandler)

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

// FuzzForm compares a form with the one that mime/multipart reads.
func FuzzForm(f *testing.F) {
	const head = "--b\r\nContent-Disposition: form-data; name="
	for _, body := range []string{
		"", "--b--", "--b--\r\n", "--b\r\n\r\n\r\n--b--", head + "\"tags\"\r\n\r\nlake\r\n--b--\r\n", head +
			"img; filename=x.png\r\n\r\npixels\r\n--b--\r\n",
		head + "img; filename=\"../../etc/passwd\"\r\n\r\na\r\n" + head + "img; filename=y\r\n\r\nb\r\n--b--\r\n", head +
			"img; filename=\"\"\r\n\r\npixels\r\n--b--\r\n",
		head + "\"tags\"; name=\"img\"\r\n\r\nx\r\n--b--", head + "tags; filename*=UTF-8''x\r\n\r\nx\r\n--b--", head +
			"tags\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=41\r\n--b--",
		head + "tags\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n\r\nx\r\n--c--\r\n--b--", head + "tags\r\n\r\n--bx\r\n--b --\r\n",
		head + "tags\r\n\r\n\xff\r\n--b--", head + "tags\n\nx\n--b--\n",
		strings.Repeat(head+"t\r\n\r\nx\r\n", 101) + "--b--", head + "tags\r\n" + strings.Repeat("X: y\r\n", 200) + "\r\nx\r\n--b--", head +
			"tags\r\n\r\nx", "preamble\r\n" + head + "tags\r\n\r\nx\r\n--b--epilogue",
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		var got struct {
			Img transport.Upload `json:"img"`
		}
		texts, err := transport.ReadForm(multipart.NewReader(strings.NewReader(body), "b"), transport.NamesOf(&got), transport.PicturesOf(&got),
			fault.Fields{})
		defer got.Img.Close()
		want, wrong := multipart.NewReader(strings.NewReader(body), "b").ReadForm(transport.MaxBody)
		if err != nil {
			require.True(t, wrong != nil || err == transport.ErrNotUTF8 || strings.Count(body, "--b") > transport.MaxParts, "%v", err)
			return
		}
		require.NoError(t, wrong)
		defer want.RemoveAll()
		for name, values := range texts {
			for _, value := range values {
				require.True(t, utf8.ValidString(value))
			}
			if name != "" { // which mime/multipart leaves out
				require.Equal(t, want.Value[name], values)
			}
		}
		var pictures []string // which may be sent with a file name or without
		for _, header := range want.File["img"] {
			file, err := header.Open()
			require.NoError(t, err)
			content, err := io.ReadAll(file)
			require.NoError(t, err)
			pictures = append(pictures, string(content))
		}
		pictures = slices.DeleteFunc(append(pictures, want.Value["img"]...), func(content string) bool { return content == "" })
		require.Equal(t, len(pictures) > 0, got.Img.SpillBuffer != nil)
		require.Equal(t, len(pictures) > 1, got.Img.Problem != "")
		if got.Img.SpillBuffer != nil {
			read, err := io.ReadAll(got.Img.Reader())
			require.NoError(t, err)
			require.Contains(t, pictures, string(read))
		}
	})
}
