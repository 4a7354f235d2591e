package apertium

import (
	"strings"
	"unicode"
)

// longest is how many characters of a text the server never divides itself. It does so
// with longer ones, into other parts when many ask than when few do, and leaves out what
// comes after the tenth.
const longest = 1000

// piece is a part of a text that is sent by itself.
type piece struct {
	before, words, after string // the words, and the white space that the server would drop
	star                 rune   // stands for asterisks, which the server would drop, too
}

// pieces returns the text in its parts: one, unless it is long.
func pieces(s string) []piece {
	var all []piece
	rest := []rune(s)
	for len(rest) > longest {
		n := end(rest[:longest])
		all = append(all, newPiece(string(rest[:n])))
		rest = rest[n:]
	}
	return append(all, newPiece(string(rest)))
}

// end is where the piece should end that begins the text: after the last line in its second
// half, else after the last sentence there, else the last word.
func end(s []rune) int {
	for _, ends := range []func(i int) bool{
		func(i int) bool { return s[i] == '\n' },
		func(i int) bool { return unicode.IsSpace(s[i]) && strings.ContainsRune(".!?…", s[i-1]) },
		func(i int) bool { return unicode.IsSpace(s[i]) },
	} {
		for i := len(s) - 1; i >= len(s)/2; i-- {
			if ends(i) {
				return i + 1
			}
		}
	}
	return len(s)
}

func newPiece(s string) piece {
	tail := strings.TrimLeftFunc(s, unicode.IsSpace)
	words := strings.TrimRightFunc(tail, unicode.IsSpace)
	p := piece{before: s[:len(s)-len(tail)], words: words, after: tail[len(words):]}
	for p.star = '\ue000'; strings.ContainsRune(words, p.star); p.star++ { // a letter that nobody uses
	}
	return p
}

// sent are the words as the server gets them.
func (p piece) sent() string { return strings.ReplaceAll(p.words, "*", string(p.star)) }

// translated is the piece in the other language, given what the server made of the words.
// It has the server's marks no more: asterisks are all the server's now, and signs that
// the words don't have.
func (p piece) translated(answer string) string {
	answer = strings.ReplaceAll(strings.TrimFunc(answer, unicode.IsSpace), "*", "")
	for _, mark := range []string{"#", "@"} {
		if !strings.Contains(p.words, mark) {
			answer = strings.ReplaceAll(answer, mark, "")
		}
	}
	return p.before + strings.ReplaceAll(answer, string(p.star), "*") + p.after
}
