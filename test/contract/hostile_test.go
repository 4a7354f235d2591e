package contract

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// attack is a malicious request, as it goes over the wire.
type attack struct {
	name, method, raw string
	isCutOff          bool     // the connection ends where the text does
	fields            []string // that the answer must name; nil: any
}

// TestHostile shows GEN-04 and GEN-06 to GEN-11: to every request there is an
// answer at once, and it is a redirect within the house or the one envelope,
// never a mistake of the server's.
func TestHostile(t *testing.T) {
	t.Parallel()
	onEach(t, oneDatabase, repelsAttacks)
}

func repelsAttacks(t *testing.T, on store) {
	s := on.start(t)
	ada := s.staff(t) // who may do the most
	h := hostility{s, ada, ada.publishes(t, "x")}
	attacks := slices.Concat(
		h.pages(), h.bodies(t), h.fields(), h.mediaTypes(t), h.framing(), h.paths(), h.methods(), h.authorizations(), h.headers(),
	)
	assert.Greater(t, len(attacks), 2000)
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) { h.refuses(t, a) })
	}
	ada.reads(t, h.event).shows(object{"title": "x", "content": "", "status": 100, "comment_count": 0})
	assert.Equal(t, 1, ada.get(t, events).is(200).int("pagination.total_count"), "nothing was written")
	assert.Empty(t, ada.get(t, subscriptions).is(200).list("data"))
	s.stop()
	assert.NotContains(t, s.log.String(), "level=ERROR")
	assert.NotContains(t, s.log.String(), "panic")
}

// TestHostile_no_HTTP: what is no HTTP never reaches the interface, and so gets no
// envelope; but it is refused as well. Nor does it reach a store, so that any is
// as good as the others.
func TestHostile_no_HTTP(t *testing.T) {
	t.Parallel()
	on := stores[0]
	on.fresh = on.open(t)
	s := on.start(t)
	for name, raw := range map[string]string{
		"nonsense":            "hello\r\n\r\n",
		"no host":             "GET /api/user/profile/ HTTP/1.1\r\n\r\n",
		"a method of marks":   request("G(T", profile, nil, ""),
		"half an escape":      request("GET", "/api/user/%", nil, ""),
		"no escape":           request("GET", "/api/user/%zz/", nil, ""),
		"NUL in a header":     request("GET", profile, []string{"Authorization: Token \x00"}, ""),
		"NUL in the path":     request("GET", "/api/\x00/", nil, ""),
		"64 KiB of header":    request("GET", profile, []string{"X-Long: " + strings.Repeat("x", 64<<10)}, ""),
		"a path of 64 KiB":    request("GET", "/"+strings.Repeat("x", 64<<10), nil, ""),
		"two lengths":         request("POST", login, []string{"Content-Length: 2", "Content-Length: 3"}, ""),
		"a negative length":   request("POST", login, []string{"Content-Length: -1"}, ""),
		"a folded header":     "GET /api/user/profile/ HTTP/1.1\r\nHost: x\r\n y\r\n: z\r\n\r\n",
		"a space before :":    "GET /api/user/profile/ HTTP/1.1\r\nHost : x\r\n\r\n",
		"an odd expectation":  request("POST", login, []string{"Expect: the-unexpected"}, "{}"),
		"a version to come":   "GET /api/user/profile/ HTTP/7.7\r\nHost: x\r\n\r\n",
		"the wrong host":      "GET /api/user/profile/ HTTP/1.1\r\nHost: a b\r\n\r\n",
		"a line of its own":   "\r\n\r\n\r\nGET\r\n\r\n",
		"Latin-1 in the host": "GET / HTTP/1.1\r\nHost: \xe9\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			a := s.dial(t).say(raw).answer("GET")
			assert.True(t, a.status >= 400 && a.status < 500 || a.status == 505, "%d", a.status)
			assert.Less(t, len(a.body), 200)
		})
	}
	s.member(t).get(t, profile).is(200)
}

// hostility is what attacks need: a user's key, and the ids of their data.
type hostility struct {
	*server
	ada   person
	event int
}

func (h hostility) refuses(t *testing.T, attack attack) {
	w := h.dial(t)
	if attack.isCutOff {
		w.sayAll(attack.raw)
	} else {
		w.say(attack.raw)
	}
	a := w.answer(attack.method)
	assert.Regexp(t, wellFormed, a.header.Get("X-Request-ID"))
	require.True(t, a.status >= 300 && a.status < 500, "%d %s", a.status, a.body)
	if a.status < 400 {
		to, err := url.Parse(a.header.Get("Location"))
		require.NoError(t, err)
		assert.Empty(t, to.Host, "%s leads away", to)
		return
	}
	if attack.method == "HEAD" {
		return
	}
	code := a.text("code")
	if code == "VALIDATION_EXCEPTION" {
		named, isObject := a.at("data").(object)
		require.True(t, isObject, "%s", a.body)
		fields := attack.fields
		for name := range named {
			if attack.fields == nil {
				fields = append(fields, name)
			}
		}
		a.invalid(fields...)
		return
	}
	require.Nil(t, attack.fields, "%s", a.body)
	a.fails(a.status, code)
}

