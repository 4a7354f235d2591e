package contract

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type client struct {
	server *server
	key    string
	header http.Header
}

func (s *server) anyone() *client { return s.with("") }

// with is a client with the key.
func (s *server) with(key string) *client { return &client{server: s, key: key, header: http.Header{}} }

func (c *client) saying(name, value string) *client {
	header := c.header.Clone()
	header.Set(name, value)
	return &client{server: c.server, key: c.key, header: header}
}

// answer is a response, read whole.
type answer struct {
	t      *testing.T
	status int
	header http.Header
	body   []byte
	closes bool // the server closes the connection behind it
}

// dialer never follows a redirect: redirects are part of the contract.
var dialer = &http.Client{
	Timeout:       5 * time.Minute, // longer than a server that is right ever takes, however busy the machine is
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

type object = map[string]any

func (c *client) get(t *testing.T, path string) answer {
	t.Helper()
	return c.send(t, "GET", path, nil)
}

func (c *client) post(t *testing.T, path string, body any) answer {
	t.Helper()
	return c.send(t, "POST", path, body)
}

func (c *client) patch(t *testing.T, path string, body any) answer {
	t.Helper()
	return c.send(t, "PATCH", path, body)
}

func (c *client) put(t *testing.T, path string) answer {
	t.Helper()
	return c.send(t, "PUT", path, nil)
}

func (c *client) delete(t *testing.T, path string) answer {
	t.Helper()
	return c.send(t, "DELETE", path, nil)
}

// send sends the body as JSON; a string or bytes are sent as they are.
func (c *client) send(t *testing.T, method, path string, body any) answer {
	t.Helper()
	var raw []byte
	switch b := body.(type) {
	case nil:
	case string:
		raw = []byte(b)
	case []byte:
		raw = b
	default:
		var err error
		raw, err = json.Marshal(b)
		require.NoError(t, err)
	}
	req := c.prepares(t, method, path, bytes.NewReader(raw))
	if _, isSaid := c.header["Content-Type"]; raw != nil && !isSaid {
		req.Header.Set("Content-Type", "application/json")
	}
	return do(t, req)
}

// prepares returns a request with the client's key and headers.
func (c *client) prepares(t *testing.T, method, path string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, c.server.url+path, body)
	require.NoError(t, err)
	if c.key != "" {
		req.Header.Set("Authorization", "Token "+c.key)
	}
	maps.Copy(req.Header, c.header)
	return req
}

// do sends any request and holds the answer against the OpenAPI document.
func do(t *testing.T, req *http.Request) answer {
	t.Helper()
	res, err := dialer.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	var from io.Reader = res.Body
	if res.Header.Get("Content-Type") == "text/event-stream" && req.Method != "HEAD" {
		from = io.LimitReader(from, 2) // the first line: it would go on
	}
	body, err := io.ReadAll(from)
	require.NoError(t, err)
	body = decoded(t, res.Header.Get("Content-Encoding"), body)
	a := answer{t: t, status: res.StatusCode, header: res.Header, body: body, closes: res.Close}
	require.NotEmpty(t, res.Header.Get("X-Request-ID"), "every response has its id (GEN-10)")
	matchDocument(t, req, res, body)
	for name, status := range map[string]int{"WWW-Authenticate": 401, "Allow": 405} { // and Retry-After, which some other statuses have
		require.Equal(t, a.status == status, a.header.Get(name) != "", "%s of %d (GEN-07)", name, a.status)
	}
	if a.status >= 400 {
		requireTranslated(t, body)
	}
	return a
}

// decoded is the body without its coding. Of an answer to HEAD there is nothing to decode.
func decoded(t *testing.T, coding string, body []byte) []byte {
	t.Helper()
	if coding == "" || len(body) == 0 {
		return body
	}
	var from io.Reader
	var err error
	switch coding {
	case "gzip":
		from, err = gzip.NewReader(bytes.NewReader(body))
	case "zstd":
		from, err = zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1))
	default:
		require.Fail(t, "an unknown coding", coding)
	}
	require.NoError(t, err)
	plain, err := io.ReadAll(from)
	require.NoError(t, err)
	return plain
}

func (a answer) is(status int) answer {
	a.t.Helper()
	require.Equal(a.t, status, a.status, "%s", a.body)
	return a
}

// json is the body as a JSON value, numbers as they were written.
func (a answer) json() any {
	a.t.Helper()
	dec := json.NewDecoder(bytes.NewReader(a.body))
	dec.UseNumber()
	var v any
	require.NoError(a.t, dec.Decode(&v), "%s", a.body)
	return v
}

