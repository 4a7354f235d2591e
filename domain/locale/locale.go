// Package locale is about the languages that things are written in and that
// readers ask for.
//
// A language is a base language in a script: English is one language wherever it
// is spoken, simplified and traditional Chinese are two (PUB-05). What names no
// language never stands in a reader's way: it counts as not being there.
package locale

import (
	"strings"

	"golang.org/x/text/language"
)

// maxChars is how much of a header is looked at.
const maxChars = 64

// Tag names a language as people use it somewhere: zh-CN, pt-BR. The zero Tag
// names none. Tags are comparable, but whether they mean the same language is
// what Same says.
type Tag struct {
	name     string
	language string
}

// Parse reads a locale as clients write them, with hyphens or underscores; the
// first of a list counts, whatever its weight. False when there is none.
func Parse(header string) (Tag, bool) {
	name := first(header)
	if isWindowsChinese(name) {
		return Tag{}, false
	}
	tag, err := language.All.Parse(name)
	if err != nil {
		return Tag{}, false
	}
	if base, _, _ := tag.Raw(); base == (language.Base{}) {
		return Tag{}, false // only a region, or private to somebody: any language would be a guess
	}
	base, _ := tag.Base()
	script, _ := tag.Script()
	return Tag{name: tag.String(), language: base.String() + "-" + script.String()}, true
}

func first(header string) string {
	header = strings.TrimSpace(header)
	if chars := []rune(header); len(chars) > maxChars {
		header = string(chars[:maxChars])
	}
	header, _, _ = strings.Cut(header, ",")
	header, _, _ = strings.Cut(header, ";")
	return strings.TrimSpace(header)
}

// isWindowsChinese knows the names of Chinese that old versions of Windows made
// up. The second would otherwise be read as Cholón, a language of Peru.
func isWindowsChinese(name string) bool {
	name = strings.ReplaceAll(name, "_", "-")
	return strings.EqualFold(name, "zh-CHS") || strings.EqualFold(name, "zh-CHT")
}

// String is the tag in the canonical form of BCP 47; empty for the zero Tag.
func (t Tag) String() string { return t.name }

// Language is what Same compares, as one text that can be stored and searched
// for: zh-Hans, en-Latn. It is empty for the zero Tag.
func (t Tag) Language() string { return t.language }

// IsZero says whether the tag names no language.
func (t Tag) IsZero() bool { return t == Tag{} }

// Same says whether the two tags name one language: the same base language in
// the same script. The zero Tag is the same as no other, nor as itself.
func Same(a, b Tag) bool { return a.language == b.language && !a.IsZero() }
