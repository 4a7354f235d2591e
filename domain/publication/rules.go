package publication

import (
	"fmt"
	"strings"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/locale"
	"plaza/domain/text"
)

// Limits of publications, nodes and how-tos.
var (
	TitleLimit   = text.Limit{Chars: 300}
	SummaryLimit = text.Limit{Chars: 20_000}
	// HTMLLimit bounds the text of a publication or a node.
	HTMLLimit = text.Limit{Bytes: 256 << 10}
	// LanguageLimit bounds language tags. BCP 47 forbids a smaller limit.
	LanguageLimit = text.Limit{Chars: 35}
	// HowToLimit bounds the category name of a how-to.
	HowToLimit = text.Limit{Chars: 100}
)

const MaxHowToBundles = 1000

// NewBundle checks the bundle.
func NewBundle(b Bundle) (Bundle, error) {
	var wrong fault.Fields
	wrong.Add("id", numberProblem(b.ID))
	wrong.Add("first_original", orNoneProblem(b.FirstOriginal))
	wrong.Add("original", orNoneProblem(b.Original))
	if b.ID > 0 && b.Original == b.ID {
		wrong.Add("original", "A bundle cannot be a translation of itself.")
	}
	return b, wrong.Err()
}

// New checks the publication and returns it in the stored form.
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

// NewNode checks the node and returns it in the stored form.
func NewNode(n Node) (Node, error) {
	content, err := newContent(n.Content)
	wrong := fault.FieldsOf(err)
	wrong.Add("id", numberProblem(n.ID))
	wrong.Add("bundle", orNoneProblem(n.Bundle))
	n.Content = content
	return n, wrong.Err()
}

// newContent checks the fields that publications and nodes share.
func newContent(c Content) (Content, error) {
	var wrong fault.Fields
	wrong.Add("title", TitleLimit.RequiredLine(&c.Title))
	wrong.Add("summary", SummaryLimit.Problem(c.Summary))
	wrong.Add("category", orNoneProblem(c.Category))
	language, problem := languageOf(c.Language)
	c.Language = language
	wrong.Add("language", problem)
	wrong.Merge(instant.Lifetime(&c.Created, &c.Updated))
	return c, wrong.Err()
}

// languageOf returns the tag in its canonical form, or the problem. Unlike the header of
// a reader, it must not be a list or have weights.
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

// NewHowTo checks the how-to and returns it in the stored form, with each bundle once.
func NewHowTo(h HowTo) (HowTo, error) {
	var wrong fault.Fields
	wrong.Add("category", HowToLimit.RequiredLine(&h.Category))
	bundles, problem := text.Distinct(h.Bundles, MaxHowToBundles, func(b BundleID) (BundleID, string) { return b, numberProblem(b) })
	wrong.Add("bundles", problem)
	h.Bundles = bundles
	wrong.Merge(instant.Lifetime(&h.Created, &h.Updated))
	return h, wrong.Err()
}

func numberProblem[N ~int64](n N) string {
	if n <= 0 {
		return "Enter a whole number of 1 or greater."
	}
	return ""
}

func orNoneProblem[N ~int64](n N) string {
	if n == 0 {
		return ""
	}
	return numberProblem(n)
}
