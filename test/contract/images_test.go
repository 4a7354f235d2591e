package contract

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/userimage"
)

var imageRows = []row{
	{"IMG-01 the whole list of tags is replaced", tagsReplaced, oneStore},
	{"IMG-01 tags are required and not empty", tagsRequired, oneStore},
	{"IMG-01 golden image", goldenImage, oneStore},
	{"IMG-02 key then image then body", orderOfImageChecks, oneStore},
	{"IMG-03 tags are judged wherever they are sent", tagsJudged, oneStore},
	{"IMG-04 somebody's images with the newest first", imagesListed, everyStore},
	{"IMG-04 the uid is required", uidRequired, oneStore},
	{"IMG-05 images with all of the tags or any of them", imagesByTags, oneStore},
	{"GEN-04 a list may be repeated and a single value may not", keywordsRepeated, oneStore},
	{"IMG-05 no more tags are looked for than an image may have", tooManyKeywords, oneStore},
	{"IMG-06 the list is whole unless a page is asked for", wholeOrPaged, oneStore},
	{"IMG-07 an image comes as base64 or data URI or form", imageUploads, oneStore},
	{"IMG-07 what is no picture is refused", noPictures, oneStore},
	{"IMG-07 an image is deleted with its file", imageDeleted, everyStore},
	{"GEN-12 feed items and categories and images are revalidated", revalidation, everyStore},
	{"GEN-12 other answers have no tag", notRevalidated, oneStore},
	{"GEN-12 answers are compressed for those who ask and keys and pictures are not", compressed, oneStore},
}

const images = "/api/user/user-image/"

func imagePath(id int) string { return fmt.Sprintf("%s%d/", images, id) }

// keeps adds an image with the tags and returns its number.
func (p person) keeps(t *testing.T, tags ...string) int {
	t.Helper()
	return p.post(t, images, object{"img": aPNG(t), "tags": append([]string{}, tags...)}).is(201).int("data.id")
}

// tagsOf is the tags of the person's newest image.
func (s *server) tagsOf(t *testing.T, p person) any {
	t.Helper()
	return s.anyone().get(t, imagesOf(p)).is(200).at("data.0.tags")
}

var imageFields = []string{"id", "user", "img", "img_height", "img_width", "create_time", "delete_time", "tags"}

func tagsReplaced(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.keeps(t, "lake", "autumn")
	a := ada.patch(t, imagePath(id), object{"tags": []string{"tea", "autumn"}}).is(200)
	assert.ElementsMatch(t, imageFields, a.names(), "not wrapped")
	sameJSON(t, []string{"tea", "autumn"}, a.at("tags"))
	sameJSON(t, []string{"tea", "autumn"}, s.tagsOf(t, ada))
	ada.patch(t, imagePath(id), object{"tags": []string{"雾"}, "img": "x", "user": 99, "delete_time": "2026-01-01T00:00:00Z"}).is(200)
	again := s.anyone().get(t, imagesOf(ada)).is(200)
	sameJSON(t, []string{"雾"}, again.at("data.0.tags"))
	sameJSON(t, ada.id, again.at("data.0.user"))
	assert.Nil(t, again.at("data.0.delete_time"))
}

func tagsRequired(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.keeps(t, "lake")
	for _, body := range []any{object{}, object{"tags": []string{}}, object{"tags": nil}, object{"tags": "lake"},
		object{"tags": []any{"tea", 5}}} {
		ada.patch(t, imagePath(id), body).invalid("tags")
	}
	sameJSON(t, []string{"lake"}, s.tagsOf(t, ada))
}

func goldenImage(t *testing.T, s *server) {
	ada := s.member(t)
	known := facts{"<ada>": ada.id}
	id := ada.keeps(t)
	ada.patch(t, imagePath(id), object{"tags": []string{"lake", "雾"}}).is(200).golden("image", known)
	made := ada.post(t, images, object{"img": aPNG(t), "tags": []string{"lake", "雾"}}).is(201)
	for _, wrapped := range []any{made.at("data"), s.anyone().get(t, imagesOf(ada)).is(200).at("data.1")} {
		var whole answer
		whole.t, whole.body = t, []byte(marshalled(t, wrapped))
		whole.golden("image", known)
	}
}

func orderOfImageChecks(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.keeps(t, "lake")
	for _, wrong := range []any{object{}, object{"tags": []string{"a,b"}}, "{"} {
		s.with("x").patch(t, imagePath(id), wrong).fails(401, "AUTHENTICATION_FAILED")
		s.anyone().patch(t, imagePath(99999), wrong).fails(401, "NOT_AUTHENTICATED")
		bob.patch(t, imagePath(99999), wrong).fails(404, "RESOURCE_NOT_FOUND")
		bob.patch(t, imagePath(id), wrong).fails(403, "PERMISSION_DENIED")
		ada.patch(t, imagePath(id), wrong).is(400)
	}
}

