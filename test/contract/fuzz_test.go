package contract

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// TestFuzz sends requests that are made from the OpenAPI document to every operation: valid ones, broken ones and hostile ones, by callers
// of each kind. Every response must match the document, and none may be an internal error. PLAZA_TEST_REQUESTS sets how many requests an
// operation gets on each database, PLAZA_TEST_SEED which ones: without it the requests are the same in each run.
func TestFuzz(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	requests, seed := setting(t, "PLAZA_TEST_REQUESTS", 8), setting(t, "PLAZA_TEST_SEED", 1)
	t.Logf("PLAZA_TEST_SEED=%d", seed)
	for i, on := range stores {
		if on.servers > 1 {
			continue // what may differ is the database; each gets requests of its own
		}
		t.Run(on.name, func(t *testing.T) {
			t.Parallel()
			on.fresh = on.open(t)
			s := on.startWith(t, func(s *settings.Config) { s.Translator, s.Limits = "pseudo", "off" }) // the clock stands
			require.NoError(t, s.app.LoadDemo(t.Context(), true))
			var loaded []access.Account
			for id := user.ID(1); id <= 4; id++ {
				account, err := s.app.Stores.Accounts.ByID(t.Context(), id)
				require.NoError(t, err)
				loaded = append(loaded, account)
			}
			for n, op := range operations(t) {
				t.Run(op.method+strings.ReplaceAll(op.template, "/", "_"), func(t *testing.T) {
					for _, a := range loaded { // an earlier operation may have taken rights, or disabled an account
						require.NoError(t, s.app.Signin.SetRights(t.Context(), a.User, a.Scopes, a.Roles))
						require.NoError(t, s.app.Signin.SetDisabled(t.Context(), a.User, a.Disabled))
					}
					f := newFuzzer(t, s, op, rand.New(rand.NewPCG(uint64(seed+i), uint64(n))))
					for _, f.border = range append(slices.Clone(borders), slices.Repeat([]json.Number{""}, requests)...) {
						f.send()
					}
				})
			}
			s.stop()
			assert.NotContains(t, s.log.String(), "level=ERROR")
			assert.NotContains(t, s.log.String(), "panic")
		})
	}
}

func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err, name)
	return n
}

type fuzzer struct {
	*testing.T
	*rand.Rand
	operation
	server  *server
	callers []*client
	last    *http.Request // described when the test fails
	body    []byte
	border  json.Number // every number of a valid request; empty: any numbers, and any requests
}

func newFuzzer(t *testing.T, s *server, op operation, random *rand.Rand) *fuzzer {
	f := &fuzzer{T: t, Rand: random, operation: op, server: s, callers: []*client{s.anyone(), s.with("no key"),
		s.with("plz_" + strings.Repeat("x", 43))}}
	for _, caller := range []struct {
		id     user.ID
		scopes []string
	}{{1, nil}, {1, nil}, {2, nil}, {2, nil}, {3, nil}, {4, nil}, {4, nil}, {1, []string{string(access.XfileEvent)}}} {
		key, err := s.app.Signin.Issue(t.Context(), caller.id, caller.scopes, 0)
		require.NoError(t, err)
		f.callers = append(f.callers, s.with(key.Reveal()))
	}
	t.Cleanup(func() {
		if t.Failed() && f.last != nil {
			t.Logf("after %s %s %v\n%.2000q", f.last.Method, f.last.URL, f.last.Header, f.body)
		}
	})
	return f
}

var borders = []json.Number{"-1", "0", "32768", "2147483648", "-2147483649", "4294967296", "9007199254740993", "9223372036854775807",
	"9223372036854775808", "-9223372036854775809", "1" + json.Number(strings.Repeat("0", 29)), "1e2", "1e400", "1e-400", "1.5"}

func pick[T any](f *fuzzer, all []T) T { return all[f.IntN(len(all))] }

// oneIn reports true once in n times; never where only numbers are odd.
func (f *fuzzer) oneIn(n int) bool { return f.border == "" && f.IntN(n) == 0 }

