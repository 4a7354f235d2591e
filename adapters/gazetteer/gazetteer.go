// Package gazetteer finds places by name in a list of China's administrative divisions
// (EVT-16).
//
// It knows only names and misleading contexts. The longest of overlapping names counts. A
// district counts only if its city or province agrees. An ambiguous name counts as no place.
// Names of places abroad do not count as places in China.
package gazetteer

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"plaza/domain/place"
)

// withCity returns a district's name preceded by its city's, if the city's name ends as the
// district's begins: 济南市中区 is 市中区 of 济南, not a part of 济南市. Otherwise it returns "".
func withCity(p place.Place) string {
	if !strings.HasPrefix(p.District, "市") {
		return ""
	}
	return strings.TrimSuffix(p.City, "市") + p.District
}

// Gazetteer implements place.Analyser.
type Gazetteer struct {
	names *trie
	known []name // by their numbers in the trie
}

type name struct {
	text     string
	official bool
	complete bool // a district's name preceded by its city's
	weak     bool // see the list weak
	abroad   bool
	places   []*division // all with this name; none for a word that only resembles a place
}

// division is a place. Each place has one division, so pointers can be compared.
type division struct {
	place.Place
	lineage []*division // itself, its city and its province
}

// New returns the gazetteer of all divisions.
func New() *Gazetteer { return all() }

// all is built once. It never changes, so all callers share it.
var all = sync.OnceValue(func() *Gazetteer { return Of(builtIn()) })

// Of returns the gazetteer of the places, which have official names.
func Of(known []place.Place) *Gazetteer {
	byText, divisions := map[string]*name{}, divisionsByPlace{}
	named := func(text string) *name {
		if byText[text] == nil {
			byText[text] = &name{text: text}
		}
		return byText[text]
	}
	for _, text := range words {
		named(text)
	}
	for _, text := range abroad {
		named(text).abroad = true
	}
	for _, p := range known {
		add := func(text string) *name {
			n := named(text)
			if d := divisions.of(p); !slices.Contains(n.places, d) {
				n.places = append(n.places, d)
			}
			return n
		}
		official := cmp.Or(p.District, p.City, p.Province)
		add(official).official = true
		if text := withCity(p); text != "" {
			n := add(text)
			n.official, n.complete = true, true
		}
		for _, short := range shortNames(official) {
			if p.District == "" || !slices.Contains(landmarks, short) {
				add(short)
			}
		}
	}
	for _, text := range weak {
		if n := byText[text]; n != nil {
			n.weak = !n.official
		}
	}
	g := &Gazetteer{names: newTrie()}
	for text, n := range byText {
		g.names.add(text, int32(len(g.known)))
		g.known = append(g.known, *n)
	}
	return g
}

// Analyse implements place.Analyser. It never fails.
func (g *Gazetteer) Analyse(_ context.Context, title, content string) (place.Place, error) {
	abroad := foreignCounts{}
	found := append(g.scan(title, true, abroad), g.scan(content, false, abroad)...)
	return mostMentioned(chained(resolved(found)), abroad.most()), nil
}

type mention struct {
	occurrence
	place *division
}

// resolved returns the occurrences with exactly one place.
func resolved(found []occurrence) []mention {
	confirm(found)
	certain, around := map[*division]bool{}, map[*division]bool{}
	for _, s := range found {
		if p := s.unambiguous(); p != nil {
			certain[p] = true
			around[p.lineage[len(p.lineage)-1]] = true
		}
	}
	mentions := make([]mention, 0, len(found))
	var before mention
	for _, s := range found {
		p := s.divisionFor(before, certain)
		if p == nil {
			if p = s.destinationCity(around); p != nil {
				certain[p] = true // for later occurrences
			}
		}
		if p == nil {
			continue
		}
		before = mention{s, p}
		mentions = append(mentions, before)
	}
	return mentions
}

// confirm accepts a weak name as a city if one of its districts follows with its full name:
// in 白银市's 白银平川区, 白银 is not the metal.
func confirm(found []occurrence) {
	for i := range max(0, len(found)-1) {
		city, next := &found[i], found[i+1]
		if !city.weak || !next.official {
			continue
		}
		for _, p := range city.places {
			if p.District == "" && (mention{*city, p}).isBeside(next) && inside(p, next.places) != nil {
				city.confirmed = true
			}
		}
	}
}

// unambiguous returns the place that the name identifies without context, or nil. A district needs
// context: even a unique name may be a village or a company. Cities inside a city qualify by
// their full name: 昆山市.
func (s occurrence) unambiguous() *division {
	larger, districts := admitted(s.places, func(*division) bool { return true })
	switch {
	case len(larger) == 1 && (!s.weak || s.confirmed):
		return larger[0]
	case len(larger) == 0 && len(districts) == 1 && s.official && (s.complete || standsAlone(s.text)):
		return districts[0]
	}
	return nil
}

