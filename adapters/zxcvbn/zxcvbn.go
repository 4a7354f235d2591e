// Package zxcvbn estimates how hard passwords are to guess, with Dropbox's zxcvbn algorithm:
// it looks for common passwords, names, words, keyboard rows, repetitions, sequences and
// dates, and assumes brute force for the rest.
//
// It reads the first 32 characters, or fewer if they may stand for letters in many ways. The rest of a longer password can only
// make it stronger. The algorithm's time grows with the square of the length and with these ways: it was a quarter of a second.
package zxcvbn

import (
	"strings"
	"unicode/utf8"

	"github.com/ccojocar/zxcvbn-go"
	"github.com/ccojocar/zxcvbn-go/frequency"

	"plaza/domain/access"
	"plaza/domain/secret"
)

// maxCharacters is how many characters are read, and maxReadings in how many combinations of letters that they may stand for.
const maxCharacters, maxReadings = 32, 8

// The library has made dictionaries of its lists of words, and reads the lists no more.
func init() { clear(frequency.Lists) }

type Estimator struct{}

// Strength returns the estimate for the beginning of the password.
func (Estimator) Strength(password secret.String, known []string) access.Strength {
	return access.Strength(zxcvbn.PasswordStrength(beginning(password.Reveal()), known).Score)
}

// beginning returns the first maxCharacters characters of the text, or fewer that have at most maxReadings.
func beginning(text string) string {
	end := 0
	for range maxCharacters {
		_, size := utf8.DecodeRuneInString(text[end:])
		if size == 0 || readings(text[:end+size]) > maxReadings {
			break
		}
		end += size
	}
	return text[:end]
}

// letters have the characters that may stand for one letter each, of which the algorithm tries every combination.
var letters = []string{"4@", "({[<", "69", "1!|", "1|7", "$5", "+7"}

// readings returns how many combinations the text has.
func readings(text string) int {
	all := 1
	for _, characters := range letters {
		all *= max(1, len(strings.Map(func(r rune) rune {
			if strings.ContainsRune(text, r) {
				return r
			}
			return -1
		}, characters)))
	}
	return all
}
