package publication

import (
	"fmt"
	"slices"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/locale"
	"plaza/domain/text"
)

// Limits of what is published.
var (
	TitleLimit   = text.Limit{Chars: 300}
	SummaryLimit = text.Limit{Chars: 20_000}
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
	if _, is := locale.Parse(c.Language); !is {
		wrong.Add("language", "Enter a language tag, like en or zh-CN.")
	}
	wrong.Merge(instant.Lifetime(&c.Created, &c.Updated))
	return c, wrong.Err()
}

// NewHowTo checks the how-to and returns it in the form that is kept: each bundle
// once.
func NewHowTo(h HowTo) (HowTo, error) {
	var wrong fault.Fields
	h.Category = text.Trim(h.Category)
	wrong.Add("category", HowToLimit.RequiredProblem(h.Category))
	var once []BundleID
	for _, bundle := range h.Bundles {
		if bundle <= 0 {
			wrong.Merge(fault.Fields{"bundles": {numberProblem(bundle)}})
		}
		if !slices.Contains(once, bundle) {
			once = append(once, bundle)
		}
	}
	if len(once) > MaxHowToBundles {
		wrong.Add("bundles", fmt.Sprintf("Ensure this field has no more than %d elements.", MaxHowToBundles))
	}
	h.Bundles = once
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
