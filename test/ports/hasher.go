package ports

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/secret"
)

// Hashers make what the suite of access.Hasher works with.
type Hashers struct {
	// Today makes a hasher with the parameters of today, cheap ones.
	Today func(t *testing.T) access.Hasher
	// Former makes one with the parameters of another time, cheap ones too.
	Former func(t *testing.T) access.Hasher
}

// Hasher is the suite of access.Hasher.
func Hasher(t *testing.T, fresh Hashers) {
	ctx := context.Background()
	password := secret.New("correct horse battery staple")

	t.Run("a hash matches its password only", func(t *testing.T) {
		h := fresh.Today(t)
		for _, p := range oddPasswords() {
			hash := hashed(t, h, p)
			matches, outdated, err := h.Verify(ctx, hash, p)
			require.NoError(t, err)
			assert.True(t, matches, "%q", p.Reveal())
			assert.False(t, outdated)

			for _, other := range oddPasswords() {
				matches, _, err := h.Verify(ctx, hash, other)
				require.NoError(t, err)
				assert.Equal(t, other.Reveal() == p.Reveal(), matches, "%q for %q", other.Reveal(), p.Reveal())
			}
		}
	})

	t.Run("the same password never has the same hash twice", func(t *testing.T) {
		h := fresh.Today(t)
		assert.NotEqual(t, hashed(t, h, password), hashed(t, h, password))
	})

	t.Run("a hash carries its parameters, so other hashers read it", func(t *testing.T) {
		hash := hashed(t, fresh.Former(t), password)
		matches, outdated, err := fresh.Today(t).Verify(ctx, hash, password)
		require.NoError(t, err)
		assert.True(t, matches)
		assert.True(t, outdated, "it was made with other parameters than today's")
	})

	t.Run("a hash shows nothing of the password", func(t *testing.T) {
		assert.NotContains(t, hashed(t, fresh.Today(t), password), password.Reveal())
	})

	t.Run("an empty hash matches no password", func(t *testing.T) {
		h := fresh.Today(t)
		for _, p := range oddPasswords() {
			matches, outdated, err := h.Verify(ctx, "", p)
			require.NoError(t, err)
			assert.False(t, matches, "%q", p.Reveal())
			assert.False(t, outdated)
		}
	})

	t.Run("a cancelled call returns the error of its context", func(t *testing.T) {
		h := fresh.Today(t)
		hash := hashed(t, h, password)
		gone, cancel := context.WithCancel(ctx)
		cancel()
		_, err := h.Hash(gone, password)
		assert.ErrorIs(t, err, context.Canceled)
		_, _, err = h.Verify(gone, hash, password)
		assert.ErrorIs(t, err, context.Canceled)
	})
}

func oddPasswords() []secret.String {
	long := strings.Repeat("x", access.MaxPassword)
	return []secret.String{
		secret.New(""), secret.New(" "), secret.New("a"), secret.New("a "), secret.New("A"), secret.New("a\x00b"),
		secret.New("密码密码密码密码"), secret.New("\xff\xfe"), secret.New(long), secret.New(long + "y"),
	}
}

func hashed(t *testing.T, h access.Hasher, p secret.String) string {
	hash, err := h.Hash(context.Background(), p)
	require.NoError(t, err)
	require.NotEmpty(t, hash)
	return hash
}

// EasyPasswords are long enough to be chosen, and among those that guessers try first.
var EasyPasswords = []string{
	"12345678a", "a123456789", "123456789a", "qq123456789", "1234qwer", "zaq12wsx", "asd123456", "Aa123456", "a1234567",
	"1qaz@wsx", "woaini1314", "abc123456", "88888888a", "P@ssw0rd!", "Liverpool2024", "19991231a", "qazwsxedc",
}

// Estimator is the suite of access.Estimator.
func Estimator(t *testing.T, e access.Estimator) {
	strength := func(password string, known ...string) access.Strength { return e.Strength(secret.New(password), known) }

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
}
