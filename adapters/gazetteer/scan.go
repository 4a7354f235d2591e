package gazetteer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type occurrence struct {
	*name
	whole      string // the text
	start, end int    // position of the name, in bytes
	inTitle    bool
	confirmed  bool // a weak name that means the city
}

// foreignCounts counts mentions of places abroad.
type foreignCounts map[string]int

func (e foreignCounts) most() (most int) {
	for _, count := range e {
		most = max(most, count)
	}
	return most
}

// count counts the name, unless it is probably an adjective.
func (e foreignCounts) count(name, before string) {
	last, _ := utf8.DecodeLastRuneInString(before)
	if !slices.Contains(countries, name) || strings.ContainsRune(destinationPrefixes, last) {
		e[name]++
	}
}

// scan reads the text once, from left to right. A found name or word is skipped as a whole.
func (g *Gazetteer) scan(text string, inTitle bool, abroad foreignCounts) []occurrence {
	found := make([]occurrence, 0, len(text)/64+4) // typical density in diaries
	quoted := 0                                    // nesting depth of 《》
	foreign := -1                                  // end of the last name abroad; -1: none
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
		s := occurrence{name: n, whole: text, start: start, end: i, inTitle: inTitle}
		if n.official || !s.isMisleading() {
			found = append(found, s)
		}
	}
	return found
}

// isPartOf reports whether the text between a name abroad and a second name puts the second
// inside the first: 日本石川县的白山市, 伦敦有家重庆馆子.
func isPartOf(between string) bool {
	const long = 10 // characters
	return len(between) <= long*utf8.UTFMax && utf8.RuneCountInString(between) <= long &&
		!strings.ContainsAny(between, leads) && !strings.ContainsFunc(between, unicode.IsPunct)
}

// isMisleading reports whether the context of a short name gives it another meaning.
func (s occurrence) isMisleading() bool {
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
	case slices.Contains(exclamations, s.text) && isClause(before, follows):
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

func (s occurrence) isCityOrProvince() bool {
	return slices.ContainsFunc(s.places, func(p *division) bool { return p.District == "" })
}

// isLandmark reports whether the short name of a district means a landmark of that name:
// 南京玄武湖, 成都武侯祠.
func (s occurrence) isLandmark() bool {
	if s.official {
		return false
	}
	follows, _ := utf8.DecodeRuneInString(s.whole[s.end:])
	return strings.ContainsRune("湖山寺祠塔楼桥江河海岛门村镇乡", follows)
}

// isNamed reports whether the text before a short name makes it the name of a person, a pet
// or a song.
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
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(text, w) })
}

func begins(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(text, w) })
}

// isTitle reports whether the name is only a part of a quotation that is not speech:
// 博主“成都阿蛮”.
func isTitle(before, name, follows string) bool {
	const long = 8 // characters; longer quotations are sentences
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

// isClause reports whether the name is the whole clause.
func isClause(before, follows string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(follows)
	return (before == "" || !unicode.IsLetter(last) && !unicode.IsDigit(last)) && strings.ContainsRune("，,！!～~", first)
}
