package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var lineRows = []row{
	{"GEN-08 no text of one line reaches beyond it, whatever field it is sent in", linesStayLines, oneStore},
}

// textFields returns the fields of all bodies that are free texts, as "POST /path/ field".
func textFields(t *testing.T) (fields []string) {
	doc, err := theDocument()
	require.NoError(t, err)
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			if operation.RequestBody == nil || operation.RequestBody.Value.Content["application/json"] == nil {
				continue
			}
			schema := operation.RequestBody.Value.Content["application/json"].Schema.Value
			for _, name := range textsOf(schema) {
				fields = append(fields, method+" "+path+" "+name)
			}
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// textsOf returns the names of the properties that are texts, or lists of texts, of no given form.
func textsOf(s *openapi3.Schema) (names []string) {
	for _, part := range slices.Concat(s.AllOf, s.AnyOf, s.OneOf) {
		names = append(names, textsOf(part.Value)...)
	}
	for name, property := range s.Properties {
		of := property.Value
		if of.Items != nil {
			of = of.Items.Value
		}
		isFree := len(of.Enum) == 0 && of.Format == "" && (of.Pattern == "" || name == "tags")
		if of.Type != nil && of.Type.Includes("string") && isFree {
			names = append(names, name)
		}
	}
	return names
}

// lineBodies are good bodies of the operations that take texts of one line, by method and path.
func lineBodies(t *testing.T, s *server, ada person) map[string]object {
	act := object{"reason": "Asked"}
	return map[string]object{
		"POST " + events: {}, "PATCH " + events + "{id}/": {}, "PATCH " + profile: {},
		"POST " + images: {"img": aPNG(t)}, "PATCH " + images + "{id}/": {},
		"POST " + signUpPath: {"username": newcomer(1), "code": s.anyone().code(t, "sign_up", newcomer(1)), "password": password,
			"firstname": "Ada"},
		"POST " + newOrder: draftFor(ada), "POST " + refunds: {"payment": 1},
		"POST " + hidePath: {"event": 1}, "POST " + restorePath: {"event": 1}, "POST " + decidePath: {"report": 1},
		"POST " + staffPeople + "{uid}/disable/": act, "POST " + staffPeople + "{uid}/enable/": act, "POST " + staffPeople +
			"{uid}/end-sessions/": act,
		"POST " + staffPeople + "{uid}/scopes/": {"scopes": []string{}, "roles": []string{}},
	}
}

// otherTexts are the texts that are of several lines, pictures, or of a form of their own.
var otherTexts = []string{"bio", "content", "html_content", "text", "img", "photo", "avatar", "timezone", "currency", "username", "code",
	"scope", "otp"}

func linesStayLines(t *testing.T, s *server) {
	ada := s.staff(t)
	event, image, other := ada.writes(t, object{}).int("data.id"), ada.keeps(t), s.member(t)
	bodies, tried := lineBodies(t, s, ada), map[string]bool{}
	for _, field := range textFields(t) {
		parts := strings.Fields(field)
		method, path, name := parts[0], parts[1], parts[2]
		if slices.Contains(otherTexts, name) {
			continue
		}
		good := bodies[method+" "+path]
		if !assert.NotNil(t, good, field) {
			continue
		}
		tried[method+" "+path] = true
		id := event
		if strings.HasPrefix(path, images) {
			id = image
		}
		path = strings.NewReplacer("{id}", fmt.Sprint(id), "{uid}", fmt.Sprint(other.id)).Replace(path)
		for _, bad := range []string{
			"a\nb", "a\tb", "a\u0085b", "a\u2028b", "a\u2029b", "\u202eabc", "a\u202ab\u202c", "\u2066abc", "a\u2069", "a\ufffe", "a\ufdd0",
			"a\U0010ffff", "a" + strings.Repeat("\u0316", 5),
		} {
			body := maps.Clone(good)
			if body[name] = any(bad); name == "tags" {
				body[name] = []string{bad}
			}
			ada.send(t, method, path, body).invalid(name)
		}
	}
	assert.Len(t, tried, len(bodies))
}
