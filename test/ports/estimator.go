package ports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"plaza/domain/access"
	"plaza/domain/secret"
)

// EasyPasswords are long enough to be chosen, and among those that guessers try first.
var EasyPasswords = []string{
	"12345678a", "a123456789", "123456789a", "qq123456789", "1234qwer", "zaq12wsx", "asd123456", "Aa123456", "a1234567",
	"1qaz@wsx", "woaini1314", "abc123456", "88888888a", "P@ssw0rd!", "Liverpool2024", "19991231a", "qazwsxedc",
}

// Estimator is the suite of access.Estimator.
func Estimator(t *testing.T, e access.Estimator) {
	strength := func(password string, known ...string) access.Strength {
		return e.Strength(secret.New(password), known)
	}

	t.Run("common passwords, names, words, dates and rows of keys are found early", func(t *testing.T) {
		for _, password := range EasyPasswords {
			assert.Less(t, strength(password), access.SomewhatGuessable, password)
		}
	})

	t.Run("known words are found early", func(t *testing.T) {
		for _, password := range []string{"x61847392058!", "Qz7#61847392058"} {
			assert.GreaterOrEqual(t, strength(password), access.SomewhatGuessable, password)
		}
		for _, password := range []string{"61847392058", "x61847392058!", "x61847392058", "8661847392058a"} {
			assert.Less(t, strength(password, "61847392058", "8661847392058"), access.SomewhatGuessable, password)
		}
	})

	t.Run("several words and characters at random are not", func(t *testing.T) {
		for _, password := range []string{
			"plaza-demo", "kettle-and-cups", "correct horse battery", "密码是一个很长的词", "пароль-кот", "x7#Kq!2vLp", strings.Repeat("ab3", 42),
		} {
			assert.GreaterOrEqual(t, strength(password), access.SomewhatGuessable, password)
		}
	})

	t.Run("every text has a strength", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			password, known := rapid.String().Draw(t, "password"), rapid.SliceOf(rapid.String()).Draw(t, "known")
			if got := strength(password, known...); got < access.TooGuessable || got > access.VeryUnguessable {
				t.Fatalf("%q is %d", password, got)
			}
		})
	})
}
