package contract

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/domain/user"
)

var peopleRows = []row{
	{"USR-02 people come in the order asked for, each once, two hundred at most, and unknown uids are left out", peopleAsked, everyStore},
	{"USR-03 the offset is the one now", offsetNow, oneStore},
	{"USR-04 everyone has a portrait of their own in three true sizes", portraits, oneStore},
	{"USR-08 each word of a name finds people of whose names it begins a word, or all of them together do", namesFind, everyStore},
	{"USR-08 a name has one Han or two other characters", shortNames, oneStore},
	{"USR-08 those whom the caller follows come first page by page", followedComeFirst, everyStore},
	{"USR-08 a new name finds at once, and who is disabled or erased is left out", namesChange, everyServer},
}

func (c *client) looksUp(t *testing.T, uids ...any) answer {
	t.Helper()
	return c.post(t, simpleInfo, object{"uid": append([]any{}, uids...)}).is(http.StatusOK)
}

func (s *server) known(t *testing.T, m user.Member) person {
	t.Helper()
	return s.member(t, func(r *signin.Registration) { r.Member = m })
}

func peopleAsked(t *testing.T, s *server) {
	var all []any
	for range 5 {
		all = append(all, s.member(t).id)
	}
	asked := []any{all[3], all[0], 99, all[3], all[4], math.MaxInt64, all[0], 0, all[1], -1, all[4]}
	sameJSON(t, []any{all[3], all[0], all[4], all[1]}, s.anyone().looksUp(t, asked...).each("data", "uid"))
	slices.Reverse(asked)
	sameJSON(t, []any{all[4], all[1], all[0], all[3]}, s.anyone().looksUp(t, asked...).each("data", "uid"))
	for _, nobody := range [][]any{{}, {99}, {0}, {-1, 98, 99}} {
		assert.JSONEq(t, `{"data": []}`, string(s.anyone().looksUp(t, nobody...).body))
	}
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), user.ID(1), true))
	asked = []any{1}
	for i := range 199 {
		asked = append(asked, 1000+i)
	}
	assert.Len(t, s.anyone().looksUp(t, asked...).list("data"), 1, "who can't log in is still somebody")
	s.anyone().post(t, simpleInfo, object{"uid": append(asked, 999)}).invalid("uid")
}

func offsetNow(t *testing.T, s *server) {
	ada, south := s.member(t), s.known(t, user.Member{Firstname: "Ana", Timezone: "America/Santiago"})
	offsets := func() []any { return s.anyone().looksUp(t, ada.id, south.id).each("data", "timezone_utc_offset") }
	assert.Equal(t, []any{"+01:00", "-03:00"}, offsets(), "November")
	s.clock.advance(240 * day)
	assert.Equal(t, []any{"+02:00", "-04:00"}, offsets(), "July")
}

func portraits(t *testing.T, s *server) {
	pictures := map[string]bool{}
	for range 2 {
		p := s.member(t)
		a := s.anyone().looksUp(t, p.id)
		width := 0
		for _, size := range []string{"sm", "md", "lg"} {
			at := "data.0.avatars.sizes." + size
			picture := s.picture(t, a.text(at+".path"))
			drawn, err := png.Decode(bytes.NewReader(picture))
			require.NoError(t, err)
			assert.Equal(t, []int{a.int(at + ".width"), a.int(at + ".height")}, []int{drawn.Bounds().Dx(), drawn.Bounds().Dy()})
			assert.Greater(t, drawn.Bounds().Dx(), width)
			width = drawn.Bounds().Dx()
			assert.False(t, pictures[string(picture)], "nobody else has it")
			pictures[string(picture)] = true
		}
		s.picture(t, a.text("data.0.avatar"))
		s.clock.advance(400 * day)
		sameJSON(t, a.at("data.0.avatars"), s.anyone().looksUp(t, p.id).at("data.0.avatars"), "the address is stable")
	}
}

