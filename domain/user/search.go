package user

import (
	"cmp"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
)

// PrefixChars is the maximum length of the prefixes by which stores find names.
const PrefixChars = 8

// ErrShortName is the fault of a name that would find too many people (USR-08).
var ErrShortName = fault.New(fault.Invalid, "Enter at least one Chinese character, or two other characters.")

// SearchName is a name to search for: its words in the folded form in which names are compared, with one space between
// them.
type SearchName string

// ParseSearchName returns the words of a name, or of the beginnings of its words. It returns a fault if the name is too
// short or too long.
func ParseSearchName(name string) (SearchName, error) {
	if p := text.SearchLimit.Problem(text.Line(name)); p != "" {
		return "", fault.New(fault.Invalid, p)
	}
	words := wordsOf(name)
	chars := []rune(strings.Join(words, ""))
	if len(chars) == 0 || len(chars) == 1 && !unicode.Is(unicode.Han, chars[0]) || text.IsBlank(string(chars)) {
		return "", ErrShortName
	}
	return SearchName(strings.Join(words, " ")), nil
}

// wordsOf returns the words of a name in their folded form. Blanks, hyphens, apostrophes, brackets and such marks stand
// between words. A mark that stands alone is a word, too.
func wordsOf(name string) (words []string) {
	for part := range strings.FieldsSeq(text.Folded(name)) {
		within := strings.FieldsFunc(part, isBetweenWords)
		if len(within) == 0 {
			within = []string{part}
		}
		words = append(words, within...)
	}
	return words
}

func isBetweenWords(r rune) bool {
	return unicode.In(r, unicode.Pd, unicode.Pi, unicode.Pf, unicode.Ps, unicode.Pe) || strings.ContainsRune(`'".,;:·・׳״،、。`, r)
}

// words returns the words of the member's names, those of the family name first.
func (m Member) words() []string { return append(wordsOf(m.Lastname), wordsOf(m.Firstname)...) }

// Finds reports whether each word of n begins some word of the member's names, or whether family and given name, written
// together, begin with the words of n, written together.
func (n SearchName) Finds(m Member) bool {
	names := m.words()
	isMissing := func(word string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, word) })
	}
	return strings.HasPrefix(strings.Join(names, ""), n.together()) || !slices.ContainsFunc(strings.Fields(string(n)), isMissing)
}

// together returns the words without the spaces between them.
func (n SearchName) together() string { return strings.ReplaceAll(string(n), " ", "") }

// Prefixes returns the beginnings, of at most PrefixChars characters, of the longest word and of all words written
// together. One of them is among the NamePrefixes of everybody whom the name finds. The longest word is likely the one that
// begins the fewest names.
func (n SearchName) Prefixes() []string {
	words := strings.Fields(string(n))
	if len(words) == 0 {
		return []string{""}
	}
	longest := slices.MaxFunc(words, func(a, b string) int {
		return cmp.Compare(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	})
	return slices.Compact([]string{firstChars(longest, PrefixChars), firstChars(n.together(), PrefixChars)})
}

// IsPrefix reports whether the name finds everybody who has its only prefix among their NamePrefixes.
func (n SearchName) IsPrefix() bool { return n.Prefixes()[0] == string(n) }

// NamePrefixes returns the beginnings of at most PrefixChars characters of each word of the member's names, and of family
// and given name written together, each once, in order.
func (m Member) NamePrefixes() []string {
	all := map[string]bool{}
	names := m.words()
	for _, name := range append(names, strings.Join(names, "")) {
		for chars := 1; chars <= PrefixChars && name != ""; chars++ {
			all[firstChars(name, chars)] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func firstChars(s string, chars int) string {
	all := []rune(s)
	return string(all[:min(chars, len(all))])
}

// Search selects the people who are found by a name (USR-08).
//
// Those whom the user who searches follows come first, until a page has brought their number to followedFirst. All others
// come in the order of their uids. The cursor has the uids of those who came first. So each person is found once, although
// some are followed, or no longer, between two pages.
type Search struct {
	Name SearchName
	By   ID // who searches; zero: staff
	// WithDisabled finds people whose account is disabled, too.
	WithDisabled bool
	page.CursorRequest
}

// followedFirst bounds the uids in a cursor.
const followedFirst = 100

// The ranks of the people that a Search finds.
const (
	RankFollowed = iota // those who come first
	RankOther
)

// Found is a user whom a store has found for a search, at their place in its order.
type Found struct {
	Rank int64
	Member
}

// Place returns the place of the user in the order.
func (f Found) Place() page.Cursor { return page.Cursor{Rank: f.Rank, ID: int64(f.ID)} }

// Continues returns the uids behind which the search continues among those whom the user who searches follows, and among
// others, and the uids of those who came first.
func (q Search) Continues() (followed, others ID, cameFirst []ID) {
	cameFirst = make([]ID, len(q.After.Seen)/8)
	_, _ = binary.Decode([]byte(q.After.Seen), binary.BigEndian, cameFirst) // fails only if it is too short
	switch {
	case q.After.Rank == RankOther:
		return math.MaxInt64, ID(q.After.ID), cameFirst
	case len(cameFirst) >= followedFirst:
		return math.MaxInt64, 0, cameFirst
	}
	return ID(q.After.ID), 0, cameFirst
}

// PageOf returns the page of those of the users, who are in order, whom the name finds. A store that has not examined
// more says up to which place it has; zero: all.
func (q Search) PageOf(users []Found, upTo page.Cursor) (p page.CursorPage[Member]) {
	_, _, cameFirst := q.Continues()
	var last page.Cursor
	for _, f := range users {
		if !q.Name.Finds(f.Member) {
			continue
		}
		if len(p.Items) == q.Size() {
			upTo = last
			break
		}
		if p.Items, last = append(p.Items, f.Member), f.Place(); f.Rank == RankFollowed {
			cameFirst = append(cameFirst, f.ID)
		}
	}
	if p.Next = upTo; upTo != (page.Cursor{}) {
		seen, _ := binary.Append(nil, binary.BigEndian, cameFirst) // fails only for values without a size
		p.Next.Seen = string(seen)
	}
	return p
}
