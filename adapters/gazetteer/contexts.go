package gazetteer

import (
	_ "embed"
	"slices"
	"strings"
)

// The lists of the file distinguish the name of a place from other uses of its characters.
var (
	//go:embed contexts.txt
	contexts string
	lists    = listsIn(contexts)

	words        = lists["words"]
	countries    = lists["countries"]
	abroad       = slices.Concat(countries, lists["abroad"])
	weak         = lists["weak"]
	landmarks    = lists["landmarks"]
	exclamations = lists["exclamations"]
	praise       = lists["praise"]
	areas        = lists["areas"]
	notAreas     = lists["notAreas"]
	sides        = lists["sides"]
	notSides     = lists["notSides"]
	namings      = lists["namings"]
	roles        = lists["roles"]
	crowds       = lists["crowds"]

	destinationPrefixes = characters("destinationPrefixes")
	leads               = characters("leads")
	surnames            = characters("surnames")
	openSurnames        = characters("openSurnames")
	origins             = characters("origins")
	titles              = characters("titles")
)

// listsIn returns the lists of the file by their names.
func listsIn(file string) map[string][]string {
	all, name := map[string][]string{}, ""
	for line := range strings.Lines(file) {
		if strings.HasPrefix(line, " ") {
			all[name] = append(all[name], strings.Fields(line)...)
		} else {
			name = strings.TrimSpace(line) // or a comment, which has no words
		}
	}
	return all
}

// characters returns the list of characters as one text.
func characters(list string) string { return strings.Join(lists[list], "") }

// followers and enders judge the text after a short name: misleading, or harmless despite
// such a beginning. The longest match decides.
var (
	followers = contextTrie(lists["behind"], lists["notBehind"])
	enders    = contextTrie(lists["tails"], lists["notTails"])
)

const misleading = 1

func contextTrie(bad, good []string) *trie {
	t := newTrie()
	for _, w := range bad {
		t.add(w, misleading)
	}
	for _, w := range good {
		t.add(w, 0)
	}
	return t
}
