package gazetteer

import "unicode/utf8"

// trie finds the longest of its words at the start of a text. It reads each character once.
type trie struct {
	edges map[edge]int32
	words []int32 // by node, from the root on: the number of the word that ends there, or none
}

type edge struct {
	from int32
	by   rune
}

const none = -1

func newTrie() *trie { return &trie{edges: map[edge]int32{}, words: []int32{none}} }

// add adds the word in simplified and traditional characters and mixtures of both.
func (t *trie) add(word string, number int32) {
	var node int32
	for _, r := range word {
		next, known := t.edges[edge{node, r}]
		if !known {
			next = int32(len(t.words))
			t.words = append(t.words, none)
			for _, form := range append([]rune{r}, traditional[r]...) {
				t.edges[edge{node, form}] = next
			}
		}
		node = next
	}
	t.words[node] = number
}

// longest returns the number and the length in bytes of the longest word at the start of the
// text. Without one it returns none and the length of the first character.
func (t *trie) longest(text string) (number int32, size int) {
	r, width := utf8.DecodeRuneInString(text)
	number, size = none, width
	node, known := t.edges[edge{by: r}]
	for end := width; known; node, known = t.edges[edge{node, r}] {
		if t.words[node] != none {
			number, size = t.words[node], end
		}
		r, width = utf8.DecodeRuneInString(text[end:])
		end += width
	}
	return number, size
}

// traditional maps frequent characters of names to their traditional forms.
var traditional = func() map[rune][]rune {
	forms := map[rune][]rune{}
	for _, all := range lists["traditional"] {
		runes := []rune(all)
		forms[runes[0]] = runes[1:]
	}
	return forms
}()
