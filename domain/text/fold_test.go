package text_test

import (
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"plaza/domain/text"
)

func TestUSR08_folding(t *testing.T) {
	for sent, want := range map[string]string{
		"\tA\u00a0\u3000b\nＣ ": "a b c", "Straße": "strasse", "STRASSE": "strasse", "ΟΔΟΣ": "οδοσ", "ﬁ": "fi", "Ꭰꭰ": "ꭰꭰ", "Ᏸ": "ᏸ",
		// accents
		"Inés": "ines", "Müller": "muller", "Mu\u0308ller": "muller", "Åsa": "asa", "Søren": "soren", "Łódź": "lodz", "Đorđe": "dorde",
		"Işık": "isik", "İpek": "ipek", "Nguyễn": "nguyen",
		"Алёна": "алена", "Σοφία": "σοφια", "Æsir": "æsir", "Þór": "þor",
		"مُحَمَّد": "محمد", "محـــمد": "محمد", "أحمد": "احمد", "שָׁלוֹם": "שלום",
		// marks that make another letter, or are vowels
		"ガッキー": "ガッキー", "ｶﾞｷ": "ガキ", "は\u3099": "ば", "プ": "プ", "김민수": "김민수", "हिन्दी": "हिन्दी", "ক\u09bc": "ক\u09bc", "กุ้ง": "กุ้ง",
		"தமிழ்": "தமிழ்", "དྲུག": "དྲུག",
		// ignorable characters
		"葛\U000e0100城": "葛城", "a\u200db": "ab", "می\u200cخواهم": "میخواهم", "❤\ufe0f": "❤", "x\u00ady\u2060z\ufeff": "xyz", "a\u034f\u0301": "a",
		"\u3164\uffa0\u1160": "",
	} {
		assert.Equal(t, want, text.Folded(sent), "%q", sent)
	}
}

// TestUSR08_folding_every_character_again_changes_nothing also tells that the case of a letter makes no difference.
func TestUSR08_folding_every_character_again_changes_nothing(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !unicode.IsGraphic(r) && !text.IsIgnorable(r) {
			continue
		}
		folded := text.Folded(string(r))
		if again := text.Folded(folded); again != folded {
			t.Errorf("%U: %q, then %q", r, folded, again)
		}
		for _, other := range []rune{unicode.ToLower(r), unicode.ToUpper(r), unicode.ToTitle(r)} {
			if unicode.SimpleFold(r) != r && text.Folded(string(other)) != folded {
				t.Errorf("%U and %U", r, other)
			}
		}
	}
}

func TestUSR08_folding_again_changes_nothing(t *testing.T) {
	marks := rapid.RuneFrom([]rune("\u0345\u0301\u3099\u034f\u200d\u1160\u0654\u0640 ıİſßςΣᾼ각각"), unicode.L, unicode.M, unicode.Zs)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringOf(marks)).Draw(t, "text")
		folded := text.Folded(s)
		assert.Equal(t, folded, text.Folded(folded))
		assert.Equal(t, folded, text.Folded(norm.NFD.String(s)))
		assert.Equal(t, folded, text.Folded(norm.NFC.String(s)))
	})
}
