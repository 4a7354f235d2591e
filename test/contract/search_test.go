package contract

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/user"
)

var searchRows = []row{
	{"USR-08 a name finds people by the beginning of their given family or full name", namesFind, everyStore},
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
		"sab": {sabela.id}, "CASTRO": {sabela.id}, " sabela\u3000castro ": {sabela.id}, "castro nu\u0301ñez": {sabela.id}, "Sabela Castro N": {sabela.id},
		"ＳＡＢＥＬＡ": {sabela.id}, "林": {li.id}, "西": {li.id}, "林西": {li.id}, "anne": {hyphen.id}, "strasse": {hyphen.id}, "ANNE-MARIE S": {hyphen.id},
		"abela": {}, "núñez": {}, "sabela castro x": {}, "林西西": {}, "%%": {}, "s_": {}, "' OR 1=1": {}, "Sabela Castro Núñez Sabela Castro": {},
	} {
		a := li.finds(t, name).is(200)
		sameJSON(t, want, append([]any{}, a.each("data", "uid")...), name)
		assert.Equal(t, object{"next": nil}, a.at("cursor"))
	}
	li.finds(t, "林").hasFields("data.0", infoFields)
	s.anyone().finds(t, "林").fails(401, "NOT_AUTHENTICATED")
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
