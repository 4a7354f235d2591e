package contract

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/user"
)

var searchRows = []row{
	{"USR-08 each word of a name finds people of whose names it begins a word, or all of them together do", namesFind, everyStore},
	{"USR-08 people are found as they are called and shown", peopleAreCalled, everyStore},
	{"USR-08 nobody comes twice or not at all who is followed or no longer meanwhile", followedMeanwhile, everyStore},
	{"USR-08 a name has one Han or two other characters", shortNames, oneStore},
	{"USR-08 those whom the caller follows come first page by page", followedComeFirst, everyStore},
	{"USR-08 a new name finds at once, and who is disabled or erased is left out", namesChange, everyServer},
}

// finds searches for people.
func (c *client) finds(t *testing.T, name string, more ...string) answer {
	t.Helper()
	return c.get(t, search+"?name="+url.QueryEscape(name)+strings.Join(more, ""))
}

// called is a member with the name.
func (s *server) called(t *testing.T, given, family string) person {
	t.Helper()
	return s.known(t, user.Member{Firstname: given, Lastname: family})
}

func namesFind(t *testing.T, s *server) {
	sabela, li, hyphen := s.called(t, "Sabela", "Castro Núñez"), s.called(t, "西", "林"), s.called(t, "Ａnne-Marie", "Straße")
	for name, want := range map[string][]any{
		"sab": {sabela.id}, "CASTRO": {sabela.id}, " sabela\u3000castro ": {sabela.id}, "castro nu\u0301ñez": {sabela.id},
		"Sabela Castro N": {sabela.id},
		"ＳＡＢＥＬＡ":          {sabela.id}, "林": {li.id}, "西": {li.id}, "林西": {li.id}, "anne": {hyphen.id}, "strasse": {hyphen.id},
		"ANNE-MARIE S": {hyphen.id},
		"núñez":        {sabela.id}, "nunez sab": {sabela.id}, "castronu": {sabela.id}, "Castro, Sabela": {sabela.id}, "marie": {hyphen.id},
		"林 西": {li.id}, "西林": {},
		"abela": {}, "sabela castro x": {}, "sabelacastro": {}, "林西西": {}, "%%": {}, "s_": {}, "' OR 1=1": {},
		"Sabela Castro Núñez Sabela Castro": {sabela.id},
	} {
		a := li.finds(t, name).is(200)
		sameJSON(t, want, append([]any{}, a.each("data", "uid")...), name)
		assert.Equal(t, object{"next": nil}, a.at("cursor"))
	}
	li.finds(t, "林").hasFields("data.0", infoFields)
	s.anyone().finds(t, "林").fails(401, "NOT_AUTHENTICATED")
}

func peopleAreCalled(t *testing.T, s *server) {
	me := s.called(t, "Zzz", "Zzz")
	for _, of := range []struct {
		given, family, shown string
		called, not          []string
	}{
		{"予安", "沈", "沈予安", []string{"沈予安", "沈 予安", "沈\u3000予安", "予安 沈", "予安", "沈 予"}, []string{"安", "予安沈", "沈安"}},
		{"太郎", "𠮷田", "𠮷田太郎", []string{"𠮷田 太郎", "𠮷田\u3000太郎", "𠮷田太"}, nil},
		{"민수", "김", "김민수", []string{"김 민수", "김민수", "민수"}, []string{"수김"}},
		{"Anna", "王", "Anna 王", []string{"王 anna", "anna 王", "王anna"}, nil},
		{"城", "葛\U000e0100城", "葛\U000e0100城城", []string{"葛城", "葛\U000e0100城", "葛\U000e0101城城"}, nil},
		{"A\u200dB", "Cd", "A\u200dB Cd", []string{"ab", "a\u2060b c"}, nil},
		{"محمّد", "العربي", "محمّد العربي", []string{"محمد", "مُحمد", "محـمد"}, nil},
		{"Gabriel José", "García Márquez", "Gabriel José García Márquez",
			[]string{"Gabriel García", "José", "Márquez", "Gabriel Márquez", "García Gabriel", "García, Gabriel", "jose garcia", "mar gar jos gab",
				"garciamarquez g"},
			[]string{"Gabriel Garciam", "gabrieljose", "Gabriel Pérez", "osé"}},
		{"Jean-Luc", "van der Berg", "Jean-Luc van der Berg", []string{"luc", "berg", "jean luc", "luc-jean", "der berg", "vanderb"},
			[]string{"jeanluc"}},
		{"Inés", "Müller", "Inés Müller", []string{"ines", "INES MULLER", "Inés Müller", "Ine\u0301s"}, []string{"inés mv"}},
		{"Ꭰꭰ", "Qq", "Ꭰꭰ Qq", []string{"ꭰꭰ", "ᎠᎠ", "Ꭰꭰ"}, nil},
		{"O’Brien", "Pat", "O’Brien Pat", []string{"o'brien", "brien", "O’Brien", "pat o brien"}, nil},
		{"J. R.", "Tolkien", "J. R. Tolkien", []string{"j r", "J.R. Tolkien", "r j"}, []string{"j q"}},
	} {
		who := s.called(t, of.given, of.family)
		assert.Equal(t, of.shown, who.get(t, profile).text("data.username"))
		for _, name := range of.called {
			sameJSON(t, []any{who.id}, me.finds(t, name).is(200).each("data", "uid"), name)
		}
		for _, name := range of.not {
			assert.Empty(t, me.finds(t, name).is(200).list("data"), name)
		}
		s.erases(t, who)
	}
}

