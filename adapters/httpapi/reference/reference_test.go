package reference

import (
	"encoding/json"
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
