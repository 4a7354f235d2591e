package access

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"plaza/domain/fault"
	"plaza/domain/secret"
	"plaza/domain/text"
	"plaza/domain/user"
)

// Lengths of passwords in characters. Passwords are never truncated or trimmed.
const (
	MinPassword = 8
	MaxPassword = 128
)

// Strength is how hard a password is to guess.
type Strength int

// The strengths, each with the approximate upper bound of guesses needed.
const (
	TooGuessable      Strength = iota // 10^6
	VeryGuessable                     // 10^8
	SomewhatGuessable                 // 10^10; the minimum for a new password
	SafelyUnguessable                 // 10^12
	VeryUnguessable                   // more
)

// Estimator estimates how hard passwords are to guess. Every implementation passes
// test/ports.Estimator.
type Estimator interface {
	// Strength returns the estimate for a password. Common passwords, names, words,
	// dates, keyboard rows and the known words must be below SomewhatGuessable, also
	// with a few characters added. The known words are facts about the account that an
	// attacker knows. Every text must have a strength.
	Strength(password secret.String, known []string) Strength
}

// CheckPassword returns a fault without a field unless the account with the phone
// number may use the password: long enough, not too long to hash, and not easy to guess. Passwords
// are checked when they are set, not at login.
func CheckPassword(password secret.String, phone user.Phone, e Estimator) error {
	p := password.Reveal()
	problem := text.Limit{Chars: MaxPassword}.Problem(p)
	switch {
	case problem != "":
	case utf8.RuneCountInString(p) < MinPassword:
		problem = fmt.Sprintf("This password is too short. It must contain at least %d characters.", MinPassword)
	case isCommon(p):
		problem = "This password is too common."
	case e.Strength(password, knownOf(phone)) < SomewhatGuessable:
		problem = "This password is too easy to guess."
	}
	if problem != "" {
		return fault.New(fault.Invalid, problem)
	}
	return nil
}

// knownOf returns the common spellings of the phone number.
func knownOf(phone user.Phone) []string {
	code, number, isPhone := strings.Cut(strings.TrimPrefix(phone.String(), "+"), "-")
	if !isPhone {
		return nil
	}
	return []string{number, code + number, phone.String()}
}

// isCommon reports whether the password is a listed one, only digits and marks, a
// sequence or a repetition.
func isCommon(p string) bool {
	p = strings.ToLower(p)
	stem := strings.TrimRight(p, "0123456789!.@#$?*")
	switch {
	case stem == "", slices.Contains(commonStems, p), slices.Contains(commonStems, stem):
		return true
	case strings.Count(p, p[:1]) == len(p):
		return true
	case strings.Contains(sequences, p):
		return true
	}
	return false
}

const sequences = "abcdefghijklmnopqrstuvwxyz qwertyuiopasdfghjklzxcvbnm 1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/ 1q2w3e4r5t6y7u8i9o0p"

// commonStems are common passwords in lower case, without trailing digits and marks.
var commonStems = strings.Fields(`password passwort passw0rd p@ssword p@ssw0rd pass parola
	contrasena motdepasse mima woaini iloveyou letmein welcome admin administrator
	root user test guest login master dragon monkey shadow sunshine princess
	football baseball basketball superman batman pokemon starwars trustno qwerty
	qwertyuiop asdfghjkl zxcvbnm qazwsx qwertz azerty abc abcd abcdef changeme
	secret default access hello freedom whatever computer internet michael jennifer
	jordan hunter charlie thomas killer pepper ginger summer winter spring autumn
	google facebook liverpool chelsea arsenal barcelona samsung nothing`)
