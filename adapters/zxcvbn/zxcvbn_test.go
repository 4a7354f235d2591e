package zxcvbn_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
