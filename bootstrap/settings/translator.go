package settings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plaza/domain/locale"
)

// Languages are the languages that readers are offered; none: any.
type Languages []locale.Tag

// UnmarshalText parses language tags, comma separated.
func (l *Languages) UnmarshalText(text []byte) error {
	for name := range strings.SplitSeq(string(text), ",") {
		tag, known := locale.Parse(name)
		if !known {
			return fmt.Errorf("%q is not a language like en, pt-BR or zh-Hans", name)
		}
		*l = append(*l, tag)
	}
	return nil
}

// Translators are the valid names; serve resolves auto.
var Translators = []string{AutoTranslator, NoTranslator, PseudoTranslator, "libretranslate", "deepl", "google", "azure", "apertium"}

// paidTranslators are those that charge for each character. libretranslate and apertium run
// on servers of the operator, so a text costs nothing there.
var paidTranslators = []string{"deepl", "google", "azure"}

// paidLanguages are offered with a paid translator unless others are configured. Each further
// one multiplies what the texts can cost.
const paidLanguages = "en,es,fr,de,pt-BR,ja,zh-Hans,zh-Hant"

const (
	AutoTranslator   = "auto"
	NoTranslator     = "none"
	PseudoTranslator = "pseudo"
)

// checkTranslator notes problems with the settings of the translator and fills in those that
// are missing.
func (c *Config) checkTranslator(p Problems) {
	c.Translator = cmp.Or(c.Translator, NoTranslator)
	p.Note("PLAZA_TRANSLATOR", oneOf(c.Translator, Translators...))
	isPaid := slices.Contains(paidTranslators, c.Translator)
	switch {
	case c.TranslatorBudget == nil && isPaid:
		p.Note("PLAZA_TRANSLATOR_BUDGET", fmt.Errorf("%s charges for each character, so a number of characters a day is required, like 500000", c.Translator))
	case c.TranslatorBudget != nil && *c.TranslatorBudget < 1: // PLAZA_TRANSLATOR=none switches translation off
		p.Note("PLAZA_TRANSLATOR_BUDGET", fmt.Errorf("%d is not a positive number like 500000", *c.TranslatorBudget))
	}
	if isPaid && len(c.TranslatorLanguages) == 0 {
		p.Note("PLAZA_TRANSLATOR_LANGUAGES", c.TranslatorLanguages.UnmarshalText([]byte(paidLanguages)))
	}
}
