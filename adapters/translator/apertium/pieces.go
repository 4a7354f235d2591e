package apertium

import (
	"strings"
	"unicode"
)

// longest is the length up to which the server never splits a text, in characters. It splits
// longer texts differently under load, and drops everything after the tenth part.
const longest = 1000

// piece is a part of a text that is sent separately.
type piece struct {
	before, words, after string // the words, and the surrounding white space, which the server would drop
	star                 rune   // replaces asterisks, which the server would drop too
}

// pieces returns the text in pieces, one unless it is long.
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

// end returns the end of the first piece: after the last line break in the text's second
// half, else after the last sentence there, else after the last word.
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
	for p.star = '\ue000'; strings.ContainsRune(words, p.star); p.star++ { // a character that the text does not contain
	}
	return p
}

// sent returns the words as the server gets them.
func (p piece) sent() string { return strings.ReplaceAll(p.words, "*", string(p.star)) }

// translated returns the translated piece for the server's answer. It removes the server's
// marks: all asterisks, and signs that the words don't have.
func (p piece) translated(answer string) string {
	answer = strings.ReplaceAll(strings.TrimFunc(answer, unicode.IsSpace), "*", "")
	for _, mark := range []string{"#", "@"} {
		if !strings.Contains(p.words, mark) {
			answer = strings.ReplaceAll(answer, mark, "")
		}
	}
	return p.before + strings.ReplaceAll(answer, string(p.star), "*") + p.after
}