func (p person) unfollows(t *testing.T, whom person) {
	t.Helper()
	id := p.get(t, fmt.Sprintf("%s?followed_user=%d", subscriptions, whom.id)).is(200).int("data.0.id")
	p.delete(t, fmt.Sprintf("%s%d/", subscriptions, id)).is(204)
}

func followedMeanwhile(t *testing.T, s *server) {
	all, me := make([]person, 10), s.called(t, "Reader", "")
	for i := range all {
		all[i] = s.called(t, "Zebra", "")
	}
	for _, i := range []int{1, 4, 6} {
		me.follows(t, all[i])
	}
	var found []any
	next, turn := "&page_size=2", 0
	for next != "" {
		a := me.finds(t, "zebra", next).is(200)
		found = append(found, a.each("data", "uid")...)
		cursor, more := a.at("cursor.next").(string)
		if next = ""; more {
			next = "&page_size=2&cursor=" + url.QueryEscape(cursor)
		}
		switch turn++; turn {
		case 1: // 1 and 4 were shown: one that was, one that is followed still to come, and one before it
			me.unfollows(t, all[1])
			me.follows(t, all[0])
			me.follows(t, all[7])
		case 2: // 6 and 7 were shown
			me.unfollows(t, all[6])
			me.follows(t, all[5])
		case 3: // 0 and 2 were shown
			me.follows(t, all[2])
			me.follows(t, all[9])
			me.unfollows(t, all[4])
		}
	}
	var want []any
	for _, i := range []int{1, 4, 6, 7, 0, 2, 3, 5, 8, 9} {
		want = append(want, all[i].id)
	}
	sameJSON(t, want, found)
}

func shortNames(t *testing.T, s *server) {
	ada := s.member(t)
	for _, name := range []string{"", " ", "a", " é ", "か", "\u200b\u200b", "a\x00b", "ab\xff", strings.Repeat("x", 65)} {
		ada.finds(t, name).invalid("name")
	}
	ada.get(t, search+"?name=ab&name=cd").invalid("name")
	ada.get(t, search+"?cursor=x&page_size=0").invalid("name", "cursor", "page_size")
	ofTimeline := "dAAAAAAAAAABAAAAAAAAAAE"
	ada.get(t, timeline+"?cursor="+ofTimeline).is(200)
	ada.finds(t, "ab", "&cursor=", ofTimeline).invalid("cursor")
	ada.finds(t, strings.Repeat("王", 64)).is(200)
}

func followedComeFirst(t *testing.T, s *server) {
	var all []person
	for range 7 {
		all = append(all, s.called(t, "Ana", "Gil"), s.called(t, "Other", "Person"))
	}
	me := all[4]
	me.follows(t, all[12])
	befriend(t, me, all[8])
	me.follows(t, all[1]) // of another name
	all[2].follows(t, me)
	want := []any{all[8].id, all[12].id, all[0].id, all[2].id, all[4].id, all[6].id, all[10].id}
	for _, size := range []string{"1", "2", "3", "100"} {
		for _, name := range []string{"an", "gil", "ana gil"} {
			var found []any
			for next := "&page_size=" + size; next != ""; {
				a := me.finds(t, name, next).is(200)
				found = append(found, a.each("data", "uid")...)
				cursor, more := a.at("cursor.next").(string)
				if next = ""; more {
					next = "&page_size=" + size + "&cursor=" + url.QueryEscape(cursor)
				}
			}
			sameJSON(t, want, found)
		}
	}
	last := me.finds(t, "ana", "&page_size=3").text("cursor.next")
	s.called(t, "Ana", "Late")
	me.follows(t, all[0])
	sameJSON(t, []any{all[2].id, all[4].id}, me.finds(t, "ana", "&page_size=2&cursor=", last).each("data", "uid"), "nobody twice")
}

func namesChange(t *testing.T, s *server) {
	ada, grace := s.called(t, "Ada", "Berg"), s.called(t, "Grace", "Berg")
	berg := func() []any { return grace.finds(t, "berg").is(200).each("data", "uid") }
	sameJSON(t, []any{ada.id, grace.id}, berg())
	ada.patch(t, profile, object{"lastname": "Lovelace"}).is(200)
	sameJSON(t, []any{grace.id}, berg())
	for _, name := range []string{"ada", "ada lovelace", "lovelacea", "lo"} {
		sameJSON(t, []any{ada.id}, grace.finds(t, name).each("data", "uid"))
	}
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), ada.id, true))
	assert.Empty(t, grace.finds(t, "ada").is(200).list("data"))
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), ada.id, false))
	assert.Len(t, grace.finds(t, "ada").is(200).list("data"), 1)
	s.erases(t, ada)
	assert.Empty(t, grace.finds(t, "ada").is(200).list("data"))
	sameJSON(t, []any{grace.id}, berg())
}
