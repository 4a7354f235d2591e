package bootstrap

import (
	"plaza/adapters/argon2id"
	"plaza/bootstrap/settings"
	"plaza/domain/localisation"
	"plaza/domain/media"
	"plaza/domain/secret"
)

// Hashing are the parameters outside of tests.
var Hashing = hashing

// HashCheaply makes Apps hash passwords with parameters that protect nothing.
func HashCheaply() { hashing = argon2id.Cheap }

// Offer is what readers are offered, and MessageBudget how many messages may be sent.
var (
	Offer         = offer
	MessageBudget = messageBudget
)

// What an App makes of its settings.
var (
	NewTranslator = func(c settings.Config) (localisation.Translator, error) { return newTranslator(c, nil) }
	OpenMedia     = func(c settings.Config, signing secret.String) (media.Store, error) { return openMedia(c, nil, signing) }
)