// asAda is a request with Ada's key.
func (h hostility) asAda(method, target, body string, headers ...string) string {
	return request(method, target, append([]string{"Authorization: Token " + h.ada.key}, headers...), body)
}

func (h hostility) pages() []attack {
	var all []attack
	for _, path := range pagedLists(h.ada, h.event) {
		for _, parameter := range []string{"page", "page_size"} {
			for _, bad := range []string{
				"0", "-0", "-1", "abc", "1.5", "1e1", "1,2", "2-1", "%D9%A3", "%FF", "-9223372036854775808", "1.0", "1e9", "0x1", "1_0", "%2B%2B1",
				"%00", "1%00", "%FF%FE", "%EF%BC%91", "NaN", "null",
				"[]", "{}", "1;2", "%27%20OR%201=1--", "%0d%0aX-Evil:%201", "${7*7}", strings.Repeat("-9", 2000),
			} {
				target := query(path, parameter+"="+bad)
				name := fmt.Sprintf("page %s", target[:min(len(target), 80)])
				fields := []string{parameter}
				if bad == "1;2" { // the query as a whole can't be read
					fields = nil
				}
				all = append(all, attack{name: name, method: "GET", raw: h.asAda("GET", target, ""), fields: fields})
			}
		}
		for _, page := range []string{"2", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", strings.Repeat("9", 4000)} {
			target := query(path, "page="+page)
			all = append(all, attack{name: "page past the last " + target[:min(len(target), 80)], method: "GET", raw: h.asAda("GET", target, "")})
		}
	}
	return all
}

const jsonType = "Content-Type: application/json"

// bodies are what no operation takes, whichever it is.
func (h hostility) bodies(t *testing.T) []attack {
	const deep = 100_000
	encoded := func(order binary.AppendByteOrder) string {
		var raw []byte
		for _, unit := range utf16.Encode([]rune("\ufeff{\"title\": \"x\"}")) {
			raw = order.AppendUint16(raw, unit)
		}
		return string(raw)
	}
	bad := map[string]string{
		"empty": "", "null": "null", "a list": "[]", "a text": `"x"`, "a number": "1", "true": "true", "NaN": "NaN",
		"truncated": `{"title": "x`, "half a field": `{"title":`, "no end": `{"title": "x"`, "a comma too many": `{"title": "x",}`,
		"two values": `{"title": "x"}{"title": "y"}`, "trailing": `{"title": "x"} x`, "single quotes": `{'title': 'x'}`,
		"a comment": `{"title": "x"} // y`, "a raw newline": "{\"title\": \"x\ny\"}", "a raw NUL": "{\"title\": \"x\x00\"}", "NUL after": "{}\x00",
		"only NUL": "\x00\x00\x00\x00", "no UTF-8": "{\"title\": \"\xff\xfe\"}", "no UTF-8 in a name": "{\"\xc0\xaf\": 1}",
		"overlong UTF-8":    "{\"title\": \"\xc0\x80\"}",
		"a byte order mark": "\ufeff{}", "UTF-16": encoded(binary.BigEndian), "UTF-16LE": encoded(binary.LittleEndian),
		"gzip": zipped(t), "an odd escape": `{"title": "\x41"}`, "half an escape": `{"title": "\u00"}`, "leading zeros": `{"title": 01}`,
		"hexadecimal": `{"title": 0x10}`, "a plus": `{"title": +1}`, "infinity": `{"title": Infinity}`, "undefined": `{"title": undefined}`,
		"deep lists": strings.Repeat("[", deep) + strings.Repeat("]", deep), "deep lists without end": strings.Repeat("[", deep),
		"deep objects":  strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep),
		"deep inside":   `{"title": ` + strings.Repeat("[", deep) + strings.Repeat("]", deep) + `}`,
		"deep unknown":  `{"unknown": ` + strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep) + `}`,
		"XML":           `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "a">]><x>&a;</x>`,
		"a form":        "title=x&publish=true",
		"over one MiB":  `{"title": "` + strings.Repeat("x", 1<<20) + `"}`,
		"commas":        "{" + strings.Repeat(",", 1000) + "}",
		"many brackets": strings.Repeat("{}", 1000),
	}
	var all []attack
	for _, to := range h.takers(t, h.ada, h.event) {
		for name, body := range bad {
			raw := h.asAda(to.method, to.path, body, jsonType)
			all = append(all, attack{name: fmt.Sprintf("body %s %s %s", to.method, to.path, name), method: to.method, raw: raw})
		}
	}
	slices.SortFunc(all, func(a, b attack) int { return strings.Compare(a.name, b.name) })
	return all
}

