package user

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
)

// PrefixChars is the maximum length of the prefixes by which stores find names.
const PrefixChars = 8

// ErrShortName is the fault of a name that would find too many people (USR-08).
var ErrShortName = fault.New(fault.Invalid, "Enter at least one Chinese character, or two other characters.")

// SearchName is a name, or the beginning of one, in the folded form in which names are compared. The zero
// SearchName finds everybody.
type SearchName string

// ParseSearchName returns the folded form of the beginning of a name. It returns a fault if the name is too
// short or too long.
func ParseSearchName(name string) (SearchName, error) {
	if p := NameLimit.Problem(text.Trim(name)); p != "" {
		return "", fault.New(fault.Invalid, p)
	}
	folded := text.Folded(name)
	if text.IsBlank(folded) || !isSearchable(folded) {
		return "", ErrShortName
	}
	return SearchName(folded), nil
}

// isSearchable reports whether a folded text has at least one Han or two other characters.
func isSearchable(folded string) bool {
	chars := []rune(folded)
	return len(chars) > 1 || len(chars) == 1 && unicode.Is(unicode.Han, chars[0])
}

// Prefix returns the first PrefixChars characters, which are among the NamePrefixes of everybody whom the name finds.
func (n SearchName) Prefix() string {
	return strings.TrimSuffix(firstChars(string(n), PrefixChars), " ")
}

// IsPrefix reports whether the name finds everybody who has its Prefix among their NamePrefixes.
func (n SearchName) IsPrefix() bool { return n.Prefix() == string(n) }

// Finds reports whether a name of the member begins with n.
func (n SearchName) Finds(m Member) bool {
	return slices.ContainsFunc(m.searchNames(), func(name string) bool { return strings.HasPrefix(name, string(n)) })
}

// searchNames returns the folded forms of the given name, of the family name, and of both in either order.
// FullName is among the last.
func (m Member) searchNames() []string {
	return []string{
		text.Folded(m.Firstname), text.Folded(m.Lastname),
		text.Folded(m.Lastname + m.Firstname), text.Folded(m.Firstname + " " + m.Lastname),
	}
}

// NamePrefixes returns the beginnings of at most PrefixChars characters of the member's names that a search may
// be for, each once, in order.
func (m Member) NamePrefixes() []string {
	all := map[string]bool{}
	for _, name := range m.searchNames() {
		for chars := 1; chars <= PrefixChars; chars++ {
			if p := firstChars(name, chars); isSearchable(p) && !strings.HasSuffix(p, " ") {
				all[p] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func firstChars(s string, chars int) string {
	for i := range s {
		if chars--; chars < 0 {
			return s[:i]
		}
	}
	return s
}

// Search selects the people who are found by a name (USR-08).
type Search struct {
	Name SearchName
	By   ID // who searches; zero: staff
	// WithDisabled finds people whose account is disabled, too.
	WithDisabled bool
	page.CursorRequest
}

// The ranks of the people that a Search finds.
const (
	RankFollowed = iota // by the user who searches, contacts among them
	RankOther
)

// SearchKey returns the place of the user in the order of people that a search finds.
func SearchKey(id ID, isFollowed bool) page.Cursor {
	if isFollowed {
		return page.Cursor{Rank: RankFollowed, ID: int64(id)}
	}
	return page.Cursor{Rank: RankOther, ID: int64(id)}
}
