package provider

import (
	"plaza/domain/localisation"
	"plaza/domain/secret"
)

// Description describes a translator to the program that offers it.
type Description struct {
	// Name is the value of PLAZA_TRANSLATOR.
	Name string
	// Help says what it is, in a few words.
	Help string
	// ChargesCharacters reports that each character costs money, so that a budget is required.
	ChargesCharacters bool
	// NeedsURL reports that the translator has no address of its own.
	NeedsURL bool
	// Open returns the translator, or all problems of the settings. It sends nothing.
	Open func(Settings) (localisation.Translator, error)
}

// Settings are the settings of all translators. A translator reads those that it has a use for.
type Settings struct {
	Connection Connection // without a URL: the provider's own
	Key        secret.String
	Region     string // of the key
}