func zipped(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(`{"title": "x"}`))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// Values of wrong types, as they stand in JSON, for fields of each type.
var (
	notIntegers = []string{
		"null", "true", "1.5", "-1", "1e400", "-1e400", "1e-400", "99999999999999999999", `"99999999999999999999"`, `"x"`, `""`, `" "`,
		`"1.0"`, `"\u0661"`, `"1\u0000"`, "[]", "[1]", "{}", `{"id": 1}`, strings.Repeat("9", 10_000), "1." + strings.Repeat("0", 10_000) + "1",
	}
	notTexts = []string{
		"null", "false", "0", "1e999", "[]", `["x"]`, "{}", `"\u0000"`, `"a\u0000b"`, `"\ud800"`, `"\udfff\ud800"`, `"x\uDBFF"`,
	}
	notBooleans = []string{"null", "2", "-1", `"perhaps"`, "[]", "[true]", "{}", "1e400"}
	notDates    = []string{
		"null", "20261120", "[]", "{}", `""`, `"2026-11-31"`, `"2026-13-01"`, `"0000-00-00"`, `"99999-01-01"`, `"-001-01-01"`, `"2026-1-1"`,
		`"2026-11-20\u0000"`, `"2026-11-20T00:00:00Z"`, `"２０２６-11-20"`, `"' OR 1=1"`,
	}
	notLists = []string{
		"null", "5", `"5"`, "{}", `{"0": 1}`, "true", "[null]", "[[]]", "[{}]", "[1.5]", "[true]", `["x"]`, `[1, "\u0000"]`, "[1e400]", "[99999999999999999999]",
	}
)

// fields are bodies that are good but for one field, which the answer names.
func (h hostility) fields() []attack {
	many := func(n int) string { return `"` + strings.Repeat("x", n) + `"` }
	of := func(wrong []string, more ...string) []string { return append(slices.Clone(wrong), more...) }
	written := map[string][]string{
		"title": of(notTexts, many(201), many(500_000)), "content": of(notTexts, many(20_001)), "html_content": of(notTexts, many(65_537), `"`+strings.Repeat("<script></script>", 5000)+`"`),
		"event_time": notDates, "view_permission": of(notIntegers, "1", "150", `"Public"`), "publish": notBooleans,
		"category": of(notIntegers[1:], "0", "4711"),
	}
	event := fmt.Sprint(h.event)
	phone, pass := fmt.Sprintf("%q", h.ada.phone), fmt.Sprintf("%q", password)
	var all []attack
	for _, to := range []struct {
		method, path string
		good         map[string]string
		wrong        map[string][]string
	}{
		{"POST", login, map[string]string{"username": phone, "password": pass}, map[string][]string{
			"username": of(notTexts, `""`, `"x"`, many(100_000)), "password": notTexts, "scope": of(notLists, `["root"]`),
		}},
		{"POST", codePath, map[string]string{"username": phone, "purpose": `"sign_up"`}, map[string][]string{
			"username": of(notTexts, `""`, `"x"`, many(100_000)), "purpose": of(notTexts, `""`, `"login"`, many(100_000)),
		}},
		{"POST", signUpPath, map[string]string{
			"username": phone, "code": `"000000"`, "password": pass, "firstname": `"Ada"`, "lastname": `"Berg"`,
		}, map[string][]string{
			"username": of(notTexts, `""`, many(100_000)), "password": notTexts,
			"code":      of(notTexts, `""`, "123456", `"１２３４５６"`, many(100_000)),
			"firstname": of(notTexts, `" "`, `"a\nb"`, many(65)),
			"timezone":  of(notTexts, `"Mars/Base"`, `"../../etc/passwd"`, many(100_000)),
		}},
		{"PATCH", profile, nil, map[string][]string{
			"firstname": of(notTexts, `""`, `"\u200b"`, many(65)), "location": of(notTexts[1:], `"a\nb"`, many(65)),
			"timezone": of(notTexts, `""`, many(100_000)),
		}},
		{"POST", simpleInfo, nil, map[string][]string{"uid": of(notLists, "["+strings.Repeat("1,", 200)+"1]")}},
		{"POST", events, map[string]string{"title": `"x"`}, written},
		{"PATCH", eventPath(h.event), nil, written},
		{"POST", comments, map[string]string{"event": event, "content": `"Oh"`}, map[string][]string{
			"event": of(notIntegers, "0", "4711"), "content": of(notTexts, many(2001), `""`, `" "`, `"\u200b"`),
		}},
		{"POST", subscriptions, nil, map[string][]string{
			"followed_user":     of(notIntegers[1:], "0", "4711", fmt.Sprint(h.ada.id)),
			"followed_category": of(notIntegers[1:], "0", "4711"),
		}},
	} {
		for field, values := range to.wrong {
			for _, value := range values {
				body := fmt.Sprintf("%q: %s", field, value)
				for other, good := range to.good {
					if other != field {
						body += fmt.Sprintf(", %q: %s", other, good)
					}
				}
				twice := fmt.Sprintf(`{%q: "sent before", %s}`, field, body) // the last one counts
				name := fmt.Sprintf("field %s %s %s %s", to.method, to.path, field, value[:min(len(value), 40)])
				all = append(all,
					attack{name: name, method: to.method, raw: h.asAda(to.method, to.path, "{"+body+"}", jsonType), fields: []string{field}},
					attack{name: name + " twice", method: to.method, raw: h.asAda(to.method, to.path, twice, jsonType), fields: []string{field}},
				)
			}
		}
	}
	slices.SortFunc(all, func(a, b attack) int { return strings.Compare(a.name, b.name) })
	return all
}
