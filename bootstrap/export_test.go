package bootstrap

import (
	"io"

	"plaza/adapters/argon2id"
)

// Hashing are the parameters outside of tests.
var Hashing = hashing

// HashCheaply makes the commands hash passwords with parameters that protect nothing.
func HashCheaply() { hashing = argon2id.Cheap }

// Stdin makes the reader the standard input until restore is called.
func Stdin(r io.Reader) (restore func()) {
	before := stdin
	stdin = r
	return func() { stdin = before }
}

// Offer is what readers are offered.
var Offer = offer

// Parse returns the settings of the flags and the environment, as commands parse them.
func Parse(flags ...string) (Config, error) {
	var command struct{ Config }
	parser, err := newParser(&command)
	if err == nil {
		_, err = parser.Parse(flags)
	}
	return command.Config, err
}

// Translators are the names that may be chosen.
var Translators = translators
