package bootstrap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plaza/adapters/translator/apertium"
	"plaza/adapters/translator/azure"
	"plaza/adapters/translator/deepl"
	"plaza/adapters/translator/google"
	"plaza/adapters/translator/libretranslate"
	"plaza/adapters/translator/provider"
	"plaza/adapters/translator/pseudo"
	"plaza/application/translation"
	"plaza/domain/locale"
	"plaza/domain/localisation"
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

func offer(c Config) translation.Offer {
	o := translation.Offer{Languages: c.TranslatorLanguages, NewLanguages: c.of(c.LimitLanguages)}
	if c.TranslatorBudget != nil {
		o.Budget = *c.TranslatorBudget
	}
	return o
}

// translators are the valid names; serve resolves auto.
var translators = []string{autoTranslator, noTranslator, pseudoTranslator, "libretranslate", "deepl", "google", "azure", "apertium"}

// paidTranslators are those that charge for each character. libretranslate and apertium run
// on servers of the operator, so a text costs nothing there.
var paidTranslators = []string{"deepl", "google", "azure"}

// paidLanguages are offered with a paid translator unless others are configured. Each further
// one multiplies what the texts can cost.
const paidLanguages = "en,es,fr,de,pt-BR,ja,zh-Hans,zh-Hant"

const (
	autoTranslator   = "auto"
	noTranslator     = "none"
	pseudoTranslator = "pseudo"
)

// checkTranslator notes problems with the settings of the translator and fills in those that
// are missing.
func (c *Config) checkTranslator(p problems) {
	c.Translator = cmp.Or(c.Translator, noTranslator)
	p.note("PLAZA_TRANSLATOR", oneOf(c.Translator, translators...))
	isPaid := slices.Contains(paidTranslators, c.Translator)
	switch {
	case c.TranslatorBudget == nil && isPaid:
		p.note("PLAZA_TRANSLATOR_BUDGET", fmt.Errorf("%s charges for each character, so a number of characters a day is required, like 500000", c.Translator))
	case c.TranslatorBudget != nil && *c.TranslatorBudget < 1: // PLAZA_TRANSLATOR=none switches translation off
		p.note("PLAZA_TRANSLATOR_BUDGET", fmt.Errorf("%d is not a positive number like 500000", *c.TranslatorBudget))
	}
	if isPaid && len(c.TranslatorLanguages) == 0 {
		p.note("PLAZA_TRANSLATOR_LANGUAGES", c.TranslatorLanguages.UnmarshalText([]byte(paidLanguages)))
	}
}

// newTranslator returns the configured translator, or nil for none.
func newTranslator(c Config, t *traces) (localisation.Translator, error) {
	connection := provider.Connection{URL: c.TranslatorURL, Wrap: t.spans("translator", true)}
	var remote localisation.Translator
	var err error
	switch c.Translator {
	case pseudoTranslator:
		return pseudo.New(), nil
	case "libretranslate":
		remote, err = libretranslate.New(libretranslate.Config{Connection: connection, Key: c.TranslatorKey})
	case "deepl":
		remote, err = deepl.New(deepl.Config{Connection: connection, Key: c.TranslatorKey})
	case "google":
		remote, err = google.New(google.Config{Connection: connection, Key: c.TranslatorKey})
	case "azure":
		remote, err = azure.New(azure.Config{Connection: connection, Key: c.TranslatorKey, Region: c.TranslatorRegion})
	case "apertium":
		remote, err = apertium.New(apertium.Config{Connection: connection})
	case noTranslator, autoTranslator, "":
		return nil, nil
	default:
		return nil, fmt.Errorf("%w: PLAZA_TRANSLATOR: unknown translator %q", errUsage, c.Translator)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: PLAZA_TRANSLATOR_URL, _KEY and _REGION:\n%w", errUsage, err)
	}
	return remote, nil
}
