package bootstrap

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"plaza/application/translation"
	"plaza/domain/locale"
	"plaza/domain/secret"
)

// TranslatorSettings are the settings of translation, as written.
type TranslatorSettings struct {
	Translator          string        `default:"auto" env:"PLAZA_TRANSLATOR" help:"Translator of publications: none, pseudo, which only marks them, libretranslate, deepl, google, azure or apertium (auto: pseudo with --demo, else none)." placeholder:"NAME"`
	TranslatorURL       string        `env:"PLAZA_TRANSLATOR_URL" help:"Address of the translator (default: the provider's own; libretranslate and apertium need one)." placeholder:"URL"`
	TranslatorKey       secret.String `env:"PLAZA_TRANSLATOR_KEY" help:"The translator's API key." placeholder:"KEY"`
	TranslatorRegion    string        `env:"PLAZA_TRANSLATOR_REGION" help:"Region of an azure key." placeholder:"REGION"`
	TranslatorLanguages string        `env:"PLAZA_TRANSLATOR_LANGUAGES" help:"Languages offered to readers, comma separated, like en,pt-BR,zh-Hans (default: any)." placeholder:"TAG,..."`
	TranslatorBudget    string        `env:"PLAZA_TRANSLATOR_BUDGET" help:"Maximum characters per UTC day that all servers together send to the translator (default: unlimited)." placeholder:"NUMBER"`
}

func (s TranslatorSettings) check(problems *noted) TranslatorConfig {
	c := TranslatorConfig{Kind: cmp.Or(s.Translator, noTranslator), URL: s.TranslatorURL, Key: s.TranslatorKey, Region: s.TranslatorRegion}
	problems.note("TRANSLATOR", oneOf(c.Kind, translators...))
	var err error
	c.Offer.Languages, err = languages(s.TranslatorLanguages)
	problems.note("TRANSLATOR_LANGUAGES", err)
	c.Offer.Budget, err = budget(s.TranslatorBudget)
	problems.note("TRANSLATOR_BUDGET", err)
	return c
}

func languages(list string) ([]locale.Tag, error) {
	if list == "" {
		return nil, nil
	}
	var tags []locale.Tag
	for name := range strings.SplitSeq(list, ",") {
		tag, known := locale.Parse(name)
		if !known {
			return nil, fmt.Errorf("%q is not a language like en, pt-BR or zh-Hans", name)
		}
		tags = append(tags, tag)
	}
	return tags, nil
}

// budget parses a budget. It rejects zero: PLAZA_TRANSLATOR=none switches translation off.
func budget(number string) (int64, error) {
	if number == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a positive number like 500000", number)
	}
	return n, nil
}

func offer(c Config) translation.Offer { return c.Translator.Offer }
