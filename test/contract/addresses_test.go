package contract

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var addressRows = []row{
	{"GEN-09 a path without its slash is redirected", slashRedirects, oneStore},
	{"GEN-09 an id that is no positive integer is 404", noIDs, oneStore},
	{"GEN-07 another method is 405 with those that are taken", otherMethods, oneStore},
	{"GEN-10 a well-formed request id comes back and another gives way to a new one", requestIDs, oneStore},
	{"GEN-10 every log line of a request has its id", tracedLines, oneStore},
}

type operation struct {
	method, template, path string
	*openapi3.Operation
}

// operations is every operation of the document, with 99 for every number in a path: nothing has it.
func operations(t *testing.T) []operation {
	t.Helper()
	doc, err := theDocument()
	require.NoError(t, err)
	var all []operation
	for template, item := range doc.Paths.Map() {
		for method, described := range item.Operations() {
			all = append(all, operation{method, template, concrete(template, "99"), described})
		}
	}
	require.NotEmpty(t, all)
	slices.SortFunc(all, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return all
}

// concrete is the template with the value in place of its last variable. A type before it is that of publications.
func concrete(template, value string) string {
	at := strings.LastIndexByte(template, '{')
	if at < 0 {
		return template
	}
	_, after, _ := strings.Cut(template[at:], "}")
	return strings.Replace(template[:at], "{entity_type}", "publication", 1) + value + after
}

// needed returns the parameters without which an operation that reads is refused; it is about the event or the person.
func (o operation) needed(t *testing.T, p person, event int) url.Values {
	t.Helper()
	query := url.Values{}
	known := map[string]string{
		"event": fmt.Sprint(event), "uid": fmt.Sprint(p.id), "name": "ada", "q": "ada", "expires": "1", "signature": "x",
	}
	for _, parameter := range o.Parameters {
		if name := parameter.Value.Name; parameter.Value.In == openapi3.ParameterInQuery && parameter.Value.Required {
			require.Contains(t, known, name, "%s needs it: give it here", o.template)
			query.Set(name, known[name])
		}
	}
	return query
}

func slashRedirects(t *testing.T, s *server) {
	ada := s.member(t)
	for _, o := range operations(t) {
		bare, hasSlash := strings.CutSuffix(o.path, "/")
		if !hasSlash {
			continue
		}
		for _, c := range []*client{s.anyone(), ada.client, s.with("x")} {
			a := c.send(t, o.method, bare+"?page=2&x=%2F%20%C3%A9", nil)
			want := []int{http.StatusTemporaryRedirect, http.StatusPermanentRedirect}
			if o.method == "GET" {
				want = []int{http.StatusMovedPermanently}
			}
			assert.Contains(t, want, a.status, "%s %s", o.method, bare)
			to, err := url.Parse(a.header.Get("Location"))
			require.NoError(t, err)
			assert.Equal(t, o.path, to.Path)
			assert.Equal(t, url.Values{"page": {"2"}, "x": {"/ é"}}, to.Query())
		}
	}
}

func noIDs(t *testing.T, s *server) {
	ada := s.staff(t)
	tried := 0
	for _, o := range operations(t) {
		if !strings.Contains(o.template, "id}") {
			continue
		}
		tried++
		for _, no := range []string{
			"0", "-1", "+1", "abc", "1.0", "1e3", "0x1", "%20", "1%20", "%201", "1,2", "٣", "null", "%00", "99",
			"9223372036854775807", "9223372036854775808", "99999999999999999999999999", "-9223372036854775809",
		} {
			isInteger := no != "0" && strings.Trim(no, "0123456789") == ""
			if isInteger && o.method == "DELETE" && o.template == blocks+"{uid}/" {
				continue // ending a block that does not stand is no error (MOD-02)
			}
			path := concrete(o.template, no)
			for _, body := range []any{nil, "{", object{"title": 5}} {
				ada.send(t, o.method, path, body).fails(404, "RESOURCE_NOT_FOUND")
			}
			if strings.HasPrefix(o.template, "/api/feed/item") || o.method == "GET" && o.template == profile+"{uid}/" {
				s.anyone().send(t, o.method, path, nil).fails(404, "RESOURCE_NOT_FOUND") // open to anyone
				continue
			}
			s.anyone().send(t, o.method, path, nil).fails(401, "NOT_AUTHENTICATED")
		}
	}
	assert.GreaterOrEqual(t, tried, 8)
	ada.get(t, events+"mine/").fails(404, "RESOURCE_NOT_FOUND")
	ada.patch(t, commented, object{}).fails(404, "RESOURCE_NOT_FOUND")
}

// allowed is which methods the document knows at the address.
func allowed(all []operation, path string) []string {
	var methods []string
	for _, o := range all {
		before, after, isTemplate := strings.Cut(concrete(o.template, "\n"), "\n")
		fits := isTemplate && strings.HasPrefix(path, before) && strings.HasSuffix(path, after) &&
			len(path) > len(before+after) && !strings.Contains(path[len(before):len(path)-len(after)], "/")
		if o.path == path || fits {
			methods = append(methods, o.method)
			if o.method == "GET" {
				methods = append(methods, "HEAD")
			}
		}
	}
	slices.Sort(methods)
	return slices.Compact(methods)
}

func otherMethods(t *testing.T, s *server) {
	ada := s.member(t)
	all := operations(t)
	for _, o := range all {
		want := allowed(all, o.path)
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "get"} {
			if slices.Contains(want, method) {
				continue
			}
			for _, c := range []*client{s.anyone(), ada.client} {
				a := c.send(t, method, o.path, nil)
				require.Equal(t, 405, a.status, "%s %s %s", method, o.path, a.header)
				if method != "HEAD" {
					a.fails(405, "METHOD_NOT_ALLOWED")
				}
				var found []string
				for name := range strings.SplitSeq(a.header.Get("Allow"), ",") {
					found = append(found, strings.TrimSpace(name))
				}
				assert.ElementsMatch(t, want, found, "%s %s", method, o.path)
			}
		}
	}
}