// at is the value under the dotted path: data.0.title. It must be there.
func (a answer) at(path string) any {
	a.t.Helper()
	v, found := dig(a.json(), path)
	require.True(a.t, found, "no %s in %s", path, a.body)
	return v
}

// has says whether there is a value under the dotted path.
func (a answer) has(path string) bool {
	a.t.Helper()
	_, found := dig(a.json(), path)
	return found
}

func dig(v any, path string) (any, bool) {
	for step := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			child, found := node[step]
			if !found {
				return nil, false
			}
			v = child
		case []any:
			i, err := json.Number(step).Int64()
			if err != nil || i < 0 || int(i) >= len(node) {
				return nil, false
			}
			v = node[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func (a answer) text(path string) string {
	a.t.Helper()
	s, isText := a.at(path).(string)
	require.True(a.t, isText, "%s in %s is no string", path, a.body)
	return s
}

func (a answer) int(path string) int {
	a.t.Helper()
	n, isNumber := a.at(path).(json.Number)
	require.True(a.t, isNumber, "%s in %s is no number", path, a.body)
	i, err := n.Int64()
	require.NoError(a.t, err)
	return int(i)
}

func (a answer) list(path string) []any {
	a.t.Helper()
	l, isList := a.at(path).([]any)
	require.True(a.t, isList, "%s in %s is no list", path, a.body)
	return l
}

// each is the value under the inner path of every element of the list.
func (a answer) each(path, inner string) []any {
	a.t.Helper()
	var all []any
	for _, element := range a.list(path) {
		v, found := dig(element, inner)
		require.True(a.t, found, "no %s in %v", inner, element)
		all = append(all, v)
	}
	return all
}

// fails asserts the envelope of an error (GEN-06) with the code and, for field
// errors, exactly the named fields; without fields there must be a detail.
func (a answer) fails(status int, code string, fields ...string) answer {
	a.t.Helper()
	a.is(status)
	envelope, isObject := a.json().(map[string]any)
	require.True(a.t, isObject, "%s", a.body)
	assert.Equal(a.t, true, envelope["error"])
	assert.Equal(a.t, code, envelope["code"])
	assert.Len(a.t, envelope, 3, "%s", a.body)
	data, isObject := envelope["data"].(map[string]any)
	require.True(a.t, isObject, "%s", a.body)
	if len(fields) == 0 {
		assert.NotEmpty(a.t, data["detail"], "%s", a.body)
		assert.Len(a.t, data, 1, "%s", a.body)
		return a
	}
	var named []string
	for name, sentences := range data {
		named = append(named, name)
		list, isList := sentences.([]any)
		assert.True(a.t, isList && len(list) > 0, "%s", a.body)
	}
	assert.ElementsMatch(a.t, fields, named, "%s", a.body)
	return a
}

func (a answer) invalid(fields ...string) answer {
	a.t.Helper()
	return a.fails(http.StatusBadRequest, "VALIDATION_EXCEPTION", fields...)
}

// patience is how long a server may take for any one request.
const patience = time.Minute

// wire is a connection on which anything can be said, HTTP or not.
type wire struct {
	*net.TCPConn
	t  *testing.T
	in *bufio.Reader
}

func (s *server) dial(t *testing.T) wire {
	t.Helper()
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), patience)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return wire{conn.(*net.TCPConn), t, bufio.NewReader(conn)}
}

// say sends the text while answers are read: a server may have enough before it has heard everything, and hang up.
func (w wire) say(text string) wire {
	w.t.Helper()
	require.NoError(w.t, w.SetDeadline(time.Now().Add(patience)))
	go io.WriteString(w, text)
	return w
}

// sayAll sends the text, and then that there will be no more.
func (w wire) sayAll(text string) wire {
	w.t.Helper()
	require.NoError(w.t, w.SetDeadline(time.Now().Add(patience)))
	go func() {
		io.WriteString(w, text)
		w.CloseWrite()
	}()
	return w
}

// answer reads the answer to a request of the method.
func (w wire) answer(method string) answer {
	w.t.Helper()
	res, err := http.ReadResponse(w.in, &http.Request{Method: method})
	require.NoError(w.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(w.t, err)
	return answer{t: w.t, status: res.StatusCode, header: res.Header, body: body, closes: res.Close}
}

// request is a request as it goes over the wire: the first line, the headers that
// every one needs, those given, and the body with its length.
func request(method, target string, headers []string, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: plaza.example\r\n", method, target)
	for _, header := range headers {
		b.WriteString(header + "\r\n")
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	return b.String() + "\r\n" + body
}
