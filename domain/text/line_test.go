package text_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"plaza/domain/text"
)

func TestUSR06_a_text_of_one_line_is_trimmed_composed_and_then_counted(t *testing.T) {
	limit := text.Limit{Chars: 8}
	for sent, want := range map[string]string{
		"": "", " \u3000\n": "", " Ada\u00a0": "Ada", "Ada  K.": "Ada  K.", strings.Repeat("e\u0301", 8): "éééééééé",
		"ﬁ": "ﬁ", "Ａ": "Ａ", "葛\U000e0100城": "葛\U000e0100城", "می\u200cخواهم": "می\u200cخواهم", "א\u200eb\u200f": "א\u200eb\u200f",
		"ا\u061cb": "ا\u061cb",
		"❤\ufe0f":  "❤\ufe0f", "👩\u200d🚀": "👩\u200d🚀", "1\ufe0f\u20e3": "1\ufe0f\u20e3", "שָּׁ֖": norm.NFC.String("שָּׁ֖"), "မျှော့": "မျှော့",
		"སྒྲུབ":                            "སྒྲུབ",
		"a\u0316\u0317\u0318\u0319b\u0316": "a\u0316\u0317\u0318\u0319b\u0316",
	} {
		line := sent
		assert.Empty(t, limit.Line(&line), "%q", sent)
		assert.Equal(t, want, line, "%q", sent)
		assert.Equal(t, want, text.Line(sent))
		if want != "" {
			assert.Empty(t, limit.RequiredLine(&line))
		}
	}
	for sent, want := range map[string]string{
		"éééééééé" + "e\u0301": "Ensure this field has no more than 8 characters.", "a\xff": "Text must be valid UTF-8.",
		"a\x00":  "Null characters are not allowed.",
		"\u200b": text.Blank, "a\u0316\u0317\u0318\u0319\u031c": "A letter may have at most 4 marks.",
		"a\u0316\u0317\u200d\u0318\u0319\u031c": "A letter may have at most 4 marks.",
		"a\u20dd\u20dd\u20dd\u20dd\u20dd":       "A letter may have at most 4 marks.",
	} {
		assert.Equal(t, want, limit.Line(&sent))
	}
	for _, empty := range []string{"", " ", "\u2003", "\u200b", "\u2060\ufe0f"} {
		assert.Equal(t, text.Blank, limit.RequiredLine(&empty), "%q", empty)
	}
}

func TestUSR06_a_text_of_several_lines_ends_them_alike(t *testing.T) {
	limit := text.Limit{Chars: 8}
	for sent, want := range map[string]string{
		"": "", " \r\n": "", " a\r\nb\rc\n\nd\n": "a\nb\nc\n\nd", "\n\u3000e\u0301 \n x": "é \n x", "א\u200e\n1": "א\u200e\n1",
		strings.Repeat("\r\n", 6) + "a" + strings.Repeat("\r\n", 6) + "b": "a\n\n\n\n\n\nb",
	} {
		assert.Empty(t, limit.Lines(&sent))
		assert.Equal(t, want, sent)
	}
	const control = "Control characters other than line breaks are not allowed."
	for sent, want := range map[string]string{
		"a\n2345678": "Ensure this field has no more than 8 characters.", "a\n\xff": "Text must be valid UTF-8.",
		"a\tb": control, "a\vb": control, "a\u0085b": control, "a\u2028b": control, "\u200b\n\u2060": text.Blank,
		"a\n\u202eb": "Characters that change the direction of the text around them are not allowed.",
	} {
		assert.Equal(t, want, limit.Lines(&sent))
	}
}

// TestUSR06_a_text_of_one_line_has_no_character_that_reaches_beyond_it tries every character.
func TestUSR06_a_text_of_one_line_has_no_character_that_reaches_beyond_it(t *testing.T) {
	const beyond = "\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if r >= 0xd800 && r < 0xe000 { // no characters of a text
			continue
		}
		is := !unicode.IsControl(r) && !strings.ContainsRune(beyond, r) && r&0xfffe != 0xfffe && (r < 0xfdd0 || r > 0xfdef)
		if text.IsOfLine(r) != is {
			t.Errorf("%U", r)
		}
		line := "a" + string(r) + "b"
		if p := (text.Limit{}).Line(&line); (p == "") != is {
			t.Errorf("%U: %s", r, p)
		}
	}
}

func TestUSR06_a_stored_line_is_stored_unchanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.String().Draw(t, "line")
		if (text.Limit{Chars: 20}).Line(&line) != "" {
			return
		}
		again := line
		assert.Empty(t, text.Limit{Chars: 20}.Line(&again))
		assert.Equal(t, line, again)
	})
}
