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

// manyReadings is among the slowest passwords: several of its characters may stand for the same letter.
const manyReadings = "aei5stc4geaeilst@(l{zi[e<c1d||7$"

// TestEstimator_reads_no_more_than_it_can: the algorithm tries each of the characters that may stand for a letter.
func TestEstimator_reads_no_more_than_it_can(t *testing.T) {
	for _, password := range []string{manyReadings, "7@81+[<36214|7!5$+2!498({6<356<6", "1b342678900deslst zeclst[{e<<stc"} {
		allocations := testing.AllocsPerRun(1, func() { zxcvbn.Estimator{}.Strength(secret.New(password), nil) })
		assert.Less(t, allocations, 20_000.0, password)
	}
	assert.Equal(t, access.VeryUnguessable, zxcvbn.Estimator{}.Strength(secret.New(manyReadings), nil))
}

func BenchmarkEstimator(b *testing.B) {
	password := secret.New(manyReadings)
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
