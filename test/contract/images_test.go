package contract

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/publication"
)

var imageRows = []row{
	{"IMG-01 golden image", goldenImage, oneStore},
	{"IMG-01 IMG-03 tags are required, and judged wherever they are sent", tagsJudged, oneStore},
	{"IMG-04 IMG-05 GEN-04 images with all of the tags or any of them, in a list that may be repeated", imagesByTags, everyStore},
	{"GEN-03 IMG-06 the list is whole unless a page is asked for", wholeOrPaged, oneStore},
	{"IMG-07 an image comes as base64 or data URI or form", imageUploads, oneStore},
	{"IMG-07 what is no picture is refused", noPictures, oneStore},
	{"GEN-12 feed items and categories and images are revalidated", revalidation, everyStore},
	{"GEN-12 other answers have no tag", notRevalidated, oneStore},
	{"GEN-09 GEN-12 answers are compressed for those who ask and keys and pictures are not", compressed, oneStore},
}

const images = "/api/user/user-image/"

func imagePath(id int) string { return fmt.Sprintf("%s%d/", images, id) }

// keeps adds an image with the tags and returns its number.
func (p person) keeps(t *testing.T, tags ...string) int {
	t.Helper()
	return p.post(t, images, object{"img": aPNG(t), "tags": append([]string{}, tags...)}).is(201).int("data.id")
}

func goldenImage(t *testing.T, s *server) {
	ada := s.member(t)
	known := facts{"<ada>": ada.id}
	id := ada.keeps(t)
	ada.patch(t, imagePath(id), object{"tags": []string{"lake", "雾"}}).is(200).golden("image", known)
	made := ada.post(t, images, object{"img": aPNG(t), "tags": []string{"lake", "雾"}}).is(201)
	for _, wrapped := range []any{made.at("data"), s.anyone().get(t, imagesOf(ada)).is(200).at("data.1")} {
		answer{t: t, body: []byte(marshalled(t, wrapped))}.golden("image", known)
	}
}

func tagsJudged(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.keeps(t)
	sent, kept := []string{" b ", "a", "b"}, []string{"b", "a"}
	sameJSON(t, kept, ada.patch(t, imagePath(id), object{"tags": sent}).is(200).at("tags"))
	sameJSON(t, kept, ada.post(t, images, object{"img": aPNG(t), "tags": sent}).is(201).at("data.tags"))
	for _, body := range []object{{}, {"tags": []string{}}, {"tags": nil}, {"tags": "lake"}, {"tags": []any{"tea", 5}}} {
		ada.patch(t, imagePath(id), body).invalid("tags")
	}
	no := []string{"tea", "a,b"}
	ada.patch(t, imagePath(id), object{"tags": no}).invalid("tags")
	ada.post(t, images, object{"img": aPNG(t), "tags": no}).invalid("tags")
	ada.post(t, images, object{"tags": no}).invalid("tags", "img")
	assert.Len(t, s.anyone().get(t, imagesOf(ada)).is(200).list("data"), 2)
}

func imagesByTags(t *testing.T, s *server) {
	ada := s.member(t)
	lake := ada.keeps(t, "lake")
	both := ada.keeps(t, "lake", "tea")
	mist := ada.keeps(t, "雾 mist")
	for _, c := range []struct {
		contains, overlap string
		want              []int
	}{
		{"lake", "", []int{both, lake}}, {"tea, lake ,tea", "", []int{both}}, {"", "other,雾 mist", []int{mist}},
		{"lake", "tea,other", []int{both}}, {" ", ",", []int{mist, both, lake}}, {",lake,", " , ", []int{both, lake}},
	} {
		q := url.Values{"tags__contains": {c.contains}, "tags__overlap": {c.overlap}}.Encode()
		assert.Equal(t, words(c.want...), s.anyone().get(t, imagesOf(ada)+"&"+q).is(200).column("data", "id"), q)
	}
	for _, q := range []string{"tags__contains=lake&tags__contains=tea", "tags__contains=lake,&tags__contains=%20,tea",
		"tags__contains=&tags__contains=lake,tea"} {
		assert.Equal(t, words(both), s.anyone().get(t, imagesOf(ada)+"&"+q).is(200).column("data", "id"), q)
	}
	assert.Len(t, s.anyone().get(t, imagesOf(ada)+fmt.Sprintf("&uid=%d&uid=%%20&page=1&page=1", ada.id)).is(200).list("data"), 3)
	s.anyone().get(t, imagesOf(ada)+"&uid=99999&page=1&page=2&page_size=5&page_size=x").invalid("uid", "page", "page_size")
}

func wholeOrPaged(t *testing.T, s *server) {
	ada := s.member(t)
	for range 23 {
		ada.keeps(t)
	}
	whole := s.anyone().get(t, imagesOf(ada)+"&page=&page_size=%20").is(200)
	assert.Len(t, whole.list("data"), 23)
	assert.False(t, whole.has("pagination"))
	for query, want := range map[string]object{"&page=2": pagination(20, 23, 2, 2, nil, 1), "&page_size=5": pagination(5, 23, 5, 1, 2, nil)} {
		a := s.anyone().get(t, imagesOf(ada)+query).is(200)
		assert.Equal(t, []string{"data", "pagination"}, a.names())
		sameJSON(t, want, a.at("pagination"), query)
	}
}

