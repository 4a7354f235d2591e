// Package gazetteer finds places by their names in a list of China's
// administrative divisions (EVT-16).
//
// It knows nothing but the names and what misleads about them: the longest
// counts where several begin, a district counts only where its city or its
// province agrees, and a name that could mean several places counts as none. What
// is said of a place abroad is no place's here.
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

// Record is a division, named from the outside in; what it has no part of is
// empty. Short is another name that it goes by, if any. A division of several
// such names has several records.
type Record struct{ Province, City, District, Short string }

func (r Record) place() place.Place {
	return place.Place{Province: r.Province, City: r.City, District: r.District}
}

// withCity is the name of a district that begins as its city's ends, with that city's:
// 济南市中区 is 济南's 市中区, not something of 济南市. Of others it is empty.
func (r Record) withCity() string {
	if !strings.HasPrefix(r.District, "市") {
		return ""
	}
	return strings.TrimSuffix(r.City, "市") + r.District
}

// Gazetteer implements place.Analyser.
type Gazetteer struct {
	names *trie
	known []name // by their numbers in the trie
}

type name struct {
	text     string
	official bool
	complete bool // a district's, with its city's before it
	weak     bool // see the list of these
	abroad   bool
	places   []*division // all that go by it; none of a word that only looks like a place
}

// division is a place; there is one of each, so that they compare by address.
type division struct {
	place.Place
	lineage []*division // itself, its city and its province
}

// New returns a gazetteer of all divisions.
func New() *Gazetteer { return all() }

// all is read once: it never changes, so that everybody may share it.
var all = sync.OnceValue(func() *Gazetteer { return Of(builtIn()) })

// Of returns a gazetteer of the records.
func Of(records []Record) *Gazetteer {
	byText, divisions := map[string]*name{}, atlas{}
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
	for _, r := range records {
		for _, text := range []string{cmp.Or(r.District, r.City, r.Province), r.Short, r.withCity()} {
			if text == "" {
				continue
			}
			n := named(text)
			n.official = n.official || text != r.Short
			n.complete = n.complete || text == r.withCity()
			if d := divisions.of(r.place()); !slices.Contains(n.places, d) {
				n.places = append(n.places, d)
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
	abroad := elsewhere{}
	found := append(g.scan(title, true, abroad), g.scan(content, false, abroad)...)
	return mostMentioned(chained(resolved(found)), abroad.most()), nil
}

// mention is a sighting of which it is clear what place it means.
type mention struct {
	sighting
	place *division
}

// resolved keeps the sightings that mean one place.
func resolved(found []sighting) []mention {
	confirm(found)
	certain, around := map[*division]bool{}, map[*division]bool{}
	for _, s := range found {
		if p := s.alone(); p != nil {
			certain[p] = true
			around[p.lineage[len(p.lineage)-1]] = true
		}
	}
	mentions := make([]mention, 0, len(found))
	var before mention
	for _, s := range found {
		p := s.meant(before, certain)
		if p == nil {
			if p = s.headedFor(around); p != nil {
				certain[p] = true // from here on
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

// confirm takes a weak name for a city's where a district of that follows in full:
// 白银市's 白银平川区 is no silver.
func confirm(found []sighting) {
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

// alone is the place that the name tells without any help, or zero. A district
// does not: even one that is unique may mean a village or a firm. Cities inside
// a city do, if they are named in full: 昆山市.
func (s sighting) alone() *division {
	var upper, lower []*division
	for _, p := range s.places {
		if p.District == "" {
			upper = append(upper, p)
		} else {
			lower = append(lower, p)
		}
	}
	switch {
	case len(upper) == 1 && (!s.weak || s.confirmed):
		return upper[0]
	case len(upper) == 0 && len(lower) == 1 && s.official && (s.complete || standsAlone(s.text)):
		return lower[0]
	}
	return nil
}

func standsAlone(official string) bool {
	return strings.HasSuffix(official, "市") && utf8.RuneCountInString(official) >= 3
}

// meant is the one place of the name that agrees with what is right before it,
// or is known by itself, or else agrees with the places that are certain, the
// nearer around it the better; zero when there is none, or several.
func (s sighting) meant(before mention, certain map[*division]bool) *division {
	if before.isBeside(s) {
		if p := inside(before.place, s.places); p != nil && !(p.District != "" && s.isLandmark()) {
			return p
		}
	}
	if p := s.alone(); p != nil {
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

// headedFor is the one city of a weak name that somebody goes to, or is in, in a province
// that the text is around: 先到合肥，再到六安.
func (s sighting) headedFor(provinces map[*division]bool) *division {
	last, _ := utf8.DecodeLastRuneInString(s.whole[:s.start])
	if !s.weak || !strings.ContainsRune(thither, last) {
		return nil
	}
	var cities []*division
	for _, p := range s.places {
		if p.District == "" && provinces[p.lineage[len(p.lineage)-1]] {
			cities = append(cities, p)
		}
	}
	if len(cities) != 1 {
		return nil
	}
	return cities[0]
}

// inside is the one place inside the outer one, cities before districts.
func inside(outer *division, places []*division) *division {
	var cities, districts []*division
	for _, p := range places {
		switch {
		case !slices.Contains(p.lineage[1:], outer):
		case p.District == "":
			cities = append(cities, p)
		default:
			districts = append(districts, p)
		}
	}
	switch {
	case len(cities) == 1:
		return cities[0]
	case len(cities) == 0 && len(districts) == 1:
		return districts[0]
	}
	return nil
}

// isBeside says whether the next name follows with nothing in between that parts
// the two.
func (m mention) isBeside(next sighting) bool {
	return m.whole != "" && m.inTitle == next.inTitle && m.end <= next.start &&
		strings.Trim(m.whole[m.end:next.start], " 　·・-—/（(【") == ""
}

// atlas has one division of each place.
type atlas map[place.Place]*division

func (a atlas) of(p place.Place) *division {
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

// chained joins mentions that name one place from the outside in, like
// 浙江省杭州市西湖区, into one of that place.
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

// mostMentioned is the place with the most mentions, of several the one in the
// title, of several the first. Whatever is said of a place is said of what is
// mentioned inside it too: who is in 杭州, and in 西湖区, is in 杭州市西湖区. A place abroad
// that is mentioned more often is what the text is about, and so it has none.
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
