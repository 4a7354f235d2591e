// Package zxcvbn estimates how hard passwords are to guess, with Dropbox's zxcvbn algorithm:
// it looks for common passwords, names, words, keyboard rows, repetitions, sequences and
// dates, and assumes brute force for the rest.
//
// It reads the first 32 characters. The rest of a longer password can only make it stronger.
// The algorithm's time grows with the square of the length, and faster if characters may
// stand for several letters.
package zxcvbn

import (
	"unicode/utf8"

	"github.com/ccojocar/zxcvbn-go"
	"github.com/ccojocar/zxcvbn-go/frequency"

	"plaza/domain/access"
	"plaza/domain/secret"
)

// maxCharacters is how many characters are read.
const maxCharacters = 32

// The library has made dictionaries of its lists of words, and reads the lists no more.
func init() { clear(frequency.Lists) }

type Estimator struct{}

// Strength returns the estimate for the first 32 characters of the password.
func (Estimator) Strength(password secret.String, known []string) access.Strength {
	return access.Strength(zxcvbn.PasswordStrength(beginning(password.Reveal()), known).Score)
}

// beginning returns the first maxCharacters characters of the text.
func beginning(text string) string {
	end := 0
	for range maxCharacters {
		if end == len(text) {
			break
		}
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	return text[:end]
}