func inBase64(head string, picture []byte) string {
	return head + base64.StdEncoding.EncodeToString(picture)
}

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
		a.is(201).shows(object{
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
	for _, no := range []any{nil, "not base64!", 5, object{}, "data:image/png,abc", "http://127.0.0.1/x.png"} {
		ada.post(t, images, object{"img": no}).invalid("img")
	}
	ada.post(t, images, object{"tags": 5}).invalid("img", "tags")
	ada.sends(t, images, form{field: "photo", file: aPNG(t)}).invalid("img")
	ada.saying("Content-Type", "image/png").post(t, images, aPNG(t)).fails(415, "UNSUPPORTED_MEDIA_TYPE")
	assert.Empty(t, s.anyone().get(t, imagesOf(ada)).is(200).list("data"))
}

func revalidation(t *testing.T, s *server) {
	ada := s.member(t)
	s.shelve(t, 4, "Walks")
	s.storesItem(t, ada, 1, 4)
	ada.keeps(t, "a")
	for path, change := range map[string]func(){
		categories + "?type=node": func() { s.storesNode(t, ada, 3, 4) },
		itemsOf(4):                func() { s.storesNode(t, ada, 4, 4) },
		itemsOf("uncategory"):     func() { s.storesNode(t, ada, 6, 0) },
		cardOf("node", 1):         func() { s.storesNode(t, ada, 1, 4, func(n *publication.Node) { n.Title = "Another" }) },
		imagesOf(ada):             func() { ada.keeps(t, "b") },
		imagesOf(ada) + "&page=1": func() { ada.keeps(t, "c") },
	} {
		first := s.anyone().get(t, path).is(200)
		tag := first.header.Get("ETag")
		require.Regexp(t, `^(W/)?"[^"]+"$`, tag, path)
		for _, known := range []string{tag, "*", "W/" + tag, ` "y" ,` + tag + ` , "z"`} {
			unchanged := s.anyone().saying("If-None-Match", known).get(t, path).is(304)
			assert.Empty(t, unchanged.body)
			assert.Equal(t, tag, unchanged.header.Get("ETag"))
			revalidated(t, unchanged)
		}
		again := s.anyone().saying("If-None-Match", `"x"`).get(t, path).is(200)
		assert.Equal(t, first.body, again.body)
		revalidated(t, again)
		s.anyone().saying("If-None-Match", tag).send(t, "HEAD", path, nil).is(304)
		twice := s.anyone().saying("If-None-Match", `"x"`)
		twice.header.Add("If-None-Match", tag)
		twice.get(t, path).is(304)
		revalidated(t, ada.get(t, path).is(200))
		change()
		changed := s.anyone().saying("If-None-Match", tag).get(t, path).is(200)
		assert.NotEqual(t, tag, changed.header.Get("ETag"), path)
		assert.NotEqual(t, first.body, changed.body, path)
	}
	s.anyone().saying("If-None-Match", "*").get(t, itemsOf(99)).fails(404, "RESOURCE_NOT_FOUND")
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

func compressed(t *testing.T, s *server) {
	ada := s.member(t)
	for range 4 {
		ada.keeps(t, strings.Repeat("a", 60), strings.Repeat("b", 60), strings.Repeat("c", 60))
	}
	ada.writes(t, object{"title": "x", "content": strings.Repeat("A walk by the lake. ", 100), "publish": true})
	for path, isTagged := range map[string]bool{imagesOf(ada): true, reference: true, events: false} {
		plain := ada.saying("Accept-Encoding", "identity").get(t, path).is(200)
		assert.Empty(t, plain.header.Get("Content-Encoding"), path)
		for accepted, coding := range map[string]string{"gzip": "gzip", "gzip, deflate, br, zstd": "zstd"} {
			asking := ada.saying("Accept-Encoding", accepted)
			a := asking.get(t, path).is(200)
			assert.Equal(t, coding, a.header.Get("Content-Encoding"), path)
			assert.Equal(t, string(plain.body), string(a.body), path)
			assert.Contains(t, strings.Join(a.header.Values("Vary"), ","), "Accept-Encoding", path)
			head := asking.send(t, http.MethodHead, path, nil).is(200)
			for _, name := range []string{"Content-Encoding", "Content-Length", "Content-Type", "ETag", "Vary", "Cache-Control"} {
				assert.Equal(t, a.header.Values(name), head.header.Values(name), "HEAD %s: %s", path, name)
			}
			tag := a.header.Get("ETag")
			assert.Equal(t, isTagged, tag != "", path)
			if isTagged {
				assert.NotEqual(t, plain.header.Get("ETag"), tag, path)
				assert.Equal(t, tag, asking.saying("If-None-Match", tag).get(t, path).is(304).header.Get("ETag"))
			}
		}
	}
	asking := s.anyone().saying("Accept-Encoding", "gzip, zstd")
	image := asking.get(t, imagesOf(ada)).is(200).text("data.0.img")
	for name, a := range map[string]answer{
		"a key":     asking.post(t, login, object{"username": ada.phone, "password": password}).is(200),
		"a picture": asking.get(t, strings.TrimPrefix(image, s.url)).is(200),
	} {
		assert.Empty(t, a.header.Get("Content-Encoding"), name)
		assert.NotContains(t, a.header.Get("Vary"), "Accept-Encoding", name)
	}
}
