package contract

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/userimage"
)

var imageRows = []row{
	{"IMG-01 the whole list of tags is replaced", tagsReplaced, oneStore},
	{"IMG-01 tags are required and not empty", tagsRequired, oneStore},
	{"IMG-01 golden image", goldenImage, oneStore},
	{"IMG-02 only its owner changes an image", imagesAreOnesOwn, oneStore},
	{"IMG-02 key then image then body", orderOfImageChecks, oneStore},
	{"IMG-03 tags are trimmed and kept once in order", tagsKept, oneStore},
	{"IMG-03 what is no tag is refused", noTags, oneStore},
	{"IMG-04 somebody's images with the newest first", imagesListed, everyStore},
	{"IMG-04 the uid is required", uidRequired, oneStore},
	{"IMG-05 images with all of the tags or any of them", imagesByTags, everyStore},
	{"IMG-05 no more tags are looked for than an image may have", tooManyKeywords, oneStore},
	{"IMG-06 the list is whole unless a page is asked for", wholeOrPaged, everyStore},
	{"IMG-06 a user has five thousand images at most", tooManyImages, oneDatabase},
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
	for _, body := range []any{
		object{}, object{"tags": []string{}}, object{"tags": nil}, object{"tags": "lake"}, object{"tags": object{}}, object{"tags": 5},
		object{"tags": []any{5}}, object{"tags": []any{nil}}, object{"tags": []any{"tea", true}}, object{"tag": []string{"tea"}},
	} {
		ada.patch(t, imagePath(id), body).invalid("tags")
	}
	ada.patch(t, imagePath(id), "{").invalid("non_field_errors")
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

func imagesAreOnesOwn(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	befriend(t, ada, bob)
	id := ada.keeps(t, "lake")
	bob.patch(t, imagePath(id), object{"tags": []string{"mine"}}).fails(403, "PERMISSION_DENIED")
	bob.delete(t, imagePath(id)).fails(403, "PERMISSION_DENIED")
	s.anyone().patch(t, imagePath(id), object{"tags": []string{"mine"}}).fails(401, "NOT_AUTHENTICATED")
	s.anyone().delete(t, imagePath(id)).fails(401, "NOT_AUTHENTICATED")
	s.anyone().post(t, images, object{"img": aPNG(t)}).fails(401, "NOT_AUTHENTICATED")
	sameJSON(t, []string{"lake"}, s.tagsOf(t, ada))
	gone := ada.keeps(t, "gone")
	ada.delete(t, imagePath(gone)).is(204)
	for _, who := range []person{ada, bob} {
		for _, none := range []string{imagePath(gone), imagePath(99999), imagePath(0), images + "x/"} {
			who.patch(t, none, object{"tags": []string{"x"}}).fails(404, "RESOURCE_NOT_FOUND")
			who.delete(t, none).fails(404, "RESOURCE_NOT_FOUND")
		}
	}
	ada.patch(t, imagePath(id), object{"tags": []string{"tea"}}).is(200)
}

func orderOfImageChecks(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.keeps(t, "lake")
	for _, wrong := range []any{object{}, object{"tags": []string{}}, object{"tags": []string{"a,b"}}, object{"tags": 5}, "{", "[]"} {
		s.with("x").patch(t, imagePath(id), wrong).fails(401, "AUTHENTICATION_FAILED")
		s.anyone().patch(t, imagePath(99999), wrong).fails(401, "NOT_AUTHENTICATED")
		bob.patch(t, imagePath(99999), wrong).fails(404, "RESOURCE_NOT_FOUND")
		bob.patch(t, imagePath(id), wrong).fails(403, "PERMISSION_DENIED")
		ada.patch(t, imagePath(id), wrong).is(400)
	}
}

func tagsKept(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.keeps(t)
	long, fifty := strings.Repeat("雾", 64), []string{}
	for i := range 50 {
		fifty = append(fifty, fmt.Sprintf("tag %d", i))
	}
	for _, c := range []struct{ sent, kept []string }{
		{[]string{" lake ", "\ttea\n"}, []string{"lake", "tea"}},
		{[]string{"b", "a", "b", " a", "c", "b "}, []string{"b", "a", "c"}},
		{[]string{"Lake", "lake"}, []string{"Lake", "lake"}},
		{[]string{long, "x"}, []string{long, "x"}},
		{[]string{" " + long + " "}, []string{long}},
		{[]string{"a b", "<b>", "?&=%", "a;b"}, []string{"a b", "<b>", "?&=%", "a;b"}},
		{fifty, fifty},
		{append(fifty[:50:50], "tag 7"), fifty},
	} {
		a := ada.patch(t, imagePath(id), object{"tags": c.sent}).is(200)
		sameJSON(t, c.kept, a.at("tags"))
		made := ada.post(t, images, object{"img": aPNG(t), "tags": c.sent}).is(201)
		sameJSON(t, c.kept, made.at("data.tags"))
	}
}

func noTags(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.keeps(t, "lake")
	many := []string{}
	for i := range 51 {
		many = append(many, fmt.Sprint(i))
	}
	for _, no := range [][]string{
		{""}, {"tea", " "}, {"a,b"}, {","}, {strings.Repeat("x", 65)}, {"nul\x00"}, {"\u200b"}, many,
	} {
		ada.patch(t, imagePath(id), object{"tags": no}).invalid("tags")
		ada.post(t, images, object{"img": aPNG(t), "tags": no}).invalid("tags")
		ada.post(t, images, object{"tags": no}).invalid("tags", "img")
	}
	list := s.anyone().get(t, imagesOf(ada)).is(200)
	assert.Len(t, list.list("data"), 1)
	sameJSON(t, []string{"lake"}, list.at("data.0.tags"))
}

func imagesListed(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	assert.JSONEq(t, `{"data": []}`, string(s.anyone().get(t, imagesOf(ada)).is(200).body))
	first, second := ada.keeps(t), ada.keeps(t) // at one instant
	bob.keeps(t)
	var third, gone int
	s.minutesLater(func() { third = ada.keeps(t) }, func() { gone = ada.keeps(t) })
	ada.delete(t, imagePath(gone)).is(204)
	ada.patch(t, imagePath(first), object{"tags": []string{"changed"}}).is(200) // moves nothing
	for _, c := range []*client{s.anyone(), ada.client, bob.client} {
		a := c.get(t, imagesOf(ada)).is(200)
		assert.Equal(t, []string{"data"}, a.names())
		assert.Equal(t, words(third, second, first), a.column("data", "id"))
		assert.Equal(t, words(int(ada.id), int(ada.id), int(ada.id)), a.column("data", "user"))
		a.hasFields("data.0", imageFields)
	}
	s.with("x").get(t, imagesOf(ada)).fails(401, "AUTHENTICATION_FAILED")
}

func uidRequired(t *testing.T, s *server) {
	ada := s.member(t)
	for _, query := range []string{"", "?uid=", "?uid=%20", "?uid=x", "?uid=1.0", "?uid=1,2", "?uid=me", "?uid=0x1", "?tags__contains=a", "?UID=1"} {
		s.anyone().get(t, images+query).invalid("uid")
		ada.get(t, images+query).invalid("uid")
	}
	s.anyone().get(t, images+"?page=0&page_size=x").invalid("uid", "page", "page_size")
	for _, nobody := range []string{"99999", "9223372036854775807"} {
		assert.JSONEq(t, `{"data": []}`, string(s.anyone().get(t, images+"?uid="+nobody).is(200).body))
	}
}

func imagesByTags(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	ids := map[int]string{}
	for _, tags := range [][]string{{"lake", "tea"}, {"lake"}, {"tea", "雾 mist"}, {}, {"lakeside"}} {
		s.minutesLater(func() { ids[ada.keeps(t, tags...)] = strings.Join(tags, "+") })
	}
	bob.keeps(t, "lake", "tea")
	all := []string{"lakeside", "", "tea+雾 mist", "lake", "lake+tea"}
	for _, c := range []struct {
		contains, overlap string
		want              []string
	}{
		{"lake", "", []string{"lake", "lake+tea"}}, {"lake,tea", "", []string{"lake+tea"}}, {"tea, lake ,tea", "", []string{"lake+tea"}},
		{"lake,other", "", []string{}}, {"", "lake,tea", []string{"tea+雾 mist", "lake", "lake+tea"}}, {"", "other,雾 mist", []string{"tea+雾 mist"}},
		{"tea", "lake,other", []string{"lake+tea"}}, {"lake", "雾 mist", []string{}}, {"Lake", "", []string{}}, {"lak", "", []string{}}, {"", "%", []string{}},
		{"", "", all}, {" ", ",", all}, {", ,", " , ", all}, {",lake,", ",", []string{"lake", "lake+tea"}},
	} {
		q := url.Values{"tags__contains": {c.contains}, "tags__overlap": {c.overlap}}.Encode()
		found := []string{}
		for _, id := range s.anyone().get(t, imagesOf(ada)+"&"+q).is(200).list("data") {
			number, _ := dig(id, "id")
			var n int
			_, err := fmt.Sscan(fmt.Sprint(number), &n)
			require.NoError(t, err)
			found = append(found, ids[n])
		}
		assert.Equal(t, c.want, found, q)
	}
	assert.Empty(t, s.anyone().get(t, images+"?uid=99999&tags__contains=lake").is(200).list("data"))
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
	for i := range 23 {
		ada.keeps(t, []string{"even", "odd"}[i%2])
	}
	whole := s.anyone().get(t, imagesOf(ada)).is(200)
	assert.Len(t, whole.list("data"), 23)
	assert.Len(t, s.anyone().get(t, imagesOf(ada)+"&page=&page_size=%20").is(200).list("data"), 23)
	assert.False(t, whole.has("pagination"))
	for query, want := range map[string]object{
		"&page=1": pagination(20, 23, 2, 1, 2, nil), "&page=2": pagination(20, 23, 2, 2, nil, 1), "&page_size=5": pagination(5, 23, 5, 1, 2, nil),
		"&page=2&page_size=10&tags__contains=even": pagination(10, 12, 2, 2, nil, 1), "&page_size=500": pagination(100, 23, 1, 1, nil, nil),
	} {
		a := s.anyone().get(t, imagesOf(ada)+query).is(200)
		assert.Equal(t, []string{"data", "pagination"}, a.names())
		sameJSON(t, want, a.at("pagination"), query)
	}
	last := s.anyone().get(t, imagesOf(ada)+"&page=5&page_size=5").is(200)
	assert.Equal(t, whole.column("data", "id")[20:], last.column("data", "id"))
	s.anyone().get(t, imagesOf(ada)+"&page=3").fails(404, "RESOURCE_NOT_FOUND")
	s.anyone().get(t, imagesOf(ada)+"&page=x").invalid("page")
	sameJSON(t, pagination(20, 0, 1, 1, nil, nil), s.anyone().get(t, images+"?uid=99999&page=1").is(200).at("pagination"))
}

func tooManyImages(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	for range userimage.MaxImages - 1 {
		_, err := s.app.Stores.Images.Add(t.Context(), userimage.New(ada.id, "public/x", 1, 1, 0, userimage.Tags{}, epoch))
		require.NoError(t, err)
	}
	last := ada.keeps(t)
	ada.post(t, images, object{"img": aPNG(t)}).fails(409, "CONFLICT")
	ada.sends(t, images, form{field: "img", file: aPNG(t)}).fails(409, "CONFLICT")
	assert.Len(t, s.anyone().get(t, imagesOf(ada)).is(200).list("data"), 5000)
	assert.Equal(t, 5000, s.anyone().get(t, imagesOf(ada)+"&page=1").is(200).int("pagination.total_count"))
	bob.keeps(t)
	ada.delete(t, imagePath(last)).is(204)
	ada.keeps(t)
	ada.post(t, images, object{"img": aPNG(t)}).fails(409, "CONFLICT")
}

// inBase64 is the picture as a data URI of the type.
func inBase64(head string, picture []byte) string {
	return head + base64.StdEncoding.EncodeToString(picture)
}
