package bootstrap

import (
	"fmt"

	"plaza/adapters/translator/apertium"
	"plaza/adapters/translator/azure"
	"plaza/adapters/translator/deepl"
	"plaza/adapters/translator/google"
	"plaza/adapters/translator/libretranslate"
	"plaza/adapters/translator/provider"
	"plaza/adapters/translator/pseudo"
	"plaza/application/translation"
	"plaza/domain/localisation"
	"plaza/domain/secret"
)

// TranslatorConfig is the configuration of translation.
type TranslatorConfig struct {
	Kind   string // one of translators
	URL    string // empty: the provider's own
	Key    secret.String
	Region string // of an Azure key
	Offer  translation.Offer
}

// translators are the valid names; serve resolves auto.
var translators = []string{autoTranslator, noTranslator, pseudoTranslator, "libretranslate", "deepl", "google", "azure", "apertium"}

const (
	autoTranslator   = "auto"
	noTranslator     = "none"
	pseudoTranslator = "pseudo"
)

// newTranslator returns the configured translator, or nil for none.
func newTranslator(c TranslatorConfig) (localisation.Translator, error) {
	line := provider.Line{URL: c.URL}
	var remote localisation.Translator
	var err error
	switch c.Kind {
	case pseudoTranslator:
		return pseudo.New(), nil
	case "libretranslate":
		remote, err = libretranslate.New(libretranslate.Config{Line: line, Key: c.Key})
	case "deepl":
		remote, err = deepl.New(deepl.Config{Line: line, Key: c.Key})
	case "google":
		remote, err = google.New(google.Config{Line: line, Key: c.Key})
	case "azure":
		remote, err = azure.New(azure.Config{Line: line, Key: c.Key, Region: c.Region})
	case "apertium":
		remote, err = apertium.New(apertium.Config{Line: line})
	case noTranslator, autoTranslator, "":
		return nil, nil
	default:
		return nil, fmt.Errorf("%w: PLAZA_TRANSLATOR: unknown translator %q", errUsage, c.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: PLAZA_TRANSLATOR_URL, _KEY and _REGION:\n%w", errUsage, err)
	}
	return remote, nil
}
