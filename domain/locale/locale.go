// Package locale parses and compares the languages of texts and of readers.
//
// A language is a base language in a script: English is one language in every region,
// simplified and traditional Chinese are two (PUB-05). A header that names no language
// counts as absent, so it never fails a request.
package locale

import (
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// maxChars is the number of characters of a header that are parsed.
const maxChars = 64

// noLanguages are the codes of ISO 639-2 that stand for no one language: for an unwritten one, for
// several, for a text without words, or for one without a code.
var noLanguages = []string{"und", "mul", "zxx", "mis"}

// Tag is a language tag like zh-CN or pt-BR. The zero Tag names no language. Compare
// languages with Same: == compares tags.
type Tag struct {
	name     string
	language string
}

// Parse parses a locale with hyphens or underscores. Of a list it takes the first,
// regardless of weights. It reports false if the header names no language.
func Parse(header string) (Tag, bool) {
	name := first(header)
	if isWindowsChinese(name) {
		return Tag{}, false
	}
	tag, err := language.All.Parse(name)
	if err != nil {
		return Tag{}, false
	}
	if base, _, _ := tag.Raw(); base == (language.Base{}) || slices.Contains(noLanguages, base.String()) {
		return Tag{}, false // also only a region or private use: the language is unknown
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

// isWindowsChinese reports whether the name is one of the non-standard names of Chinese
// in old versions of Windows. Parsing would read zh-CHT as Cholón, a language of Peru.
func isWindowsChinese(name string) bool {
	name = strings.ReplaceAll(name, "_", "-")
	return strings.EqualFold(name, "zh-CHS") || strings.EqualFold(name, "zh-CHT")
}

// String returns the tag in the canonical form of BCP 47; empty for the zero Tag.
func (t Tag) String() string { return t.name }

// Language returns the language that Same compares, as a text for storing and
// searching: zh-Hans, en-Latn. It is empty for the zero Tag.
func (t Tag) Language() string { return t.language }

// Base returns the tag of the language alone, as Same compares it, without a region: pt for
// pt-BR, zh-Hant for zh-HK.
func (t Tag) Base() Tag {
	base, script, _ := strings.Cut(t.language, "-")
	if usual, ok := Parse(base); ok && Same(usual, t) {
		return usual
	}
	b, _ := Parse(base + "-" + script)
	return b
}

// Regional returns the tag without variants, extensions and private use: en-GB for en-GB-x-mine.
func (t Tag) Regional() Tag {
	base, script, region := language.Make(t.name).Raw()
	composed, err := language.Compose(base, script, region)
	if err != nil {
		return t.Base()
	}
	plain, _ := Parse(composed.String())
	return plain
}

// IsZero reports whether the tag names no language.
func (t Tag) IsZero() bool { return t == Tag{} }

// Same reports whether the two tags name one language: the same base language in the
// same script. The zero Tag is not the same as any tag, not even itself.
func Same(a, b Tag) bool { return a.language == b.language && !a.IsZero() }
