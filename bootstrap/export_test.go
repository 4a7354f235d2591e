package bootstrap

import "io"

// Stdin makes the reader the standard input until restore is called.
func Stdin(r io.Reader) (restore func()) {
	before := stdin
	stdin = r
	return func() { stdin = before }
}

// Translators are the names that may be chosen.
var Translators = translators
