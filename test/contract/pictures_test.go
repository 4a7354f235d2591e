package contract

import (
	"bytes"
	"fmt"
	"image"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var pictureRows = []row{
	{"USR-04 an avatar of one's own in all three sizes", ownAvatar, oneStore},
	{"USR-04 what is no avatar is refused", noAvatar, oneStore},
	{"USR-04 an avatar is taken away again", avatarTakenAway, everyServer},
	{"USR-04 an avatar is seen wherever its person is", avatarEverywhere, oneStore},
}

const avatars = "/api/user/avatar/"

func ownAvatar(t *testing.T, s *server) {
	ada := s.member(t)
	before := ada.get(t, profile).is(200).text("data.avatar")
	raw := inPNG(t, drawing(900, 600))
	sent := []answer{
		ada.send(t, "PUT", avatars, object{"avatar": raw}).is(200),
		ada.send(t, "PUT", avatars, object{"avatar": inBase64("data:image/png;base64,", raw)}).is(200),
		ada.sendsTo(t, "PUT", avatars, form{field: "avatar", file: raw}).is(200),
	}
	for _, a := range sent {
		assert.NotEqual(t, before, a.text("data.avatar"))
		before = a.text("data.avatar")
		assert.Equal(t, before, a.text("data.avatars.path"))
	}
	last := sent[2]
	for name, want := range map[string]image.Point{"sm": {X: 96, Y: 64}, "md": {X: 256, Y: 171}, "lg": {X: 640, Y: 427}} {
		size := "data.avatars.sizes." + name
		assert.Equal(t, want, image.Pt(last.int(size+".width"), last.int(size+".height")), name)
		drawn, _, err := image.Decode(bytes.NewReader(s.picture(t, last.text(size+".path"))))
		require.NoError(t, err)
		assert.Equal(t, want, drawn.Bounds().Size(), name)
	}
	for _, former := range sent[:2] {
		for _, path := range []string{"data.avatar", "data.avatars.sizes.sm.path", "data.avatars.sizes.lg.path"} {
			s.anyone().fetches(t, former.text(path)).fails(404, "RESOURCE_NOT_FOUND")
		}
	}
}

func noAvatar(t *testing.T, s *server) {
	ada := s.member(t)
	before := ada.get(t, profile).is(200).text("data.avatar")
	for _, no := range []any{nil, 5, "not base64!"} {
		ada.send(t, "PUT", avatars, object{"avatar": no}).invalid("avatar")
	}
	ada.send(t, "PUT", avatars, object{}).invalid("avatar")
	ada.saying("Content-Type", "image/png").send(t, "PUT", avatars, aPNG(t)).fails(415, "UNSUPPORTED_MEDIA_TYPE")
	assert.Equal(t, before, ada.get(t, profile).is(200).text("data.avatar"))
}

func avatarTakenAway(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	generated := ada.get(t, profile).is(200)
	assert.Empty(t, ada.delete(t, avatars).is(204).body, "of one who has none")
	own := ada.send(t, "PUT", avatars, object{"avatar": inPNG(t, drawing(900, 600))}).is(200)
	bobs := bob.send(t, "PUT", avatars, object{"avatar": aPNG(t)}).is(200)
	s.anyone().delete(t, avatars).is(401)
	for range 2 {
		assert.Empty(t, ada.delete(t, avatars).is(204).body)
		assert.Equal(t, generated.at("data"), ada.get(t, profile).is(200).at("data"))
		for _, size := range []string{"sm", "md", "lg"} {
			s.picture(t, generated.text("data.avatars.sizes."+size+".path"))
			s.anyone().fetches(t, own.text("data.avatars.sizes."+size+".path")).fails(404, "RESOURCE_NOT_FOUND")
		}
	}
	s.picture(t, bobs.text("data.avatar"))
	assert.NotEqual(t, generated.text("data.avatar"), ada.send(t, "PUT", avatars, object{"avatar": aPNG(t)}).is(200).text("data.avatar"))
}

func avatarEverywhere(t *testing.T, s *server) {
	ada := s.member(t)
	event := ada.writes(t, object{"title": "x", "publish": true}).int("data.id")
	ada.post(t, comments, object{"event": event, "content": "y"}).is(201)
	own := ada.send(t, "PUT", avatars, object{"avatar": inPNG(t, drawing(900, 600))}).is(200)
	seen := map[string]answer{
		"data.0.avatar":               s.anyone().post(t, simpleInfo, object{"uid": []any{ada.id}}).is(200),
		"data.avatar":                 ada.get(t, profile).is(200),
		"data.user.avatar":            ada.get(t, fmt.Sprintf("%s%d/", events, event)).is(200),
		"data.comments.0.user.avatar": ada.get(t, fmt.Sprintf("%s%d/", events, event)).is(200),
	}
	for path, a := range seen {
		assert.Equal(t, own.text("data.avatar"), a.text(path), path)
	}
}
