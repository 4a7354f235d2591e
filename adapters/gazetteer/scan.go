package gazetteer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sighting is a name found in a text.
type sighting struct {
	*name
	whole      string // text that it is in
	start, end int    // of the name, in bytes
	inTitle    bool
	confirmed  bool // of a weak name: that it means the city
}

// elsewhere counts the mentions of places abroad.
type elsewhere map[string]int

func (e elsewhere) most() (most int) {
	for _, count := range e {
		most = max(most, count)
	}
	return most
}

// count counts the name, unless it may well be an adjective.
func (e elsewhere) count(name, before string) {
	last, _ := utf8.DecodeLastRuneInString(before)
	if !slices.Contains(countries, name) || strings.ContainsRune(thither, last) {
		e[name]++
	}
}

// scan reads the text once, from left to right, and skips what a name or a word
// has taken.
func (g *Gazetteer) scan(text string, inTitle bool, abroad elsewhere) []sighting {
	found := make([]sighting, 0, len(text)/64+4) // about what diaries hold
	quoted, foreign := 0, -1                     // where the last name abroad has ended
	for i := 0; i < len(text); {
		number, size := g.names.longest(text[i:])
		start := i
		i += size
		if number == none {
			switch text[start:i] {
			case "《":
				quoted++
			case "》":
				quoted = max(0, quoted-1)
			}
			continue
		}
		n := &g.known[number]
		isHere := len(n.places) > 0 && quoted == 0 && (foreign < 0 || !isPartOf(text[foreign:start]))
		if n.abroad {
			foreign = i
			if quoted == 0 {
				abroad.count(n.text, text[:start])
			}
		}
		if !isHere {
			continue
		}
		s := sighting{name: n, whole: text, start: start, end: i, inTitle: inTitle}
		if n.official || !s.misleads() {
			found = append(found, s)
		}
	}
	return found
}

// isPartOf says whether what is between a name abroad and another leaves the second in the
// first: 日本石川县的白山市, 伦敦有家重庆馆子.
func isPartOf(between string) bool {
	const long = 10 // characters
	return len(between) <= long*utf8.UTFMax && utf8.RuneCountInString(between) <= long &&
		!strings.ContainsAny(between, leads) && !strings.ContainsFunc(between, unicode.IsPunct)
}

// misleads says whether what is around a short name makes it something else's.
func (s sighting) misleads() bool {
	before, follows := s.whole[:s.start], s.whole[s.end:]
	last, size := utf8.DecodeLastRuneInString(s.text)
	verdict, _ := followers.longest(follows)
	if verdict == none {
		verdict, _ = followers.longest(withoutPraise(follows))
	}
	tail, _ := enders.longest(s.whole[s.end-size:])
	switch {
	case verdict == misleading, tail == misleading, isNamed(before), isOrigin(before, follows), isTitle(before, s.text, follows):
		return true
	case slices.Contains(cries, s.text) && isClause(before, follows):
		return true
	case s.isCityOrProvince() && begins(follows, areas) && !begins(follows, notAreas):
		return true
	}
	return strings.ContainsRune("东西南北", last) && begins(follows, sides) && !begins(follows, notSides)
}

func withoutPraise(text string) string {
	for _, p := range praise {
		if rest, found := strings.CutPrefix(text, p); found {
			return rest
		}
	}
	return text
}

func (s sighting) isCityOrProvince() bool {
	for _, p := range s.places {
		if p.District == "" {
			return true
		}
	}
	return false
}

// isLandmark says whether the short name of a district is a lake's or temple's of
// that name: 南京玄武湖, 成都武侯祠.
func (s sighting) isLandmark() bool {
	if s.official {
		return false
	}
	follows, _ := utf8.DecodeRuneInString(s.whole[s.end:])
	return strings.ContainsRune("湖山寺祠塔楼桥江河海岛门村镇乡", follows)
}

// isNamed says whether what is before a short name makes it a person's, a pet's
// or a song's.
func isNamed(before string) bool {
	before = strings.TrimRight(before, "“「『")
	last, size := utf8.DecodeLastRuneInString(before)
	if !unicode.IsLetter(last) {
		return false
	}
	if strings.ContainsRune(titles, last) || ends(before, namings) {
		return true
	}
	earlier, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
	if strings.ContainsRune(openSurnames, last) {
		return !strings.ContainsRune("老小阿", earlier)
	}
	return strings.ContainsRune(surnames, last) &&
		(!unicode.IsLetter(earlier) && !unicode.IsDigit(earlier) || ends(before[:len(before)-size], roles))
}

func isOrigin(before, follows string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	return strings.ContainsRune(origins, last) && strings.HasPrefix(follows, "人") && !begins(follows, crowds)
}

func ends(text string, words []string) bool {
	for _, w := range words {
		if strings.HasSuffix(text, w) {
			return true
		}
	}
	return false
}

func begins(text string, words []string) bool {
	for _, w := range words {
		if strings.HasPrefix(text, w) {
			return true
		}
	}
	return false
}

// isTitle says whether the name is only part of what stands in quotation marks, and that is
// no speech: 博主“成都阿蛮”.
func isTitle(before, name, follows string) bool {
	const long = 8 // characters; what is longer is a sentence
	head := before[max(0, len(before)-long*utf8.UTFMax):]
	tail := follows[:min(len(follows), long*utf8.UTFMax)]
	opens, closes := strings.LastIndexAny(head, "“「『"), strings.IndexAny(tail, "”」』")
	if opens < 0 || closes < 0 {
		return false
	}
	_, mark := utf8.DecodeRuneInString(head[opens:])
	inside := head[opens+mark:] + name + tail[:closes]
	said, _ := utf8.DecodeLastRuneInString(head[:opens])
	return inside != name && !strings.ContainsFunc(inside, unicode.IsPunct) && utf8.RuneCountInString(inside) <= long &&
		unicode.IsLetter(said) && !strings.ContainsRune("说道问答喊叫想句写", said)
}

// isClause says whether there is nothing before the name, and after it, in its clause.
func isClause(before, follows string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(follows)
	return (before == "" || !unicode.IsLetter(last) && !unicode.IsDigit(last)) && strings.ContainsRune("，,！!～~", first)
}
