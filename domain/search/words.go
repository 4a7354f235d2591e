package search

import (
	"slices"
	"unicode"

	"plaza/domain/text"
)

const (
	// wordChars is how much of a word counts. What is longer is compared by its beginning.
	wordChars = 40
	// maxBytes is how much the words of an entry have at most: more does not fit into an index of Postgres. The last words, in order, of
	// a text with more do not find it.
	maxBytes = 512 << 10
)

// script is how a character is cut from its neighbours.
type script int

const (
	noScript script = iota // stands between words
	spaced                 // letters and digits, whose words have marks or blanks between them
	unspaced               // of scripts without blanks between words
	symbol                 // a word of its own, such as an emoji
)

func scriptOf(r rune) script {
	switch {
	case r < unicode.MaxASCII && !unicode.IsLetter(r) && !unicode.IsDigit(r):
		return noScript
	case r < unicode.MaxASCII:
		return spaced
	case r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return unspaced
	case unicode.In(r, unicode.L, unicode.N, unicode.M):
		return spaced
	case unicode.Is(unicode.So, r):
		return symbol
	}
	return noScript
}

// Words returns the words of the texts in the form in which they are compared, each once, in order.
//
// They are folded as text.Folded says: ß is ss, ü is u, and I, İ and ı are i; full width is narrow. Letters and digits make
// words. Chinese and Japanese writing has no blanks: each of its characters, and each pair of neighbours, is a word. So is each
// symbol: an emoji without its joiners and shades of skin, each person of a family, and each letter of a flag.
func Words(texts ...string) []string {
	var words []string
	for _, t := range texts {
		cut(t, true, func(word string) { words = append(words, word) })
	}
	return limited(words)
}

// limited returns each of the words once, in order, as many as an entry has.
func limited(words []string) []string {
	slices.Sort(words)
	words = slices.Compact(words)
	bytes := 0
	for i, word := range words {
		if bytes += len(word); bytes > maxBytes {
			return words[:i]
		}
	}
	return words
}

// cut calls add for each word of the text, and withSingles also for each character that is part of a pair.
func cut(of string, withSingles bool, add func(word string)) {
	of = text.Folded(of)
	var starts []int // of the characters that stand together
	var s script
	end := func(at int) {
		n := len(starts)
		starts = append(starts, at)
		switch {
		case n == 0:
		case s == spaced:
			add(of[starts[0]:starts[min(n, wordChars)]])
		case s == symbol, n == 1:
			add(of[starts[0]:at])
		default:
			for i := range n {
				if withSingles {
					add(of[starts[i]:starts[i+1]])
				}
				if i > 0 {
					add(of[starts[i-1]:starts[i+1]])
				}
			}
		}
		starts = starts[:0]
	}
	for at, r := range of {
		is := scriptOf(r)
		if unicode.IsMark(r) && len(starts) > 0 {
			is = s // of the character before it
		}
		if is != s || is == symbol {
			end(at)
		}
		if s = is; s != noScript {
			starts = append(starts, at)
		}
	}
	end(len(of))
}
