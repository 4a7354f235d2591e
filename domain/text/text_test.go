package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"plaza/domain/text"
)

func TestLimits(t *testing.T) {
	chars := text.Limit{Chars: 3}
	assert.Empty(t, chars.Problem("😀😀😀"), "characters, not bytes")
	assert.NotEmpty(t, chars.Problem("abcd"))
	bytes := text.Limit{Bytes: 4}
	assert.Empty(t, bytes.Problem("😀"))
	assert.NotEmpty(t, bytes.Problem("😀a"))
	assert.Empty(t, text.Limit{}.Problem(strings.Repeat("x", 1<<20)), "a zero limit does not limit")
	for _, bad := range []string{"a\x00", "\xc3\x28"} {
		assert.NotEmpty(t, text.Limit{}.Problem(bad))
	}
}

func TestBlank(t *testing.T) {
	for _, blank := range []string{"", " \t\r\n", "\u00a0", "\u3000", "\u200b\u200d", "\ufeff", "\u200e", "\x07"} {
		assert.True(t, text.IsBlank(blank), "%q", blank)
		assert.Equal(t, text.Blank, text.Limit{}.RequiredProblem(blank))
	}
	for _, seen := range []string{"x", " . ", "字", "😀", "-"} {
		assert.False(t, text.IsBlank(seen), "%q", seen)
		assert.Empty(t, text.Limit{}.RequiredProblem(seen))
	}
}

func TestGEN08_trimming(t *testing.T) {
	assert.Equal(t, "a b", text.Trim("\u3000 a b\t\n"))
}

func TestNoChoice_names_the_choices(t *testing.T) {
	assert.Equal(t, "“50” is not a valid choice. Use one of: 0, 100, 200.", text.NoChoice(50, 0, 100, 200))
}

func TestFolded_is_folded_already(t *testing.T) {
	for _, s := range []string{"Straße", "ＡＢ\u3000ｃ", "\u0345\u0301Α", "İ", "ﷺ", " a \u2028 b", "가", "\u1e9e", "a\xff"} {
		assert.Equal(t, text.Folded(s), text.Folded(text.Folded(s)), "%q", s)
	}
	rapid.Check(t, func(t *rapid.T) {
		folded := text.Folded(rapid.String().Draw(t, "text"))
		assert.Equal(t, folded, text.Folded(folded))
	})
	assert.Equal(t, "a b c", text.Folded("\tA\u00a0\u3000b\nＣ "))
}
