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
	"plaza/domain/publication"
	"plaza/domain/secret"
)

// TranslatorConfig says who translates, and as whom they are asked.
type TranslatorConfig struct {
	URL    string // empty: the provider's own
	Key    secret.String
	Region string // of an Azure key
}

// translators are the names of those that there are; auto is for serve to decide.
var translators = []string{"auto", "none", "pseudo", "libretranslate", "deepl", "google", "azure", "apertium"}

// newTranslator returns the translator of the configuration; nil for none.
func newTranslator(c Config) (publication.Translator, error) {
	at, line := c.TranslatorAt, provider.Line{URL: c.TranslatorAt.URL}
	var remote publication.Translator
	var err error
	switch c.Translator {
	case "pseudo":
		return pseudo.New(), nil
	case "libretranslate":
		remote, err = libretranslate.New(libretranslate.Config{Line: line, Key: at.Key})
	case "deepl":
		remote, err = deepl.New(deepl.Config{Line: line, Key: at.Key})
	case "google":
		remote, err = google.New(google.Config{Line: line, Key: at.Key})
	case "azure":
		remote, err = azure.New(azure.Config{Line: line, Key: at.Key, Region: at.Region})
	case "apertium":
		remote, err = apertium.New(apertium.Config{Line: line})
	default:
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: PLAZA_TRANSLATOR_…:\n%w", errUsage, err)
	}
	return remote, nil
}
