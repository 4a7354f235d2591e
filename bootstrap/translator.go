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
	"plaza/adapters/upstream"
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

// offeredTranslators are the translators that can be chosen.
var offeredTranslators = []provider.Description{
	pseudo.Description, libretranslate.Description, deepl.Description, google.Description, azure.Description, apertium.Description,
}

func translatorName(d provider.Description) string { return d.Name }

func chosenTranslator(c settings.Config) (provider.Description, bool) {
	return byName(offeredTranslators, translatorName, c.Translator)
}

// paidLanguages are offered with a paid translator unless others are configured. Each further
// one multiplies what the texts can cost.
const paidLanguages = "en,es,fr,de,pt-BR,ja,zh-Hans,zh-Hant"

// checkTranslator notes what the translator lacks, and fills in the languages of a paid one.
func checkTranslator(c *settings.Config, p settings.Problems) {
	p.Note("PLAZA_TRANSLATOR", settings.OneOf(c.Translator,
		append([]string{settings.Auto, settings.NoTranslator}, names(offeredTranslators, translatorName)...)...))
	chosen, _ := chosenTranslator(*c)
	if !chosen.ChargesCharacters {
		return
	}
	if c.TranslatorBudget == nil {
		p.Note("PLAZA_TRANSLATOR_BUDGET", fmt.Errorf("%s charges for each character, so a number of characters a day is required, like 500000",
			c.Translator))
	}
	if len(c.TranslatorLanguages) == 0 {
		p.Note("PLAZA_TRANSLATOR_LANGUAGES", c.TranslatorLanguages.UnmarshalText([]byte(paidLanguages)))
	}
}

// newTranslator returns the configured translator, or nil for none.
func newTranslator(c settings.Config, t *traces) (localisation.Translator, error) {
	chosen, is := chosenTranslator(c)
	if !is {
		return nil, nil
	}
	translator, err := chosen.Open(provider.Settings{
		Connection: upstream.Connection{URL: c.TranslatorURL, Wrap: t.spans("translator", true)}, Key: c.TranslatorKey,
		Region: c.TranslatorRegion,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: PLAZA_TRANSLATOR_URL, _KEY and _REGION:\n%w", settings.ErrInvalid, err)
	}
	return translator, nil
}
