// Package pseudo translates nothing: it marks a text with the language that it
// should be in, for trying Plaza out and for tests.
//
// The same text always has the same translation, and nobody takes it for a real
// one.
package pseudo

import (
	"context"

	"plaza/domain/locale"
	"plaza/domain/publication"
)

// Translator implements publication.Translator. The zero Translator is ready.
type Translator struct{}

// New returns the translator.
func New() Translator { return Translator{} }

var _ publication.Translator = Translator{}

// Name implements publication.Translator.
func (Translator) Name() string { return "pseudo" }

// Translate implements publication.Translator: text becomes ⟦es⟧ text.
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
