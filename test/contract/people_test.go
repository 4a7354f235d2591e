package contract

import (
	"bytes"
	"image/png"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/domain/user"
)

var peopleRows = []row{
	{"USR-02 people come in the order asked for each once", orderOfPeople, everyStore},
	{"USR-02 unknown uids are left out", unknownPeople, oneStore},
	{"USR-02 two hundred uids at most", tooManyPeople, oneStore},
	{"USR-03 the offset is the one now", offsetNow, oneStore},
	{"USR-04 everyone has a portrait of their own in three true sizes", portraits, oneStore},
	{"USR-05 the profile is simple user info and what is one's own", ownProfile, oneStore},
}

// looksUp asks for the people.
func (c *client) looksUp(t *testing.T, uids ...any) answer {
	t.Helper()
	return c.post(t, simpleInfo, object{"uid": append([]any{}, uids...)}).is(http.StatusOK)
}

// known is a user with the properties.
func (s *server) known(t *testing.T, m user.Member) person {
	t.Helper()
	return s.member(t, func(r *signin.Registration) { r.Member = m })
}

func orderOfPeople(t *testing.T, s *server) {
	var all []any
	for range 5 {
		all = append(all, s.member(t).id)
	}
	asked := []any{all[3], all[0], all[3], all[4], all[0], all[1], all[4]}
	a := s.anyone().looksUp(t, asked...)
	sameJSON(t, []any{all[3], all[0], all[4], all[1]}, a.each("data", "uid"))
	slices.Reverse(asked)
	sameJSON(t, []any{all[4], all[1], all[0], all[3]}, s.anyone().looksUp(t, asked...).each("data", "uid"))
}

func unknownPeople(t *testing.T, s *server) {
	ada := s.member(t)
	a := s.anyone().looksUp(t, 99, ada.id, 0, -1, math.MaxInt64)
	sameJSON(t, []any{ada.id}, a.each("data", "uid"))
	for _, nobody := range [][]any{{}, {99}, {0}, {-1, 98, 99}} {
		assert.JSONEq(t, `{"data": []}`, string(s.anyone().looksUp(t, nobody...).body))
	}
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), ada.id, true))
	assert.Len(t, s.anyone().looksUp(t, ada.id).list("data"), 1, "who can't log in is still somebody")
}

func tooManyPeople(t *testing.T, s *server) {
	ada := s.member(t)
	asked := []any{ada.id}
	for i := range 199 {
		asked = append(asked, 1000+i)
	}
	assert.Len(t, s.anyone().looksUp(t, asked...).list("data"), 1)
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
		var widths []int
		for _, size := range []string{"sm", "md", "lg"} {
			at := "data.0.avatars.sizes." + size
			picture := s.picture(t, a.text(at+".path"))
			drawn, err := png.Decode(bytes.NewReader(picture))
			require.NoError(t, err)
			assert.Equal(t, a.int(at+".width"), drawn.Bounds().Dx())
			assert.Equal(t, a.int(at+".height"), drawn.Bounds().Dy())
			assert.Equal(t, picture, s.picture(t, a.text(at+".path")), "the same each time")
			widths = append(widths, drawn.Bounds().Dx())
			assert.False(t, pictures[string(picture)], "nobody else has it")
			pictures[string(picture)] = true
		}
		assert.True(t, slices.IsSorted(widths) && widths[0] < widths[1] && widths[1] < widths[2], "%v", widths)
		s.picture(t, a.text("data.0.avatar"))
		s.picture(t, a.text("data.0.avatars.path"))
		s.clock.advance(400 * day)
		sameJSON(t, a.at("data.0.avatars"), s.anyone().looksUp(t, p.id).at("data.0.avatars"), "the address is stable")
	}
}

// picture fetches a picture of this server.
func (s *server) picture(t *testing.T, address string) []byte {
	t.Helper()
	path, isOurs := strings.CutPrefix(address, s.url)
	require.True(t, isOurs, address)
	a := s.anyone().get(t, path).is(200)
	assert.Contains(t, []string{"image/png", "image/jpeg"}, a.header.Get("Content-Type"))
	return a.body
}

// ownFields are those of the caller's own profile beside infoFields.
var ownFields = []string{"phone", "scopes", "is_staff", "date_joined", "unread_count", "bio"}

func ownProfile(t *testing.T, s *server) {
	ada := s.member(t)
	a := ada.get(t, profile).is(200)
	a.hasFields("data", append(ownFields, infoFields...))
	a.shows(object{"uid": ada.id, "phone": ada.phone, "is_staff": false, "date_joined": "2026-11-20T12:00:00.000000Z"})
	info, isObject := s.anyone().looksUp(t, ada.id).at("data.0").(object)
	require.True(t, isObject)
	for field, value := range info {
		assert.Equal(t, value, a.at("data."+field), field)
	}
	s.clock.advance(time.Hour)
	staff := s.member(t, func(r *signin.Registration) { r.Staff, r.Scopes = true, []string{"writing_bundle"} })
	staff.get(t, profile).is(200).shows(object{
		"is_staff": true, "scopes": []string{"writing_bundle", "back_office"}, "date_joined": "2026-11-20T13:00:00.000000Z",
	})
}
