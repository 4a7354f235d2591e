package text

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Folded returns the text in a form in which two texts are equal that differ in case, in width, in white space, in accents
// or in ignorable characters alone: NFKC, case folded, trimmed, with one space in place of inner white space.
//
// Accents are the marks that letters of several scripts share, which people leave out when they type: those of Latin,
// Greek and Cyrillic letters (é, å, й), the points of Hebrew, and the vowel signs, hamzas and tatweels of Arabic. Strokes
// and the missing dot of ı count as accents (ø, đ, ł), although Unicode keeps them in their letters. A mark that makes
// another letter or is a vowel stays: the voicing of kana, vowel signs of Indic scripts, of Thai and the like. Letters of
// their own stay as well, such as æ and þ.
func Folded(s string) string {
	if isASCII(s) {
		s = strings.ToLower(s)
	} else {
		s = norm.NFC.String(strings.Map(withoutAccent, cases.Fold().String(norm.NFKD.String(s))))
	}
	return strings.Join(strings.Fields(s), " ")
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

// strokes are letters that Unicode does not decompose, and these letters without their strokes.
var strokes = map[rune]rune{'ø': 'o', 'đ': 'd', 'ł': 'l', 'ħ': 'h', 'ŧ': 't', 'ı': 'i'}

// withoutAccent drops accents and ignorable characters of a decomposed and case folded text. It maps letters of Cherokee,
// whose folded case the libraries disagree about, to their lower case.
func withoutAccent(r rune) rune {
	const tatweel, voiced, halfVoiced = '\u0640', '\u3099', '\u309a'
	switch {
	case r < unicode.MaxASCII, r == voiced, r == halfVoiced:
		return r
	case r == tatweel, IsIgnorable(r), unicode.Is(unicode.Mn, r) && unicode.In(r, unicode.Inherited, unicode.Arabic, unicode.Hebrew):
		return -1
	case strokes[r] != 0:
		return strokes[r]
	}
	return unicode.ToLower(r)
}
