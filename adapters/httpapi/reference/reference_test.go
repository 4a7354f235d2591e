package reference

import (
	"cmp"
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/openapi"
)

// rendered returns the page of the interface's document.
func rendered(t *testing.T) string {
	t.Helper()
	html, err := Page(openapi.JSON(), Server{
		People:  []Person{{"Ada <b>", "tries it", "+1-2025550100", `a"b`}},
		Sandbox: "http://127.0.0.1:8090/", Messages: "http://127.0.0.1:8090/sms/", MayJoin: true,
	})
	require.NoError(t, err)
	return string(html)
}

func TestPageHasEveryOperation(t *testing.T) {
	html := rendered(t)
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(openapi.JSON(), &document))
	operations := 0
	for path, item := range document.Paths {
		for method, raw := range item {
			if method == "parameters" {
				continue
			}
			operations++
			var o struct{ OperationID, Summary string }
			require.NoError(t, json.Unmarshal(raw, &o))
			_, article, found := strings.Cut(html, `<article id="op-`+o.OperationID+`"`)
			require.True(t, found, o.OperationID)
			article, _, _ = strings.Cut(article, "</article>")
			isForClients := !strings.Contains(path, "/notify/")
			assert.Equal(t, isForClients, strings.Contains(article, `data-method="`+strings.ToUpper(method)+`" data-path="`+path+`"`), o.OperationID)
			assert.Equal(t, isForClients, strings.Contains(article, "<code>await plaza.call(&#34;"+o.OperationID+"&#34;"), o.OperationID)
			_, responses, _ := strings.Cut(article, "<h4>Responses</h4>")
			responses, _, _ = strings.Cut(responses, `<div class="side">`)
			assert.NotContains(t, responses, `class="required"`, o.OperationID)
			assert.Contains(t, article, `<span class="status s2">`, o.OperationID)
			assert.Equal(t, strings.Contains(article, `<span class="need">token</span>`), strings.Contains(article, `data-auth="required"`), o.OperationID)
			assert.Contains(t, html, `<a href="#op-`+o.OperationID+`"><span class="method`, o.OperationID)
		}
	}
	assert.Equal(t, operations, strings.Count(html, "<article "))
}

// The policy forbids what this page does not contain, so that the browser says nothing.
func TestPageFitsPolicy(t *testing.T) {
	home, err := Home("v1.2.3 <x>")
	require.NoError(t, err)
	assert.Contains(t, string(home), "v1.2.3 &lt;x&gt;")
	for _, html := range []string{rendered(t), string(home)} {
		for _, element := range regexp.MustCompile(`<script[^>]*>[^<]*`).FindAllString(html, -1) {
			assert.Regexp(t, `^<script src="[a-z./]*reference\.js">$`, element)
		}
		assert.NotRegexp(t, `<style|<[^>]* style=|<[^>]* on[a-z]+=|javascript:`, html)
		for _, m := range regexp.MustCompile(`<(?:link|img|script|iframe)[^>]*(?:src|href)="([^"]*)"`).FindAllStringSubmatch(html, -1) {
			assert.Regexp(t, `^(docs/)?(reference\.css|reference\.js|icon\.svg)$`, m[1])
		}
		assert.NotContains(t, html, "ZgotmplZ", "html/template has refused a value")
	}
}

func TestHeadings_have_no_gap(t *testing.T) {
	for _, html := range []string{rendered(t), guideOf(t, "# A guide\n\nHow.\n\n## Lists\n\n[Pages](#lists)")} {
		last := byte('0')
		for _, heading := range regexp.MustCompile(`<h([1-6])`).FindAllStringSubmatch(html, -1) {
			assert.LessOrEqual(t, heading[1][0], last+1, html)
			last = heading[1][0]
		}
		assert.Equal(t, 1, strings.Count(html, "<h1"))
	}
}

func guideOf(t *testing.T, markdown string) string {
	t.Helper()
	html, err := Guide(markdown)
	require.NoError(t, err)
	return string(html)
}

func TestGuide_links_to_its_chapters_and_to_no_file(t *testing.T) {
	html := guideOf(t, "# A guide\n\n## Own lists\n\n- [pages](#own-lists), [a file](x/README.md), [the web](https://example.org)\n\n| "+
		"[deep](#own-lists) |\n")
	assert.Equal(t, 2, strings.Count(html, `<a href="#about-own-lists">`))
	assert.Contains(t, html, `id="about-own-lists"`)
	assert.NotContains(t, html, "README.md")
	assert.Contains(t, html, ", a file, ")
	assert.Contains(t, html, `<a href="https://example.org">the web</a>`)
}

