package settings

import (
	"cmp"
	"fmt"
	"strings"

	"plaza/domain/locale"
)

// Languages are the languages that readers are offered; none: any.
type Languages []locale.Tag

// UnmarshalText parses language tags, comma separated.
func (l *Languages) UnmarshalText(text []byte) error {
	*l = nil
	for name := range strings.SplitSeq(string(text), ",") {
		tag, known := locale.Parse(name)
		if !known {
			return fmt.Errorf("%q is not a language like en, pt-BR or zh-Hans", name)
		}
		*l = append(*l, tag)
	}
	return nil
}

// Values of PLAZA_TRANSLATOR that name no translator, or the one of demos.
const (
	NoTranslator     = "none"
	PseudoTranslator = "pseudo"
)

// checkTranslator fills in missing values and notes a wrong budget.
func (c *Config) checkTranslator(p Problems) {
	c.Translator = cmp.Or(c.Translator, NoTranslator)
	if c.TranslatorBudget != nil && *c.TranslatorBudget < 1 { // PLAZA_TRANSLATOR=none switches translation off
		p.Note("PLAZA_TRANSLATOR_BUDGET", fmt.Errorf("%d is not a positive number like 500000", *c.TranslatorBudget))
	}
}
