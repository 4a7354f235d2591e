package contract

import (
	"encoding/base64"
	"encoding/json"
	"plaza/domain/userimage"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// marshalled is the value as JSON.
func marshalled(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return string(raw)
}

func imageUploads(t *testing.T, s *server) {
	ada := s.member(t)
	picture := aPNG(t)
	for name, a := range map[string]answer{
		"base64":        ada.post(t, images, object{"img": picture, "tags": []string{"a", "b"}}),
		"white space":   ada.post(t, images, object{"img": " " + inBase64("", picture) + "\n", "tags": []string{" a", "b "}}),
		"data URI":      ada.post(t, images, object{"img": inBase64("data:image/png;base64,", picture), "tags": []string{"a", "b"}}),
		"another type":  ada.post(t, images, object{"img": inBase64("data:text/plain;base64,", picture), "tags": []string{"a", "b"}}),
		"for URLs":      ada.post(t, images, object{"img": base64.RawURLEncoding.EncodeToString(picture), "tags": []string{"a", "b"}}),
		"DATA URI":      ada.post(t, images, object{"img": inBase64("DATA:image/png;base64,", picture), "tags": []string{"a", "b"}}),
		"form":          ada.sends(t, images, form{[][2]string{{"tags", "a"}, {"tags", "b"}}, "img", picture}),
		"form and more": ada.sends(t, images, form{[][2]string{{"tags", "a"}, {"x", "y"}, {"tags", " b"}, {"tags", "a"}}, "img", picture}),
	} {
		a.is(201).hasFields("data", imageFields)
		a.shows(object{
			"user": ada.id, "img_width": 30, "img_height": 20, "tags": []string{"a", "b"},
			"create_time": "2026-11-20T12:00:00.000000Z", "delete_time": nil,
		})
		address := a.text("data.img")
		shown := s.anyone().fetches(t, address).is(200)
		assert.Equal(t, "image/png", shown.header.Get("Content-Type"), name)
		assert.NotEmpty(t, shown.body)
		assert.Contains(t, address, s.url+"/media/public/")
		assert.NotContains(t, address, "?", "good for ever")
		assert.Regexp(t, `\bpublic\b.*\bimmutable\b`, shown.header.Get("Cache-Control"))
		assert.Equal(t, "nosniff", shown.header.Get("X-Content-Type-Options"))
	}
	sameJSON(t, []any{}, ada.post(t, images, object{"img": picture}).is(201).at("data.tags"))
	sameJSON(t, []any{}, ada.sends(t, images, form{field: "img", file: picture}).is(201).at("data.tags"))
}

func noPictures(t *testing.T, s *server) {
	ada := s.member(t)
	for _, no := range []any{nil, "not base64!", 5, object{}, "data:image/png,abc", "http://127.0.0.1/x.png", "file:///etc/passwd"} {
		ada.post(t, images, object{"img": no}).invalid("img")
	}
	ada.post(t, images, object{}).invalid("img")
	ada.post(t, images, object{"img": 5, "tags": 5}).invalid("img", "tags")
	ada.sends(t, images, form{field: "img", file: []byte("%PDF-1.7\n")}).invalid("img")
	ada.sends(t, images, form{}).invalid("img")
	ada.sends(t, images, form{texts: [][2]string{{"img", inBase64("", aPNG(t))}}}).invalid("img")
	ada.sends(t, images, form{[][2]string{{"tags", "a,b"}}, "img", aPNG(t)}).invalid("tags")
	ada.sends(t, images, form{[][2]string{{"tags", "\xff"}}, "img", aPNG(t)}).is(400)
	ada.sends(t, images, form{field: "photo", file: aPNG(t)}).invalid("img")
	ada.saying("Content-Type", "multipart/form-data").post(t, images, "x").invalid("non_field_errors")
	ada.saying("Content-Type", "multipart/form-data; boundary=x").post(t, images, "--y\r\n").invalid("non_field_errors")
	ada.saying("Content-Type", "image/png").post(t, images, aPNG(t)).fails(415, "UNSUPPORTED_MEDIA_TYPE")
	assert.Empty(t, s.anyone().get(t, imagesOf(ada)).is(200).list("data"))
}

func imageDeleted(t *testing.T, s *server) {
	ada := s.member(t)
	made := ada.post(t, images, object{"img": aPNG(t)}).is(201)
	id, address := made.int("data.id"), made.text("data.img")
	kept := ada.keeps(t)
	assert.Empty(t, ada.delete(t, imagePath(id)).is(204).body)
	s.anyone().fetches(t, address).fails(404, "RESOURCE_NOT_FOUND")
	assert.Equal(t, words(kept), s.anyone().get(t, imagesOf(ada)).is(200).column("data", "id"))
	stored, err := s.app.Stores.Images.Get(t.Context(), userimage.ID(id))
	require.NoError(t, err)
	assert.False(t, stored.Deleted.IsZero(), "the row stays")
}

func revalidation(t *testing.T, s *server) {
	ada := s.member(t)
	s.shelve(t, 4, "Walks")
	s.storesItem(t, ada, 1, 4)
	ada.keeps(t, "a")
	for path, change := range map[string]func(){
		categories:                func() { s.storesNode(t, ada, 2, 4) },
		categories + "?type=node": func() { s.storesNode(t, ada, 3, 4) },
		itemsOf(4):                func() { s.storesNode(t, ada, 4, 4) },
		itemsOf(4) + "?page=1":    func() { s.storesNode(t, ada, 5, 4) },
		itemsOf("uncategory"):     func() { s.storesNode(t, ada, 6, 0) },
		imagesOf(ada):             func() { ada.keeps(t, "b") },
		imagesOf(ada) + "&page=1": func() { ada.keeps(t, "c") },
	} {
		first := s.anyone().get(t, path).is(200)
		tag := first.header.Get("ETag")
		require.Regexp(t, `^(W/)?"[^"]+"$`, tag, path)
		for _, known := range []string{tag, "*", `"x", ` + tag, "W/" + tag, ` "y" ,` + tag + ` , "z"`} {
			unchanged := s.anyone().saying("If-None-Match", known).get(t, path).is(304)
			assert.Empty(t, unchanged.body)
			assert.Equal(t, tag, unchanged.header.Get("ETag"))
			revalidated(t, unchanged)
		}
		for _, other := range []string{`"x"`, "", strings.Trim(tag, `"`), `"x", "y"`} {
			again := s.anyone().saying("If-None-Match", other).get(t, path).is(200)
			assert.Equal(t, first.body, again.body)
			revalidated(t, again)
		}
		s.anyone().saying("If-None-Match", tag).send(t, "HEAD", path, nil).is(304)
		revalidated(t, ada.get(t, path).is(200))
		change()
		changed := s.anyone().saying("If-None-Match", tag).get(t, path).is(200)
		assert.NotEqual(t, tag, changed.header.Get("ETag"), path)
		assert.NotEqual(t, first.body, changed.body, path)
	}
	s.anyone().saying("If-None-Match", "*").get(t, itemsOf(99)).fails(404, "RESOURCE_NOT_FOUND")
	s.anyone().saying("If-None-Match", "*").get(t, images).invalid("uid")
}

// revalidated asserts that caches must ask again, and for whom they may keep it.
func revalidated(t *testing.T, a answer) {
	t.Helper()
	assert.Equal(t, "no-cache", a.header.Get("Cache-Control"))
	var varies []string
	for _, line := range a.header.Values("Vary") {
		for name := range strings.SplitSeq(line, ",") {
			varies = append(varies, strings.ToLower(strings.TrimSpace(name)))
		}
	}
	assert.ElementsMatch(t, []string{"authorization", "accept-encoding", "x-language-locale"}, varies)
}

func notRevalidated(t *testing.T, s *server) {
	ada := s.member(t)
	staff := s.staff(t)
	for path, c := range map[string]*client{publications: ada.client, importedHowTos: staff.client, profile: ada.client, events: ada.client} {
		a := c.saying("If-None-Match", "*").get(t, path).is(200)
		assert.Equal(t, "private, no-store", a.header.Get("Cache-Control"), path)
		assert.Empty(t, a.header.Get("ETag"), path)
	}
	refused := s.with("x").get(t, categories).is(401)
	assert.Empty(t, refused.header.Get("ETag"))
}
