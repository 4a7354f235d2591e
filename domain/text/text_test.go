package text_test

import (
	"strings"
	"testing"
	"unicode"

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
	for _, blank := range []string{
		"", " \t\r\n", "\u00a0", "\u3000", "\u200b\u200d", "\ufeff", "\u200e", "\x07", "\u0085", "\u2028", "\u180e", // spaces, formats, controls
		"\u00ad", "\u2060", "\u2065", "\u206f", "\ufff0", "\ufff9\ufffb", "\U000e0001", "\U000e0041\U000e007f", "\U000e0fff",
		"\u034f", "\u115f\u1160", "\u17b4\u17b5", "\u3164", " \u3164\u3164 ", "\uffa0", // joiner, fillers, inherent vowels
		"\ufe0f", "\ufe00", "\U000e0100", "\u180b", // variation selectors
		"\u2800", "\u2800 \u2800", "\U0001d159", "\U00016fe4", // characters whose glyph is empty
	} {
		assert.True(t, text.IsBlank(blank), "%q", blank)
		assert.Equal(t, text.Blank, text.Limit{}.RequiredProblem(blank))
	}
	for _, seen := range []string{
		"x", " . ", "字", "😀", "-", "\u2801", "한", "\u1100\u1160", "\u115f\u1161", // a filler beside half a syllable
		"❤\ufe0f", "👩\u200d🚀", "می\u200cخواهم", "क्\u200dष", "葛\U000e0100", "🏴\U000e0067\U000e0062\U000e007f", // what scripts and emoji need
		"\u0301", " \u0301", "\u0e31", "\u20dd", // combining marks: fonts draw them on a space or a dotted circle
		"\u0600", "\u06dd", "\U000110bd", // format characters with a glyph: signs of numbers and verses
		"\ue000", "\u0378", "\ufffd", "\ufffc", // private, unassigned and replaced: fonts draw a box
	} {
		assert.False(t, text.IsBlank(seen), "%q", seen)
		assert.Empty(t, text.Limit{}.RequiredProblem(seen))
	}
}

// TestGEN08_blank_is_judged_character_by_character: a text is blank if each of its characters is.
func TestGEN08_blank_is_judged_character_by_character(t *testing.T) {
	invisible := rapid.SampledFrom([]rune(" \t\u00a0\u3000\u00ad\u034f\u115f\u1160\u200b\u200d\u202e" +
		"\u2800\u3164\ufe0f\ufeff\uffa0\U000e0020\U000e0100"))
	rapid.Check(t, func(t *rapid.T) {
		blank := rapid.StringOf(invisible).Draw(t, "invisible")
		assert.True(t, text.IsBlank(blank))
		assert.True(t, text.IsBlank(text.Trim(blank)))
		assert.True(t, text.IsBlank(text.Folded(blank)), "compatibility forms of fillers are fillers")
		s := rapid.String().Draw(t, "text")
		assert.Equal(t, text.IsBlank(s), text.IsBlank(blank+s+blank), "what is invisible decides nothing")
		seen := rapid.RuneFrom(nil, unicode.L, unicode.N, unicode.P, unicode.Sm, unicode.Sc).
			Filter(func(r rune) bool { return !strings.ContainsRune("\u115f\u1160\u3164\uffa0", r) }).Draw(t, "visible")
		assert.False(t, text.IsBlank(blank+string(seen)))
	})
}

func TestGEN08_trimming(t *testing.T) {
	assert.Equal(t, "a b", text.Trim("\u3000 a b\t\n"))
}

func TestNoChoice_names_the_choices(t *testing.T) {
	assert.Equal(t, "“50” is not a valid choice. Use one of: 0, 100, 200.", text.NoChoice(50, 0, 100, 200))
}