// admitted returns the places that are admitted, districts apart from larger ones.
func admitted(places []*division, admits func(*division) bool) (larger, districts []*division) {
	for _, p := range places {
		switch {
		case !admits(p):
		case p.District == "":
			larger = append(larger, p)
		default:
			districts = append(districts, p)
		}
	}
	return larger, districts
}

func standsAlone(official string) bool {
	return strings.HasSuffix(official, "市") && utf8.RuneCountInString(official) >= 3
}

// divisionFor returns the only place of the name that agrees with the mention right before it, or
// is known without context, or agrees with the certain places; smaller surroundings count
// first. It returns nil for none or several.
func (s occurrence) divisionFor(before mention, certain map[*division]bool) *division {
	if before.isBeside(s) {
		if p := inside(before.place, s.places); p != nil && !(p.District != "" && s.isLandmark()) {
			return p
		}
	}
	if p := s.unambiguous(); p != nil {
		return p
	}
	for depth := range 3 {
		var agreed []*division
		for _, p := range s.places {
			around := p.lineage
			mayBeFar := depth == 0 || s.official || p.District == "" && !s.weak
			if mayBeFar && depth < len(around) && certain[around[depth]] {
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
	return nil
}

// destinationCity returns the only city of a weak name that is a destination or location, in one
// of the provinces of the text: 先到合肥，再到六安.
func (s occurrence) destinationCity(provinces map[*division]bool) *division {
	last, _ := utf8.DecodeLastRuneInString(s.whole[:s.start])
	if !s.weak || !strings.ContainsRune(destinationPrefixes, last) {
		return nil
	}
	cities, _ := admitted(s.places, func(p *division) bool { return provinces[p.lineage[len(p.lineage)-1]] })
	if len(cities) != 1 {
		return nil
	}
	return cities[0]
}

// inside returns the only place inside the outer one, cities before districts.
func inside(outer *division, places []*division) *division {
	cities, districts := admitted(places, func(p *division) bool { return slices.Contains(p.lineage[1:], outer) })
	switch {
	case len(cities) == 1:
		return cities[0]
	case len(cities) == 0 && len(districts) == 1:
		return districts[0]
	}
	return nil
}

// isBeside reports whether the next name follows without a separator.
func (m mention) isBeside(next occurrence) bool {
	return m.whole != "" && m.inTitle == next.inTitle && m.end <= next.start &&
		strings.Trim(m.whole[m.end:next.start], " 　·・-—/（(【") == ""
}

// divisionsByPlace holds the division of each place.
type divisionsByPlace map[place.Place]*division

func (a divisionsByPlace) of(p place.Place) *division {
	if a[p] == nil {
		d := &division{Place: p}
		a[p] = d
		d.lineage = []*division{d}
		switch {
		case p.District != "":
			d.lineage = append(d.lineage, a.of(place.Place{Province: p.Province, City: p.City}).lineage...)
		case p.City != "":
			d.lineage = append(d.lineage, a.of(place.Place{Province: p.Province}).lineage...)
		}
	}
	return a[p]
}

// chained joins mentions that name one place from large to small, like 浙江省杭州市西湖区, into one
// mention.
func chained(mentions []mention) []mention {
	joined := mentions[:0]
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
		slices.Contains(next.place.lineage[1:], m.place) &&
		!strings.ContainsFunc(m.whole[m.end:next.start], unicode.IsLetter)
}

// mostMentioned returns the place with the most mentions. Of several it prefers the one in
// the title, then the first. A mention also counts for the places inside it: 杭州 and 西湖区
// together mean 杭州市西湖区. If a place abroad has more mentions, the text has no place.
func mostMentioned(mentions []mention, abroad int) place.Place {
	var order []*division
	counts, inTitle := map[*division]int{}, map[*division]bool{}
	for _, m := range mentions {
		if counts[m.place]++; counts[m.place] == 1 {
			order = append(order, m.place)
		}
		inTitle[m.place] = inTitle[m.place] || m.inTitle
	}
	best := &division{}
	var most int
	var titled bool
	for _, p := range order {
		count, title := 0, false
		for _, around := range p.lineage {
			count += counts[around]
			title = title || inTitle[around]
		}
		if count > most || count == most && title && !titled {
			best, most, titled = p, count, title
		}
	}
	if abroad > most {
		return place.Place{}
	}
	return best.Place
}
