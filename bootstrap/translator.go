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
	"plaza/bootstrap/settings"
	"plaza/domain/localisation"
)

func offer(c settings.Config) translation.Offer {
	o := translation.Offer{Languages: c.TranslatorLanguages, NewLanguages: c.InForce(c.LimitLanguages)}
	if c.TranslatorBudget != nil {
		o.Budget = *c.TranslatorBudget
	}
	return o
}

// newTranslator returns the configured translator, or nil for none.
func newTranslator(c settings.Config, t *traces) (localisation.Translator, error) {
	connection := provider.Connection{URL: c.TranslatorURL, Wrap: t.spans("translator", true)}
	var remote localisation.Translator
	var err error
	switch c.Translator {
	case settings.PseudoTranslator:
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
	case settings.NoTranslator, settings.AutoTranslator, "":
		return nil, nil
	default:
		return nil, fmt.Errorf("%w: PLAZA_TRANSLATOR: unknown translator %q", settings.ErrInvalid, c.Translator)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: PLAZA_TRANSLATOR_URL, _KEY and _REGION:\n%w", settings.ErrInvalid, err)
	}
	return remote, nil
}
