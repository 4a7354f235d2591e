// Package pseudo marks texts with the target language instead of translating them, for demos
// and tests.
//
// The same text always has the same result, which is recognisable as not a translation.
package pseudo

import (
	"context"

	"plaza/adapters/translator/provider"
	"plaza/domain/locale"
	"plaza/domain/localisation"
)

// Translator implements localisation.Translator. The zero value is ready to use.
type Translator struct{}

// Description describes the translator.
var Description = provider.Description{
	Name: "pseudo", Open: func(provider.Settings) (localisation.Translator, error) { return New(), nil },
}

func New() Translator { return Translator{} }

func (Translator) Name() string { return "pseudo" }

// Target implements localisation.Translator: each region is marked as itself.
func (Translator) Target(to locale.Tag) locale.Tag { return to.Regional() }

// Translate implements localisation.Translator: text becomes ⟦es⟧ text.
func (Translator) Translate(ctx context.Context, _, to locale.Tag, texts []string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	translated := make([]string, len(texts))
	for i, text := range texts {
		translated[i] = "⟦" + to.String() + "⟧ " + text
	}
	return translated, nil
}
