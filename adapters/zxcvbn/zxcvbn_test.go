package zxcvbn_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/zxcvbn"
	"plaza/domain/access"
	"plaza/domain/secret"
	"plaza/test/ports"
)

func TestEstimator(t *testing.T) { ports.Estimator(t, zxcvbn.Estimator{}) }

func TestEstimator_reads_the_first_32_characters(t *testing.T) {
	strength := func(password string) access.Strength {
		return zxcvbn.Estimator{}.Strength(secret.New(password), nil)
	}
	const strong = "x7#Kq!2vLp"
	for _, weak := range []string{"a", "密"} {
		assert.Equal(t, access.VeryUnguessable, strength(strings.Repeat(weak, 22)+strong), weak)
		assert.Equal(t, strength(strings.Repeat(weak, 32)), strength(strings.Repeat(weak, 32)+strong), weak)
	}
	assert.Less(t, strength(strings.Repeat("a", 32)+strong), access.SomewhatGuessable)
}

// BenchmarkEstimator measures the slowest passwords: characters that may stand for several
// letters.
func BenchmarkEstimator(b *testing.B) {
	password := secret.New(strings.Repeat("!1l|7+$5%2", 12))
	for b.Loop() {
		zxcvbn.Estimator{}.Strength(password, nil)
	}
}

// FuzzStrength estimates any password. The estimate is one of five, the same each time, and
// that of the first 32 characters.
func FuzzStrength(f *testing.F) {
	for _, password := range []string{
		"", "kettle-and-cups", "1qaz@wsx", "woaini1314", "aaaaaaaaaaaaaaaa", "13900000084", "20261120", "correct horse battery staple", "4d4M!",
		"\xff\xfe", "漢字漢字漢字", "\x00", strings.Repeat("4@$l1", 10), strings.Repeat("a", 32) + "x7#Kq!2vLp", strings.Repeat("é", 40),
		"qwertyuiop[]\\", "zxcvbnm,./zxcvbnm,./",
	} {
		f.Add(password, "Ada")
	}
	f.Fuzz(func(t *testing.T, password, known string) {
		got := zxcvbn.Estimator{}.Strength(secret.New(password), []string{known})
		require.True(t, got >= 0 && got <= 4, "%d", got)
		require.Equal(t, got, zxcvbn.Estimator{}.Strength(secret.New(password), []string{known}))
		runes := []rune(password)
		if utf8.ValidString(password) && len(runes) > 32 {
			require.Equal(t, got, zxcvbn.Estimator{}.Strength(secret.New(string(runes[:32])), []string{known}))
		}
	})
}
