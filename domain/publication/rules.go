package publication

import (
	"fmt"
	"strings"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/locale"
	"plaza/domain/text"
)

// Limits of what is published.
var (
	TitleLimit   = text.Limit{Chars: 300}
	SummaryLimit = text.Limit{Chars: 20_000}
	// LanguageLimit bounds the tag of a language, no lower than BCP 47 lets anybody.
	LanguageLimit = text.Limit{Chars: 35}
	// HowToLimit bounds the name of the category that a how-to was imported for.
	HowToLimit = text.Limit{Chars: 100}
)

// MaxHowToBundles is how many bundles a how-to may have.
const MaxHowToBundles = 1000

// NewBundle checks the bundle.
func NewBundle(b Bundle) (Bundle, error) {
	var wrong fault.Fields
	wrong.Add("id", numberProblem(b.ID))
	wrong.Add("first_original", orNoneProblem(b.FirstOriginal))
	wrong.Add("original", orNoneProblem(b.Original))
	if b.ID > 0 && b.Original == b.ID {
		wrong.Add("original", "A bundle is no translation of itself.")
	}
	return b, wrong.Err()
}

// New checks the publication and returns it in the form that is kept.
func New(p Publication) (Publication, error) {
	content, err := newContent(p.Content)
	wrong := fault.FieldsOf(err)
	wrong.Add("id", numberProblem(p.ID))
	wrong.Add("bundle", numberProblem(p.Bundle.ID))
	wrong.Add("node", orNoneProblem(p.Node))
	if p.Type != SingleChapter && p.Type != MultiChapter {
		wrong.Add("type", fmt.Sprintf("Enter %d or %d.", SingleChapter, MultiChapter))
	}
	p.Content = content
	return p, wrong.Err()
}

// NewNode checks the node and returns it in the form that is kept.
func NewNode(n Node) (Node, error) {
	content, err := newContent(n.Content)
	wrong := fault.FieldsOf(err)
	wrong.Add("id", numberProblem(n.ID))
	wrong.Add("bundle", orNoneProblem(n.Bundle))
	n.Content = content
	return n, wrong.Err()
}

// newContent checks what publications and nodes have in common.
func newContent(c Content) (Content, error) {
	var wrong fault.Fields
	c.Title = text.Trim(c.Title)
	wrong.Add("title", TitleLimit.RequiredProblem(c.Title))
	wrong.Add("summary", SummaryLimit.Problem(c.Summary))
	wrong.Add("category", orNoneProblem(c.Category))
	language, problem := languageOf(c.Language)
	c.Language = language
	wrong.Add("language", problem)
	wrong.Merge(instant.Lifetime(&c.Created, &c.Updated))
	return c, wrong.Err()
}

// languageOf is the tag in its canonical form. What readers may ask for, a list with
// weights, is no language that a text is in.
func languageOf(name string) (tag, problem string) {
	if p := LanguageLimit.RequiredProblem(name); p != "" {
		return "", p
	}
	parsed, is := locale.Parse(name)
	if !is || strings.ContainsAny(name, ",;") {
		return "", "Enter a language tag, like en or zh-CN."
	}
	return parsed.String(), ""
}

// NewHowTo checks the how-to and returns it in the form that is kept: each bundle
// once.
func NewHowTo(h HowTo) (HowTo, error) {
	var wrong fault.Fields
	h.Category = text.Trim(h.Category)
	wrong.Add("category", HowToLimit.RequiredProblem(h.Category))
	bundles, problem := text.Distinct(h.Bundles, MaxHowToBundles, func(b BundleID) (BundleID, string) { return b, numberProblem(b) })
	wrong.Add("bundles", problem)
	h.Bundles = bundles
	wrong.Merge(instant.Lifetime(&h.Created, &h.Updated))
	return h, wrong.Err()
}

func numberProblem[N ~int64](n N) string {
	if n <= 0 {
		return "Enter a whole number from 1 on."
	}
	return ""
}

func orNoneProblem[N ~int64](n N) string {
	if n == 0 {
		return ""
	}
	return numberProblem(n)
}