func TestPageShowsWhatTheServerOffers(t *testing.T) {
	html := rendered(t)
	assert.Contains(t, html, `data-username="&#43;1-2025550100" data-password="a&#34;b">Ada &lt;b&gt;<span`)
	without, err := Page(openapi.JSON(), Server{})
	require.NoError(t, err)
	assert.NotContains(t, string(without), "demo data:")
	assert.Contains(t, html, `<a href="http://127.0.0.1:8090/">page of the wallet's sandbox`)
	assert.NotContains(t, string(without), "sandbox</a>")
	assert.Contains(t, html, `<form id="join"`)
	assert.Contains(t, html, `href="http://127.0.0.1:8090/sms/"`)
	assert.NotContains(t, string(without), `id="join`)
}

func TestBlocks(t *testing.T) {
	plain := func(text string) []span { return []span{{Kind: "text", Text: text}} }
	got := blocks("One line\nand `code`, **bold** and [a link](#x), <http://x/>.\n\n## A title!\n- first\n  goes on\n- second\n\n" +
		"    indented\n\n      more\n\n```\nfenced\n```\n| A | B |\n|---|:-:|\n| 1 | `2` |\nafter")
	assert.Equal(t, []block{
		{Kind: "paragraph", Lines: [][]span{{
			{Kind: "text", Text: "One line and "}, {Kind: "code", Text: "code"}, {Kind: "text", Text: ", "}, {Kind: "strong", Text: "bold"},
			{Kind: "text", Text: " and "}, {Kind: "link", Text: "a link", URL: "#x"}, {Kind: "text", Text: ", "},
			{Kind: "link", Text: "http://x/", URL: "http://x/"}, {Kind: "text", Text: "."},
		}}},
		{Kind: "heading", ID: "a-title", Lines: [][]span{plain("A title!")}},
		{Kind: "list", Lines: [][]span{plain("first goes on"), plain("second")}},
		{Kind: "code", Code: "indented\n\n  more"},
		{Kind: "code", Code: "fenced"},
		{Kind: "table", Rows: [][][]span{{plain("A"), plain("B")}, {plain("1"), {{Kind: "code", Text: "2"}}}}},
		{Kind: "paragraph", Lines: [][]span{plain("after")}},
	}, got)
	assert.Empty(t, blocks(""))
	assert.Len(t, blocks("```\nnever closed"), 1)
}

// The parser knows only a subset of Markdown. The document must use no more.
func TestDocumentUsesKnownMarkdown(t *testing.T) {
	var document any
	require.NoError(t, json.Unmarshal(openapi.JSON(), &document))
	texts := 0
	eachDescription(document, func(text string) {
		texts++
		for _, b := range blocks(text) {
			for _, line := range b.Lines {
				for _, s := range line {
					if s.Kind == "text" {
						assert.NotRegexp(t, "`|\\*\\*|\\]\\(|^#|^> |^[0-9]+\\. |<[a-z]+>", s.Text)
					}
				}
			}
		}
	})
	assert.Greater(t, texts, 100)
}

func eachDescription(v any, do func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if text, isText := value.(string); isText && (name == "description" || name == "summary") {
				do(strings.TrimSpace(text))
			} else if name != "example" && name != "examples" {
				eachDescription(value, do)
			}
		}
	case []any:
		for _, value := range v {
			eachDescription(value, do)
		}
	}
}

const schemas = `{"components": {"schemas": {
	"ID": {"type": "integer", "format": "int64", "minimum": 1, "description": "an id"},
	"Level": {"type": "integer", "enum": [0, 100], "x-enum-varnames": ["Low", "High"], "x-enum-descriptions": ["for all", "for few"]},
	"Kind": {"enum": ["a", "b"]},
	"Person": {"type": "object", "required": ["id"], "properties": {"id": {"$ref": "#/components/schemas/ID"}, "name": {"type": "string"}}},
	"Tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/components/schemas/Tree"}}}},
	"Cat": {"type": "object", "properties": {"sort": {"const": "cat"}}},
	"Dog": {"type": "object", "properties": {"sort": {"const": "dog"}}},
	"Pet": {"oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
		"discriminator": {"propertyName": "sort", "mapping": {"cat": "#/components/schemas/Cat", "dog": "#/components/schemas/Dog"}}}
}}}`