func tagsJudged(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.keeps(t)
	sent, kept := []string{" b ", "a", "b"}, []string{"b", "a"}
	sameJSON(t, kept, ada.patch(t, imagePath(id), object{"tags": sent}).is(200).at("tags"))
	sameJSON(t, kept, ada.post(t, images, object{"img": aPNG(t), "tags": sent}).is(201).at("data.tags"))
	no := []string{"tea", "a,b"}
	ada.patch(t, imagePath(id), object{"tags": no}).invalid("tags")
	ada.post(t, images, object{"img": aPNG(t), "tags": no}).invalid("tags")
	ada.post(t, images, object{"tags": no}).invalid("tags", "img")
	assert.Len(t, s.anyone().get(t, imagesOf(ada)).is(200).list("data"), 2)
}

func imagesListed(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	assert.JSONEq(t, `{"data": []}`, string(s.anyone().get(t, imagesOf(ada)).is(200).body))
	first := ada.keeps(t)
	bob.keeps(t)
	var second int
	s.minutesLater(func() { second = ada.keeps(t) })
	ada.patch(t, imagePath(first), object{"tags": []string{"changed"}}).is(200) // moves nothing
	for _, c := range []*client{s.anyone(), ada.client, bob.client} {
		a := c.get(t, imagesOf(ada)).is(200)
		assert.Equal(t, []string{"data"}, a.names())
		assert.Equal(t, words(second, first), a.column("data", "id"))
		a.hasFields("data.0", imageFields)
	}
}

func uidRequired(t *testing.T, s *server) {
	for _, query := range []string{"", "?uid=%20", "?uid=x", "?uid=1.0", "?UID=1"} {
		s.anyone().get(t, images+query).invalid("uid")
	}
	s.anyone().get(t, images+"?page=0&page_size=x").invalid("uid", "page", "page_size")
	for _, nobody := range []string{"99999", "9223372036854775807"} {
		assert.JSONEq(t, `{"data": []}`, string(s.anyone().get(t, images+"?uid="+nobody).is(200).body))
	}
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
}

func keywordsRepeated(t *testing.T, s *server) {
	ada := s.member(t)
	ada.keeps(t, "lake")
	both := ada.keeps(t, "lake", "tea")
	for _, q := range []string{"tags__contains=lake&tags__contains=tea", "tags__contains=lake,&tags__contains=%20,tea",
		"tags__contains=&tags__contains=lake,tea"} {
		assert.Equal(t, words(both), s.anyone().get(t, imagesOf(ada)+"&"+q).is(200).column("data", "id"), q)
	}
	same := fmt.Sprintf("&uid=%d&uid=%%20", ada.id)
	assert.Len(t, s.anyone().get(t, imagesOf(ada)+same+"&page=1&page=1").is(200).list("data"), 2)
	s.anyone().get(t, imagesOf(ada)+"&uid=99999&page=1&page=2&page_size=5&page_size=x").invalid("uid", "page", "page_size")
}

func tooManyKeywords(t *testing.T, s *server) {
	ada := s.member(t)
	var words []string
	for n := range userimage.MaxTags {
		words = append(words, fmt.Sprint("tag", n))
	}
	most := strings.Join(words, ",")
	s.anyone().get(t, imagesOf(ada)+"&tags__contains="+most+"&tags__overlap="+most+","+most).is(200)
	more := most + ",more"
	s.anyone().get(t, imagesOf(ada)+"&tags__contains="+more).invalid("tags__contains")
	s.anyone().get(t, imagesOf(ada)+"&tags__overlap="+more).invalid("tags__overlap")
}

func wholeOrPaged(t *testing.T, s *server) {
	ada := s.member(t)
	for range 23 {
		ada.keeps(t)
	}
	whole := s.anyone().get(t, imagesOf(ada)+"&page=&page_size=%20").is(200)
	assert.Len(t, whole.list("data"), 23)
	assert.False(t, whole.has("pagination"))
	for query, want := range map[string]object{
		"&page=2": pagination(20, 23, 2, 2, nil, 1), "&page_size=5": pagination(5, 23, 5, 1, 2, nil),
	} {
		a := s.anyone().get(t, imagesOf(ada)+query).is(200)
		assert.Equal(t, []string{"data", "pagination"}, a.names())
		sameJSON(t, want, a.at("pagination"), query)
	}
}

// inBase64 is the picture as a data URI of the type.
func inBase64(head string, picture []byte) string {
	return head + base64.StdEncoding.EncodeToString(picture)
}
