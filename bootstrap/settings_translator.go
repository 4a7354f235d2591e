package bootstrap

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"plaza/application/reading"
	"plaza/domain/locale"
	"plaza/domain/secret"
)

// TranslatorSettings are those about who translates, into what and how much.
type TranslatorSettings struct {
	Translator          string        `default:"auto" env:"PLAZA_TRANSLATOR" help:"Who translates publications: none, pseudo, which only marks them, libretranslate, deepl, google, azure or apertium (auto: pseudo with --demo, else none)." placeholder:"NAME"`
	TranslatorURL       string        `env:"PLAZA_TRANSLATOR_URL" help:"Address of the translator (default: the provider's own; libretranslate and apertium need one)." placeholder:"URL"`
	TranslatorKey       secret.String `env:"PLAZA_TRANSLATOR_KEY" help:"The translator's API key." placeholder:"KEY"`
	TranslatorRegion    string        `env:"PLAZA_TRANSLATOR_REGION" help:"Where an azure key is from." placeholder:"REGION"`
	TranslatorLanguages string        `env:"PLAZA_TRANSLATOR_LANGUAGES" help:"Languages, comma separated, that readers are offered, like en,pt-BR,zh-Hans (default: any)." placeholder:"TAG,..."`
	TranslatorBudget    string        `env:"PLAZA_TRANSLATOR_BUDGET" help:"How many characters a day, in UTC, the translator is given by all servers together (default: any number)." placeholder:"NUMBER"`
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
			return nil, fmt.Errorf("%q is no language, like en, pt-BR or zh-Hans", name)
		}
		tags = append(tags, tag)
	}
	return tags, nil
}

// budget has no zero: whoever wants no translations has no translator.
func budget(number string) (int64, error) {
	if number == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is not a number from 1 on, like 500000", number)
	}
	return n, nil
}

func offer(c Config) reading.Offer { return c.Translator.Offer }