// send sends one request.
func (f *fuzzer) send() {
	f.Helper()
	contentType, body := f.content()
	target := f.server.url + f.target()
	req, err := http.NewRequestWithContext(f.Context(), f.method, target, bytes.NewReader(body))
	if err != nil {
		return // no such address can be sent
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	caller := pick(f, f.callers)
	if f.border != "" {
		caller = f.callers[8] // of staff
	}
	if caller.key != "" {
		req.Header.Set("Authorization", "Token "+caller.key)
	}
	for _, name := range []string{"x-language-locale", "Idempotency-Key", "If-None-Match", "X-Request-ID", "Range"} {
		if f.oneIn(4) {
			req.Header.Set(name, f.headerValue())
		}
	}
	f.last, f.body = req, body
	if f.template == codePath {
		f.server.clock.advance(verification.ResendAfter) // else nearly all are refused by the limit of the number
	}
	a := do(f.T, req)
	require.NotEqual(f, http.StatusInternalServerError, a.status, "%s", a.body)
}

func (f *fuzzer) headerValue() string {
	return pick(f, []string{"es", "zh-Hant-TW", "x", "*", "bytes=0-1", `"a", "b"`, "%00", strings.Repeat("a", 300), "\u00e9", "k1", "k2", "k3"})
}

// target returns a path and a query.
func (f *fuzzer) target() string {
	path := f.template
	query := url.Values{}
	for _, ref := range f.Parameters {
		switch parameter := ref.Value; parameter.In {
		case openapi3.ParameterInPath:
			value := f.text(parameter.Schema.Value)
			if f.oneIn(4) {
				value = pick(f, hostileTexts)
			}
			path = strings.Replace(path, "{"+parameter.Name+"}", url.PathEscape(value), 1)
		case openapi3.ParameterInQuery:
			times := f.IntN(2) + f.IntN(2)
			if f.border != "" {
				times = 1
			}
			for range times {
				value := f.text(parameter.Schema.Value)
				if f.oneIn(3) {
					value = pick(f, hostileTexts)
				}
				query.Add(parameter.Name, value)
			}
		}
	}
	if f.oneIn(20) {
		query.Add(pick(f, hostileTexts), pick(f, hostileTexts))
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

func (f *fuzzer) text(schema *openapi3.Schema) string {
	switch v := f.value(schema, 0).(type) {
	case nil:
		return ""
	case []any:
		return strings.ReplaceAll(strings.Trim(fmt.Sprint(v), "[]"), " ", ",")
	default:
		return fmt.Sprint(v)
	}
}

// content returns a body and its type.
func (f *fuzzer) content() (contentType string, body []byte) {
	if f.RequestBody == nil {
		if f.oneIn(10) {
			return "application/json", []byte(`{"a": 1}`)
		}
		return "", nil
	}
	types := f.RequestBody.Value.Content
	schema := types.Get("application/json")
	if form := types["multipart/form-data"]; form != nil && f.oneIn(3) {
		return f.form(form.Schema.Value)
	}
	if schema == nil || schema.Schema == nil {
		return "application/octet-stream", []byte(pick(f, hostileTexts))
	}
	value := f.value(schema.Schema.Value, 0)
	if object, is := value.(map[string]any); is && f.oneIn(2) {
		f.spoil(object)
	}
	raw, err := json.Marshal(value)
	require.NoError(f, err)
	if f.border != "" {
		return "application/json", raw
	}
	switch f.IntN(12) {
	case 0:
		raw = raw[:f.IntN(len(raw)+1)]
	case 1:
		raw[f.IntN(len(raw))] ^= byte(1 << f.IntN(8))
	case 2:
		raw = bytes.ReplaceAll(raw, []byte(`"`), []byte(pick(f, []string{`"\u0000`, "\"\xff", `"\ud800`, "'"})))
	}
	return pick(f, []string{"application/json", "application/json", "application/json", "application/json; charset=utf-8", "", "text/plain"}),
		raw
}

// form returns a multipart body of the schema.
func (f *fuzzer) form(schema *openapi3.Schema) (string, []byte) {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name := range properties(schema) {
		for range f.IntN(3) {
			if f.oneIn(2) {
				part, err := w.CreateFormFile(name, pick(f, []string{"x.png", "../../x", "\x00", ""}))
				require.NoError(f, err)
				part.Write(f.picture())
				continue
			}
			require.NoError(f, w.WriteField(name, pick(f, append([]string{"1", "28"}, hostileTexts...))))
		}
	}
	require.NoError(f, w.Close())
	raw := body.Bytes()
	if f.oneIn(6) {
		raw = raw[:f.IntN(len(raw)+1)]
	}
	return w.FormDataContentType(), raw
}

func (f *fuzzer) picture() []byte {
	raw := aPNG(f.T)
	switch f.IntN(4) {
	case 0:
		raw = raw[:f.IntN(len(raw))]
	case 1:
		raw[f.IntN(len(raw))] ^= 0x55
	case 2:
		return []byte(pick(f, hostileTexts))
	}
	return raw
}

func properties(schema *openapi3.Schema) openapi3.Schemas {
	all := openapi3.Schemas{}
	for _, part := range slices.Concat(schema.AllOf, schema.OneOf, schema.AnyOf) {
		for name, property := range properties(part.Value) {
			all[name] = property
		}
	}
	for name, property := range schema.Properties {
		all[name] = property
	}
	return all
}

// spoil replaces or adds a field.
func (f *fuzzer) spoil(object map[string]any) {
	names := []string{"id", "user", "status", "is_staff", pick(f, hostileTexts)}
	for name := range object {
		names = append(names, name, name)
	}
	slices.Sort(names) // a map has no order, the seed must repeat
	object[pick(f, names)] = pick(f, hostileValues())
}

// value returns a value of the schema.
func (f *fuzzer) value(schema *openapi3.Schema, depth int) any {
	switch {
	case depth > 4:
		return nil
	case f.border != "" && schema.Type != nil && (schema.Type.Includes(openapi3.TypeInteger) || schema.Type.Includes(openapi3.TypeNumber)):
		return f.border
	case schema.Example != nil && f.oneIn(3):
		return schema.Example
	case len(schema.Enum) > 0:
		return pick(f, schema.Enum)
	case len(schema.OneOf) > 0:
		return f.value(pick(f, schema.OneOf).Value, depth+1)
	case len(schema.AnyOf) > 0:
		return f.value(pick(f, schema.AnyOf).Value, depth+1)
	case schema.Type == nil && len(schema.AllOf) == 0 && len(schema.Properties) == 0:
		return pick(f, hostileValues())
	case schema.Type.Includes(openapi3.TypeInteger):
		return pick(f, []int64{0, 1, 1, 2, 3, 4, 5, 10, 20, 28, 99, 100, 200, 300, -1, 1 << 31, 1<<63 - 1})
	case schema.Type.Includes(openapi3.TypeNumber):
		return pick(f, []float64{0, 30.2741, 120.1551, -90, 90, 180.0001, 1e300, 5, 0.001})
	case schema.Type.Includes(openapi3.TypeBoolean):
		return f.oneIn(2)
	case schema.Type.Includes(openapi3.TypeString):
		return f.word(schema)
	case schema.Type.Includes(openapi3.TypeArray):
		list := []any{}
		for range f.IntN(4) {
			list = append(list, f.value(schema.Items.Value, depth+1))
		}
		return list
	}
	object := map[string]any{}
	all := properties(schema)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if f.border != "" || slices.Contains(schema.Required, name) && !f.oneIn(10) || f.oneIn(2) {
			object[name] = f.value(all[name].Value, depth+1)
		}
	}
	return object
}

func (f *fuzzer) word(schema *openapi3.Schema) string {
	switch schema.Format {
	case "date":
		return pick(f, []string{"2026-11-20", "2024-02-29", "2023-02-29", "0001-01-01", "9999-12-31"})
	case "byte", "binary":
		return base64.StdEncoding.EncodeToString(f.picture())
	}
	words := []string{"Tea", "lake,tea", "西湖的早晨", "<p>Tea &amp; <b>bread</b></p>", "event_time", "-create_time", "demand", "xfile",
		"uncategory", "+86-13800000001", "plaza-demo"}
	if f.oneIn(5) {
		return pick(f, hostileTexts)
	}
	return pick(f, words)
}

// hostileTexts are texts that parsers and databases stumble over.
var hostileTexts = []string{
	"", " ", "\x00", "a\x00b", "\xff\xfe", "%", "%00", "%25", "..", "../../etc/passwd", "/", "\\", "'", `"`, "' OR 1=1 --", "{}", "[]", "null",
	"true", "-1", "0", "00", "1e3", "1.5", "NaN", "Infinity", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "１２",
	"0x10", "\u202e", "\u200d", "\ufeff", "é", "e\u0301", "😀", "\U0010ffff", "\r\nX-Odd: 1", "<script>alert(1)</script>", "${jndi:ldap://x}",
	"{{7*7}}", "$1", "?", strings.Repeat("a", 300), strings.Repeat("漢", 500), strings.Repeat("a,", 200), "2026-13-45", "+86-1", "+0-0",
}

// hostileValues are JSON values that no field expects.
func hostileValues() []any {
	all := []any{
		nil, true, false, 0, -1, 1.5, 1e308, json.Number("1e400"), json.Number("123456789012345678901234567890"), []any{}, []any{nil, []any{}},
		map[string]any{}, map[string]any{"": map[string]any{"": nil}}, strings.Repeat("x", 70_000),
	}
	for _, text := range hostileTexts {
		all = append(all, text)
	}
	return all
}