type outcome struct {
	method, path, body string
	status             int
}

// everyOutcome is requests that end in all sorts of ways.
func everyOutcome(p person, event int) []outcome {
	return []outcome{
		{"GET", profile, "", 200}, {"HEAD", profile, "", 200}, {"POST", events, "{}", 201}, {"PUT", likePath(event), "", 204},
		{"GET", "/api/user/profile", "", 301}, {"POST", events, "{", 400}, {"PATCH", eventPath(99), "{}", 404}, {"GET", "/nowhere", "", 404},
		{"GET", "/", "", 404}, {"PUT", profile, "", 405}, {"POST", events, strings.Repeat(" ", 1<<20+1), 413}, {"GET", reference, "", 200},
		{"GET", fmt.Sprintf("/media/portrait/%d-sm.png", p.id), "", 200}, {"GET", "/media/portrait/none.png", "", 404},
	}
}

const wellFormed = `^[!#-&(-~]{1,128}$`

func requestIDs(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	seen := map[string]bool{}
	for given, isKept := range map[string]bool{
		"!#$%&()*+,-./:;<=>?@[]^_{|}~": true, strings.Repeat("x", 128): true, "": false, `"x"`: false, "it's": false, "é": false,
		strings.Repeat("x", 129): false,
	} {
		for _, o := range everyOutcome(ada, id) {
			a := ada.saying("X-Request-ID", given).send(t, o.method, o.path, o.body).is(o.status)
			sent := a.header.Values("X-Request-ID")
			assert.Equal(t, isKept, len(sent) == 1 && sent[0] == given, "%s %s", o.method, o.path)
			assert.Regexp(t, wellFormed, sent[0])
			assert.False(t, seen[sent[0]], "given twice")
			seen[sent[0]] = !isKept
		}
	}
}

func tracedLines(t *testing.T, s *server) {
	ada := s.member(t)
	wrong := s.member(t)
	ada.send(t, "POST", events, "{}") // what starts has been logged
	id := ada.publishes(t, "x")
	asked := map[string]int{}
	for i, o := range everyOutcome(ada, id) {
		name := fmt.Sprintf("find-me-%d-end", i)
		asked[name]++
		ada.saying("X-Request-ID", name).send(t, o.method, o.path, o.body)
	}
	s.breakPassword(t, wrong)
	asked["find-me-500-end"] = 2 // the mistake, and the request
	s.anyone().saying("X-Request-ID", "find-me-500-end").post(t, login, object{"username": wrong.phone, "password": password}).is(500)

	s.stop()
	found := map[string]int{}
	for line := range strings.Lines(s.log.String()) {
		if strings.Contains(line, "msg=serving ") || strings.Contains(line, `msg="stopping; `) {
			continue // no client asked for these
		}
		assert.Contains(t, line, "request_id=")
		if _, name, isOurs := strings.Cut(line, "request_id=find-me-"); isOurs {
			number, _, _ := strings.Cut(name, " ")
			found["find-me-"+number]++
		}
	}
	for name, lines := range asked {
		assert.GreaterOrEqual(t, found[name], lines, name)
	}
}