func (s *server) picture(t *testing.T, address string) []byte {
	t.Helper()
	a := s.anyone().fetches(t, address).is(200)
	assert.Contains(t, []string{"image/png", "image/jpeg"}, a.header.Get("Content-Type"))
	return a.body
}

func (c *client) finds(t *testing.T, name string, more ...string) answer {
	t.Helper()
	return c.get(t, search+"?name="+url.QueryEscape(name)+strings.Join(more, ""))
}

func (s *server) called(t *testing.T, given, family string) person {
	t.Helper()
	return s.known(t, user.Member{Firstname: given, Lastname: family})
}

func namesFind(t *testing.T, s *server) {
	sabela, li, hyphen := s.called(t, "Sabela", "Castro Núñez"), s.called(t, "西", "林"), s.called(t, "Ａnne-Marie", "Straße")
	for name, want := range map[string][]any{
		"sab": {sabela.id}, " sabela\u3000castro ": {sabela.id}, "nunez sab": {sabela.id}, "castronu": {sabela.id}, "Castro, Sabela": {sabela.id},
		"林": {li.id}, "西": {li.id}, "林西": {li.id}, "林 西": {li.id}, "strasse": {hyphen.id}, "ANNE-MARIE S": {hyphen.id}, "marie": {hyphen.id},
		"西林": {}, "abela": {}, "sabela castro x": {}, "sabelacastro": {}, "%%": {}, "s_": {}, "' OR 1=1": {},
	} {
		a := li.finds(t, name).is(200)
		sameJSON(t, want, append([]any{}, a.each("data", "uid")...), name)
		assert.Equal(t, object{"next": nil}, a.at("cursor"))
	}
}

func (p person) unfollows(t *testing.T, whom person) {
	t.Helper()
	id := p.get(t, fmt.Sprintf("%s?followed_user=%d", subscriptions, whom.id)).is(200).int("data.0.id")
	p.delete(t, fmt.Sprintf("%s%d/", subscriptions, id)).is(204)
}

func shortNames(t *testing.T, s *server) {
	ada := s.member(t)
	for _, name := range []string{"", " ", "a", "か", "\u200b\u200b", "a\x00b", "ab\xff", strings.Repeat("x", 101)} {
		ada.finds(t, name).invalid("name")
	}
	ada.get(t, search+"?name=ab&name=cd").invalid("name")
	ada.get(t, search+"?cursor=x&page_size=0").invalid("name", "cursor", "page_size")
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
	first := me.finds(t, "ana", "&page_size=3").is(200)
	sameJSON(t, []any{all[8].id, all[12].id, all[0].id}, first.each("data", "uid"))
	s.called(t, "Ana", "Late")
	me.follows(t, all[0])
	rest := me.finds(t, "ana", "&page_size=3&cursor=", url.QueryEscape(first.text("cursor.next"))).is(200)
	sameJSON(t, []any{all[2].id, all[4].id, all[6].id}, rest.each("data", "uid"), "nobody twice")
}

func namesChange(t *testing.T, s *server) {
	ada, grace := s.called(t, "Ada", "Berg"), s.called(t, "Grace", "Berg")
	berg := func() []any { return grace.finds(t, "berg").is(200).each("data", "uid") }
	sameJSON(t, []any{ada.id, grace.id}, berg())
	ada.patch(t, profile, object{"lastname": "Lovelace"}).is(200)
	sameJSON(t, []any{grace.id}, berg())
	sameJSON(t, []any{ada.id}, grace.finds(t, "ada lovelace").each("data", "uid"))
	for range 2 {
		require.NoError(t, s.app.Signin.SetDisabled(t.Context(), ada.id, true))
		assert.Empty(t, grace.finds(t, "ada").is(200).list("data"))
		require.NoError(t, s.app.Signin.SetDisabled(t.Context(), ada.id, false))
		assert.Len(t, grace.finds(t, "ada").is(200).list("data"), 1)
	}
	s.erases(t, ada)
	assert.Empty(t, grace.finds(t, "ada").is(200).list("data"))
}
