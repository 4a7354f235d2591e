// Package localisation models the machine translation of texts for readers: the port of a
// translator, and the port of the cache in which all servers share translations, claims to
// translate and the spending of a day.
package localisation

import (
	"context"

	"plaza/domain/locale"
)

// Text is a text to translate.
type Text struct {
	Content  string
	Language locale.Tag // zero: unknown
}

// Translation is the translation of a text.
type Translation struct {
	Text       string
	Translator string     // the name of the translator that produced it (PUB-08)
	Language   locale.Tag // what it was made in: Translator.Target
}

// Translator translates texts. Every implementation passes test/ports.Translator.
type Translator interface {
	// Name returns the name of the translator for caches and readers.
	Name() string
	// Target returns the variant of the language that the translator writes for readers of the tag:
	// en-GB for en-IE, if it distinguishes two. It is the same language (locale.Same), and its own
	// target. The cache keeps translations by it, and readers are told it.
	Target(to locale.Tag) locale.Tag
	// Translate returns one translation per text, in the order of the texts. It must
	// respect the deadline of the context. The translations must be text, not markup.
	Translate(ctx context.Context, from, to locale.Tag, texts []string) ([]string, error)
}
