package reference

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/httpapi/openapi"
)

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