// shaped returns the shape of the schema in a document with schemas.
func shaped(t *testing.T, source string) shape {
	t.Helper()
	var d document
	var s schema
	require.NoError(t, json.Unmarshal([]byte(schemas), &d))
	require.NoError(t, json.Unmarshal([]byte(source), &s))
	return d.shape(&s)
}

func TestTypesAndLimits(t *testing.T) {
	for source, want := range map[string][]string{
		`{}`:             {"any"},
		`{"const": "x"}`: {"constant", "always x"},
		`{"type": "string", "minLength": 1, "maxLength": 9, "default": "a"}`:                              {"string", "1 to 9 characters", "default a"},
		`{"type": "string", "format": "date", "pattern": "^[0-9]"}`:                                       {"string (date)"},
		`{"type": ["integer", "null"], "minimum": 1, "maximum": 5}`:                                       {"integer or null", "≥ 1", "≤ 5"},
		`{"type": "array", "items": {"type":"string","maxLength":9}}`:                                     {"array of string", "each at most 9 characters"},
		`{"type": "array", "items": {"type": "array", "items": {"type": "number"}}, "default": ["a", 1]}`: {"array of array of number", "default a,1"},
		`{"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}`:              {"map of string", "at least 1 field"},
		`{"$ref": "#/components/schemas/ID"}`:                                                             {"integer (int64)", "≥ 1"},
		`{"oneOf": [{"$ref": "#/components/schemas/Person"}, {"type": "null"}]}`:                          {"Person or null"},
		`{"$ref": "#/components/schemas/Pet"}`:                                                            {"Pet"},
	} {
		s := shaped(t, source)
		assert.Equal(t, want, append([]string{s.Type}, s.Limits...), source)
	}
}

func TestFields(t *testing.T) {
	s := shaped(t, `{"$ref": "#/components/schemas/Person", "properties": {"name": {"type": "string", "description": "another"}}}`)
	require.Len(t, s.Fields, 2)
	assert.Equal(t, "id", s.Fields[0].Name)
	assert.True(t, s.Fields[0].Required)
	assert.Equal(t, blocks("an id"), s.Fields[0].Shape.Description)
	assert.Equal(t, blocks("another"), s.Fields[1].Shape.Description, "what stands beside a reference replaces what is in it")

	s = shaped(t, `{"properties": {"data": {"$ref": "#/components/schemas/Tree"}}}`)
	tree := s.Fields[0].Shape
	assert.False(t, tree.IsClosed, "the fields of one component are shown")
	assert.True(t, tree.Fields[0].Shape.IsClosed, "those within are shown on demand")
	assert.Equal(t, "Tree", tree.Fields[0].Shape.Schema)

	s = shaped(t, `{"properties": {"file": {"type": "string", "format": "binary"}, "raw": {"type": "string", "contentMediaType": "image/png"}, "text": {}}}`)
	assert.True(t, s.Fields[0].Shape.IsFile && s.Fields[1].Shape.IsFile && !s.Fields[2].Shape.IsFile)
}

// The page knows only the keywords that the document uses. The document must use no more.
func TestDocumentUsesKnownKeywords(t *testing.T) {
	known := map[string]bool{"additionalProperties": true}
	for field := range reflect.TypeFor[schema]().Fields() {
		name := cmp.Or(field.Tag.Get("json"), strings.ToLower(field.Name[:1])+field.Name[1:])
		known[name] = true
	}
	var document struct {
		Components struct{ Schemas map[string]map[string]any }
	}
	require.NoError(t, json.Unmarshal(openapi.JSON(), &document))
	var check func(name string, s map[string]any)
	check = func(name string, s map[string]any) {
		for keyword, value := range s {
			assert.True(t, known[keyword] || strings.HasPrefix(keyword, "example"), "%s: %s", name, keyword)
			_, isReference := s["$ref"]
			assert.True(t, !isReference || keyword == "$ref" || keyword == "description" || keyword == "properties", "%s: %s beside a reference",
				name, keyword)
			if keyword == "properties" {
				for property, inner := range value.(map[string]any) {
					check(name+"."+property, inner.(map[string]any))
				}
			}
			if inner, isSchema := value.(map[string]any); isSchema && (keyword == "items" || keyword == "additionalProperties") {
				check(name+"."+keyword, inner)
			}
		}
	}
	for name, s := range document.Components.Schemas {
		check(name, s)
	}
}
