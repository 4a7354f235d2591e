// Package gazetteer finds places by their names in a list of China's
// administrative divisions (EVT-16).
//
// It knows nothing but the names: the longest counts where several begin, a
// district counts only beside its city or its province, and a name that could
// mean several places counts as none.
package gazetteer

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"plaza/domain/place"
)

// Record is a division, named from the outside in; what it has no part of is
// empty. Short is another name that it goes by, if any. A record of a short name
// alone is a word that only looks like a place.
type Record struct{ Province, City, District, Short string }

func (r Record) place() place.Place {
	return place.Place{Province: r.Province, City: r.City, District: r.District}
}

// Gazetteer implements place.Analyser.
type Gazetteer struct {
	names map[rune][]name // by their first character, the longest first
}

type name struct {
	text     string
	official bool
	places   []place.Place // all that go by it
}

// New returns a gazetteer of the divisions that are built in.
func New() *Gazetteer { return Of(builtIn()) }

// Of returns a gazetteer of the records.
func Of(records []Record) *Gazetteer {
	byText := map[string]*name{}
	add := func(text string, p place.Place, official bool) {
		if text == "" {
			return
		}
		if byText[text] == nil {
			byText[text] = &name{text: text}
		}
		n := byText[text]
		n.official = n.official || official
		n.places = append(n.places, p)
	}
	for _, r := range records {
		add(cmp.Or(r.District, r.City, r.Province), r.place(), true)
		add(r.Short, r.place(), false)
	}
	g := &Gazetteer{names: map[rune][]name{}}
	for text, n := range byText {
		first, _ := utf8.DecodeRuneInString(text)
		g.names[first] = append(g.names[first], *n)
	}
	for _, names := range g.names {
		slices.SortFunc(names, func(a, b name) int { return len(b.text) - len(a.text) })
	}
	return g
}

// Analyse implements place.Analyser. It never fails.
func (g *Gazetteer) Analyse(_ context.Context, title, content string) (place.Place, error) {
	found := append(g.scan(title, true), g.scan(content, false)...)
	return mostMentioned(chained(resolved(found))), nil
}

// sighting is a name found in a text.
type sighting struct {
	name
	text       string // the whole
	start, end int    // of the name, in bytes
	inTitle    bool
}

func (g *Gazetteer) scan(text string, inTitle bool) []sighting {
	var found []sighting
	for i := 0; i < len(text); {
		first, size := utf8.DecodeRuneInString(text[i:])
		n, known := longest(g.names[first], text[i:])
		if !known {
			i += size
			continue
		}
		s := sighting{name: n, text: text, start: i, end: i + len(n.text), inTitle: inTitle}
		if i = s.end; n.official || !isStreet(text[i:]) {
			found = append(found, s)
		}
	}
	return found
}

func longest(names []name, text string) (name, bool) {
	for _, n := range names {
		if strings.HasPrefix(text, n.text) {
			return n, true
		}
	}
	return name{}, false
}

// isStreet says whether what follows a short name makes it a street's, wherever
// that is: 南京路, 北京东路.
func isStreet(follows string) bool {
	for _, phrase := range []string{"街头", "路过"} {
		if strings.HasPrefix(follows, phrase) {
			return false
		}
	}
	if _, size := utf8.DecodeRuneInString(follows); strings.Contains("东西南北中", follows[:size]) {
		follows = follows[size:]
	}
	for _, street := range []string{"路", "街", "大街", "大道"} {
		if strings.HasPrefix(follows, street) {
			return true
		}
	}
	return false
}

// mention is a sighting of which it is clear what place it means.
type mention struct {
	sighting
	place place.Place
}

// resolved keeps the sightings that mean one place.
func resolved(found []sighting) []mention {
	certain := map[place.Place]bool{}
	for _, s := range found {
		if s.isCertain() {
			certain[s.places[0]] = true
		}
	}
	var mentions []mention
	for _, s := range found {
		if p := s.meant(certain); !p.IsZero() {
			mentions = append(mentions, mention{sighting: s, place: p})
		}
	}
	return mentions
}

// isCertain says whether the name alone tells the place. That of a district never
// does: even one that is unique may mean a village or a firm.
func (s sighting) isCertain() bool { return len(s.places) == 1 && s.places[0].District == "" }

// meant is the one place of the name that the places which are certain agree
// with, the nearer around it the better; zero when there is none, or several.
func (s sighting) meant(certain map[place.Place]bool) place.Place {
	if s.isCertain() {
		return s.places[0]
	}
	for depth := range 3 {
		var agreed []place.Place
		for _, p := range s.places {
			if around := lineage(p); depth < len(around) && certain[around[depth]] {
				agreed = append(agreed, p)
			}
		}
		if len(agreed) == 1 {
			return agreed[0]
		}
		if len(agreed) > 1 {
			break
		}
	}
	return place.Place{}
}

// lineage is the place, its city and its province.
func lineage(p place.Place) []place.Place {
	return slices.Compact([]place.Place{
		p, {Province: p.Province, City: p.City}, {Province: p.Province},
	})
}

// chained joins mentions that name one place from the outside in, like
// 浙江省杭州市西湖区, into one of that place.
func chained(mentions []mention) []mention {
	var joined []mention
	for _, m := range mentions {
		if len(joined) > 0 && joined[len(joined)-1].introduces(m) {
			joined = joined[:len(joined)-1]
		}
		joined = append(joined, m)
	}
	return joined
}

func (m mention) introduces(next mention) bool {
	return m.inTitle == next.inTitle &&
		slices.Contains(lineage(next.place)[1:], m.place) &&
		!strings.ContainsFunc(m.text[m.end:next.start], unicode.IsLetter)
}

// mostMentioned is the place with the most mentions, of several the one in the
// title, of several the first. Whatever is said of a place is said of what is
// mentioned inside it too: who is in 杭州, and in 西湖区, is in 杭州市西湖区.
func mostMentioned(mentions []mention) place.Place {
	var order []place.Place
	counts, inTitle := map[place.Place]int{}, map[place.Place]bool{}
	for _, m := range mentions {
		if counts[m.place]++; counts[m.place] == 1 {
			order = append(order, m.place)
		}
		inTitle[m.place] = inTitle[m.place] || m.inTitle
	}
	var best place.Place
	var most int
	var titled bool
	for _, p := range order {
		count, title := 0, false
		for _, around := range lineage(p) {
			count += counts[around]
			title = title || inTitle[around]
		}
		if count > most || count == most && title && !titled {
			best, most, titled = p, count, title
		}
	}
	return best
}
