package arch

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/catalogue"
)

// sentence is the form of every sentence for clients, or of its format.
var sentence = regexp.MustCompile(`^[A-Z“%].* .*[^ ]\.$`)

// notForClients are sentences for operators, and the reason of a refund that the program begins by itself.
var notForClients = regexp.MustCompile(`^(Back up Postgres with its own tools|This order needed no further payment)`)

// reachesClients reports whether errors of the package may reach a client.
func reachesClients(p *pkg) bool {
	switch {
	case p.within("domain/personaldata"), // describes what is stored
		p.within("adapters/prometheus"),                                       // for operators
		p.within("adapters/wallet/sandbox"), p.within("adapters/sms/sandbox"), // servers of their own
		p.within("adapters/backoffice"), // has its own texts
		p.within("adapters/httpapi/openapi"), p.within("adapters/httpapi/reference"):
		return false
	}
	return p.within("domain") || p.within("application") || p.within("adapters")
}

// formatOf returns the format of a text that is written in the source, also of one in pieces. Pieces that are not written there are values.
func formatOf(e ast.Expr) (format string, isWritten bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := formatOf(e.X)
		right, isRight := formatOf(e.Y)
		return left + right, e.Op == token.ADD && (isLeft || isRight)
	}
	return "%s", false
}

// TestGEN16_every_sentence_is_translated finds the sentences by their form, so that it does not matter how they get to a
// client. So those that are seen on their way must have that form.
func TestGEN16_every_sentence_is_translated(t *testing.T) {
	verb := regexp.MustCompile(`%(\[\d+\])?[a-z]`)
	makesFaults := regexp.MustCompile(`^(fault\.(New|Newf|Field|RetryAfter)|\w*[wW]rong\.Add)$`)
	used, ofPages := map[string]bool{}, pageTexts(t)
	find := func(p *pkg, n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && reachesClients(p) && makesFaults.MatchString(types.ExprString(call.Fun)) {
			for _, text := range call.Args[1:] {
				format, isWritten := formatOf(text)
				assert.True(t, !isWritten || sentence.MatchString(format), "%s: %q", fset.Position(text.Pos()), format)
			}
		}
		e, _ := n.(ast.Expr)
		format, isWritten := formatOf(e)
		said := verb.ReplaceAllString(format, "7")
		switch {
		case !isWritten || !sentence.MatchString(format) || notForClients.MatchString(format) || ofPages[format] != "":
		case reachesClients(p):
			used[said] = true
			for _, to := range catalogue.Languages()[1:] {
				assert.NotEqual(t, said, catalogue.Translate(to, said), "%s: application/catalogue has no %s for it", fset.Position(e.Pos()), to)
			}
		}
		return !isWritten
	}
	for _, p := range packages(t) {
		for _, file := range p.Files {
			ast.Inspect(file, func(n ast.Node) bool { return find(p, n) })
		}
	}
	sentences, _ := translated(t)
	for _, format := range sentences {
		assert.True(t, used[verb.ReplaceAllString(format, "7")], "application/catalogue has a sentence that is not said: %s", format)
	}
	assert.Greater(t, len(sentences), 100)
}

// pageTexts returns the texts of the pages for staff, and where they are: those that T translates, those of tables, and what the journal
// and findings say of money. A text in a table, other than in that of words, begins with a capital letter.
func pageTexts(t *testing.T) map[string]string {
	texts, isText := map[string]string{}, regexp.MustCompile(`^\p{Lu}.*\pL`)
	add := func(e ast.Expr) {
		if text, isWritten := formatOf(e); isWritten {
			texts[text] = fset.Position(e.Pos()).String()
		}
	}
	templates, err := filepath.Glob(filepath.Join(root, "adapters", "backoffice", "templates", "*.html"))
	require.NoError(t, err)
	for _, path := range templates {
		html, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, said := range regexp.MustCompile(`\$\.T "([^"]*)"`).FindAllSubmatch(html, -1) {
			texts[string(said[1])] = path
		}
	}
	for _, p := range packages(t) {
		ofMoney := p.within("domain/payment") || p.within("adapters/wallet/wechatpay")
		if !p.within("adapters/backoffice") && !ofMoney {
			continue
		}
		for _, file := range p.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					text, _ := formatOf(n)
					if _, isKnown := catalogue.Text(catalogue.Languages()[1], strings.TrimPrefix(text, ", ")); isKnown && ofMoney {
						texts[strings.TrimPrefix(text, ", ")] = fset.Position(n.Pos()).String()
					}
				case *ast.CallExpr:
					if to, is := n.Fun.(*ast.SelectorExpr); is && to.Sel.Name == "T" {
						add(n.Args[0])
					}
				case *ast.ValueSpec:
					ast.Inspect(n, func(e ast.Node) bool {
						if pair, is := e.(*ast.KeyValueExpr); is && n.Names[0].Name == "words" {
							add(pair.Value)
						}
						one, _ := e.(ast.Expr)
						text, isWritten := formatOf(one)
						if isWritten && isText.MatchString(text) && n.Names[0].Name != "routes" && !ofMoney {
							add(one)
						}
						return !isWritten
					})
				}
				return true
			})
		}
	}
	return texts
}

// TestOFF06_every_text_of_the_pages_is_translated also finds what the catalogue has for no text.
func TestOFF06_every_text_of_the_pages_is_translated(t *testing.T) {
	verbs, used := regexp.MustCompile(`%[a-z]`), pageTexts(t)
	for text, at := range used {
		for _, to := range catalogue.Languages()[1:] {
			translated, is := catalogue.Text(to, text)
			assert.True(t, is, "%s: application/catalogue has no %s for the page's %q", at, to, text)
			assert.Equal(t, verbs.FindAllString(text, -1), verbs.FindAllString(translated, -1), "%s in %s", text, to)
			assert.NotRegexp(t, `\p{Han}[,.;:?!()]`, translated, "%s: full-width punctuation", text)
		}
	}
	assert.Greater(t, len(used), 300)
	_, pages := translated(t)
	for _, text := range pages {
		assert.NotEmpty(t, used[text], "application/catalogue has a text that no page has: %s", text)
	}
}

// translated returns the English sentences, and the texts of the pages, that the catalogue translates.
func translated(t *testing.T) (sentences, pages []string) {
	content, err := os.ReadFile("../../application/catalogue/zh-Hans.json")
	require.NoError(t, err)
	var bySubject struct{ Sentences, Pages map[string]map[string]string }
	require.NoError(t, json.Unmarshal(content, &bySubject))
	for _, some := range bySubject.Sentences {
		sentences = slices.AppendSeq(sentences, maps.Keys(some))
	}
	for _, some := range bySubject.Pages {
		pages = slices.AppendSeq(pages, maps.Keys(some))
	}
	return sentences, pages
}
