package contract

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/bootstrap/settings"
	"plaza/domain/ratelimit"
	"plaza/domain/secret"
	"plaza/test/pictures"
)

// limitRows show the limits on writes of an account on servers that admit three of each in an hour.
var limitRows = []row{
	{"GEN-14 comments of an account are limited", commentsAreLimited, everyServer},
	{"GEN-14 the limits tell nothing of a hidden event", limitsOfHidden, everyServer},
	{"GEN-14 MOD-01 reports of an account are limited as comments are", reportsAreLimited, everyStore},
	{"GEN-14 uploads of an account are limited by their number", uploadsAreLimited, everyStore},
	{"GEN-14 searches of an account are limited", searchesAreLimited, everyStore},
	{"GEN-14 logins that succeed are limited", loginsAreLimited, everyServer},
}

var threeAnHour = ratelimit.Limit{Count: 3, Period: time.Hour}

// untilNext is how long one of three an hour takes.
const untilNext = 20 * time.Minute

func limited(c *settings.Config) {
	c.LimitComments, c.LimitLikes, c.LimitFollows, c.LimitEvents = threeAnHour, threeAnHour, threeAnHour, threeAnHour
	c.LimitUploads, c.LimitLogins, c.LimitSearches = threeAnHour, threeAnHour, threeAnHour
}

func TestGEN_14_limits(t *testing.T) {
	showAll(t, limitRows, func(on store, t *testing.T) *server { return on.startWith(t, limited) })
}

// isLimited asserts that three writes of the account are admitted, that a fourth is refused
// with what is done too often, and that one more is admitted when the answer said.
func (s *server) isLimited(t *testing.T, write func(i int) answer, tooOften string) {
	t.Helper()
	for i := range 3 {
		assert.Less(t, write(i).status, 300, "%d", i)
	}
	for range 2 {
		refused := write(3)
		assert.Equal(t, untilNext, refused.throttled())
		assert.Equal(t, tooOften+" Try again later.", refused.text("data.detail"))
	}
	s.clock.advance(untilNext - time.Second)
	assert.Equal(t, time.Second, write(3).throttled())
	s.clock.advance(time.Second)
	assert.Less(t, write(3).status, 300)
	assert.Equal(t, untilNext, write(4).throttled())
}

// The second report of a person is the first one, and counts as well.
func reportsAreLimited(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	report := func(int) answer { return ada.post(t, reportPath, object{"user": bob.id, "reason": "spam"}) }
	s.isLimited(t, report, "You are commenting too often.")
}

func commentsAreLimited(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	for range 4 { // what fails is not charged
		bob.post(t, comments, object{"event": id, "content": " "}).invalid("content")
		bob.post(t, comments, object{"event": id + 1, "content": "x"}).invalid("event")
	}
	s.isLimited(t, func(i int) answer {
		return bob.post(t, comments, object{"event": id, "content": fmt.Sprint(i)})
	}, "You are commenting too often.")
	assert.Equal(t, []string{"3", "2", "1", "0"}, ada.get(t, commentsOn(id)).is(200).column("data", "content"))
	ada.comments(t, id, "others go on")
	bob.put(t, likePath(id)).is(204)
	bob.reads(t, id).shows(object{"comment_count": 5})
}

func limitsOfHidden(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	hidden, shown := ada.publishes(t, "x"), ada.publishes(t, "y")
	for range 3 {
		bob.comments(t, hidden, "x")
		bob.put(t, likePath(hidden)).is(204)
	}
	ada.patch(t, eventPath(hidden), object{"view_permission": 200}).is(200)
	bob.post(t, comments, object{"event": shown, "content": "x"}).throttled()
	bob.put(t, likePath(shown)).throttled()
	bob.post(t, comments, object{"event": hidden, "content": "x"}).invalid("event")
	bob.put(t, likePath(hidden)).fails(404, "RESOURCE_NOT_FOUND")
	bob.delete(t, likePath(hidden)).fails(404, "RESOURCE_NOT_FOUND")
	ada.reads(t, hidden).shows(object{"comment_count": 3, "like_count": 1})
}

func uploadsAreLimited(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	for range 4 {
		ada.post(t, images, object{"img": "no picture"}).invalid("img")
	}
	s.isLimited(t, func(i int) answer {
		switch i {
		case 0:
			return ada.post(t, images, object{"img": aPNG(t)})
		case 1:
			return ada.post(t, plates, object{"event": id, "photo": aPNG(t)})
		case 3:
			return ada.post(t, plates, object{"event": id, "photo": aPNG(t)})
		}
		return ada.send(t, "PUT", "/api/user/avatar/", object{"avatar": aPNG(t)})
	}, "You are uploading too many pictures.")
	assert.Equal(t, 2, len(ada.reads(t, id).list("data.plates")))
	ada.post(t, images, object{"img": aPNG(t)}).throttled()
	assert.Equal(t, 1, len(ada.get(t, imagesOf(ada)).is(200).list("data")))
}

func searchesAreLimited(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	ada.get(t, search).invalid("name")
	s.isLimited(t, func(i int) answer { return ada.finds(t, []string{"ada", "no one", "ad", "a"}[min(i, 3)]+"da") },
		"You are searching too often.")
	ada.get(t, profile).is(200)
	bob.finds(t, "ada").is(200)
	ada.get(t, searchPath+"?q=tea").throttled()
	ada.get(t, searchPath+"?q=").invalid("q")
	s.anyone().seeks(t, "tea")
}

func loginsAreLimited(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	s.anyone().wrongly(t, ada.phone).invalid("non_field_errors")
	s.isLimited(t, func(int) answer { return s.anyone().logsIn(t, ada.phone, password) }, "You are logging in too often.")
	s.anyone().wrongly(t, ada.phone).invalid("non_field_errors")
	s.anyone().gets(t, bob)
	ada.get(t, profile).is(200)
	assert.Equal(t, 5, ada.get(t, sessions).is(200).int("pagination.total_count"), "a refused login leaves no key")
	for range 4 { // as the command line does
		_, err := s.app.Signin.Issue(t.Context(), ada.id, nil, 0)
		assert.NoError(t, err)
	}
	ada.changesPassword(t, password, newPassword).is(204)
	assert.NoError(t, s.app.Signin.SetPassword(t.Context(), ada.id, secret.New(password)))
}

// quotaRows show the quotas of an account, on servers that allow little.
var quotaRows = []rowOf[store]{
	{"GEN-14 drafts", draftQuota, everyStore},
	{"GEN-14 comments on an event", commentQuota, everyStore},
	{"GEN-14 bytes of pictures", pictureQuota, everyStore},
	{"GEN-14 follows", followQuota, everyStore},
}

func TestGEN_14_quotas(t *testing.T) {
	showAll(t, quotaRows, func(on store, _ *testing.T) store { return on })
}

// isFull asserts a refusal that tells the quota.
func (a answer) isFull(quota string) {
	a.t.Helper()
	assert.Contains(a.t, a.fails(409, "CONFLICT").text("data.detail"), quota)
}

func draftQuota(t *testing.T, on store) {
	s := on.startWith(t, func(c *settings.Config) { c.QuotaDrafts = 2 })
	ada := s.member(t)
	draft := object{"title": "A draft"}
	first, shown := ada.writes(t, draft).int("data.id"), ada.publishes(t, "Published at once")
	ada.writes(t, draft)
	ada.post(t, events, draft).isFull("2 drafts")
	ada.patch(t, eventPath(shown), object{"publish": false, "title": "Hidden"}).isFull("2 drafts")
	assert.Equal(t, "Published at once", ada.reads(t, shown).text("data.title"), "nothing is changed")
	assert.Equal(t, 3, ada.get(t, events).is(200).int("pagination.total_count"))
	ada.patch(t, eventPath(first), object{"publish": true}).is(200)
	ada.patch(t, eventPath(shown), object{"publish": false}).is(200)
	ada.post(t, events, draft).isFull("2 drafts")
	ada.delete(t, eventPath(shown)).is(204)
	ada.writes(t, draft)
	s.member(t).writes(t, draft)
}

func commentQuota(t *testing.T, on store) {
	s := on.startWith(t, func(c *settings.Config) { c.QuotaComments = 2 })
	ada, bob := s.member(t), s.member(t)
	lake := ada.publishes(t, "A lake")
	said := object{"event": lake, "content": "Well said"}
	first := bob.comments(t, lake, "One")
	bob.comments(t, lake, "Two")
	bob.post(t, comments, said).isFull("2 comments")
	bob.comments(t, ada.publishes(t, "Tea"), "Elsewhere")
	ada.comments(t, lake, "Thank you")
	assert.Equal(t, 3, ada.reads(t, lake).int("data.comment_count"))
	bob.delete(t, commentPath(first)).is(204)
	bob.comments(t, lake, "Three")
	ada.patch(t, eventPath(lake), object{"view_permission": 200}).is(200)
	bob.post(t, comments, said).invalid("event")
}

func followQuota(t *testing.T, on store) {
	s := on.startWith(t, func(c *settings.Config) { c.QuotaFollows = 2 })
	s.shelve(t, 7, "Walks")
	s.shelve(t, 8, "Tea")
	ada, bob, cleo := s.member(t), s.member(t), s.member(t)
	first := ada.follows(t, bob)
	ada.followsCategory(t, 7)
	for _, more := range []object{{"followed_user": cleo.id}, {"followed_category": 8}} {
		ada.post(t, subscriptions, more).isFull("2 people and categories")
	}
	assert.Equal(t, first, ada.post(t, subscriptions, object{"followed_user": bob.id}).is(200).int("data.id"), "it is no further one")
	ada.blocks(t, cleo)
	ada.delete(t, subscriptionPath(first)).is(204)
	ada.followsCategory(t, 8)
}

// files returns how many files of pictures are stored. An uploaded picture has one, and one for each of its sizes.
func (s *server) files(t *testing.T) (n int) {
	t.Helper()
	for _, err := range s.app.Stores.Media.All(t.Context()) {
		require.NoError(t, err)
		n++
	}
	return n
}

func pictureQuota(t *testing.T, on store) {
	// A picture and an avatar, which is stored in one size, take as much: they show the same.
	unlimited := on.start(t)
	size := len(unlimited.picture(t, unlimited.member(t).post(t, images, object{"img": aPNG(t)}).is(201).text("data.img")))
	s := on.startWith(t, func(c *settings.Config) { c.QuotaPictures = settings.ByteQuota(4*size + 1) })
	ada := s.member(t)
	event := ada.publishes(t, "A lake")
	image := ada.keeps(t)
	plate := ada.attaches(t, event).int("data.id")
	for range 2 {
		ada.send(t, "PUT", avatars, object{"avatar": aPNG(t)}).is(200)
	}
	ada.attaches(t, event)
	stored := s.files(t)
	assert.Equal(t, 3*3+1, stored, "a replaced avatar is removed; it has one file")

	// One byte is left, so that all of these are decoded.
	ada.post(t, images, object{"img": aPNG(t), "tags": []string{"lake"}}).isFull(" bytes")
	ada.sends(t, images, form{field: "img", file: aPNG(t)}).isFull(" bytes")
	ada.post(t, plates, object{"event": event, "photo": aPNG(t)}).isFull(" bytes")
	ada.send(t, "PUT", avatars, object{"avatar": aPNG(t)}).is(200)
	assert.Equal(t, stored, s.files(t), "the files of refused pictures are removed")
	assert.Len(t, ada.reads(t, event).list("data.plates"), 2)
	s.member(t).keeps(t)
	for _, path := range []string{imagePath(image), platePath(plate), eventPath(event)} {
		ada.delete(t, path).is(204)
		ada.keeps(t)
		ada.post(t, images, object{"img": aPNG(t)}).isFull(" bytes")
	}
}

var appLimitRows = []row{
	{"GEN-19 EVT-21 the limits are those that the server keeps to", limitsAreKept, oneStore},
	{"GEN-19 the limits of pictures are those that the server keeps to", imageLimitsAreKept, oneStore},
	{"GEN-19 the limits are revalidated and need no key", limitsRevalidated, oneStore},
}

const appLimits = "/api/limits/"

func limitsAreKept(t *testing.T, s *server) {
	ada := s.member(t)
	l := s.anyone().get(t, appLimits).is(200)
	text := func(limit string, more int) string { return strings.Repeat("a", l.int("data."+limit)+more) }
	wides := func(limit string, more int) string { return strings.Repeat(wide, l.int("data."+limit)+more) }
	id := ada.publishes(t, "Tea")
	fits := object{"title": wides("event.title", 0), "content": wides("event.content", 0), "html_content": text("event.html_bytes", 0)}
	ada.patch(t, eventPath(id), fits).is(200).shows(fits)
	tooLong := object{"title": wides("event.title", 1), "content": wides("event.content", 1), "html_content": text("event.html_bytes", 1)}
	ada.patch(t, eventPath(id), tooLong).invalid("title", "content", "html_content")
	ada.post(t, events, tooLong).invalid("title", "content", "html_content")
	ada.reads(t, id).shows(fits)
	ada.patch(t, eventPath(id), object{"title": "  " + text("event.title", 0) + "\n"}).is(200)
	ada.patch(t, eventPath(id), object{"html_content": strings.Repeat("&", 16<<10)}).invalid("html_content") // each is stored as five bytes
	for range l.int("data.event.plates") {
		ada.attaches(t, id)
	}
	ada.post(t, plates, object{"event": id, "photo": aPNG(t)}).invalid("photo")
	ada.post(t, comments, object{"event": id, "content": wides("comment", 0)}).is(201)
	ada.post(t, comments, object{"event": id, "content": wides("comment", 1)}).invalid("content")

	tags := make([]string, l.int("data.tags.count"))
	for i := range tags {
		tags[i] = fmt.Sprintf("%0*d", l.int("data.tags.length"), i)
	}
	photo := imagePath(ada.keeps(t, "a"))
	ada.patch(t, photo, object{"tags": tags}).is(200)
	ada.patch(t, photo, object{"tags": append(tags, "one more")}).invalid("tags")
	ada.patch(t, photo, object{"tags": []string{text("tags.length", 1)}}).invalid("tags")

	most := l.int("data.page_size")
	sameJSON(t, most, ada.get(t, fmt.Sprintf("%s?page_size=%d", events, most+1)).is(200).at("pagination.page_size"))
	ada.get(t, search+"?name="+text("search", 0)).is(200)
	ada.get(t, search+"?name="+text("search", 1)).invalid("name")
}

func imageLimitsAreKept(t *testing.T, s *server) {
	ada := s.member(t)
	l := s.anyone().get(t, appLimits).is(200)
	sent := func(raw []byte) answer { return ada.sends(t, images, form{field: "img", file: raw}) }
	dot := image.NewPaletted(image.Rect(0, 0, 9, 9), color.Palette{color.Black})
	large := pictures.PNG(t, dot)
	binary.BigEndian.PutUint32(large[16:], uint32(l.int("data.image.megapixels")*1000+1))
	binary.BigEndian.PutUint32(large[20:], 1000)
	assert.Contains(t, string(sent(large).invalid("img").body), "megapixels")
	full := pictures.JPEG(t, dot)
	full = append(full, make([]byte, l.int("data.image.bytes")-len(full))...)
	sent(full).is(201)
	ada.post(t, images, object{"img": full}).is(201)
	sent(append(full, 0)).invalid("img")
	of := map[string][]byte{
		"image/jpeg": full, "image/png": pictures.PNG(t, dot), "image/gif": pictures.GIF(t, dot), "image/webp": pictures.Made(t, "animated.webp"),
		"image/heic": pictures.Made(t, "grey.heic"), "image/avif": pictures.Made(t, "grey.avif"),
	}
	for _, format := range []string{"image/heic", "image/avif"} { // a decoder that is not yet compiled can take as long as a request may
		_, err := imaging.NewProcessor(1).Process(t.Context(), "", bytes.NewReader(of[format]))
		require.NoError(t, err)
	}
	formats := l.list("data.image.formats")
	assert.Len(t, formats, len(of))
	for _, format := range formats {
		sent(of[format.(string)]).is(201)
	}
}

func limitsRevalidated(t *testing.T, s *server) {
	first := s.anyone().get(t, appLimits).is(200)
	revalidated(t, first)
	tag := first.header.Get("ETag")
	require.NotEmpty(t, tag)
	revalidated(t, s.anyone().saying("If-None-Match", tag).get(t, appLimits).is(304))
	s.anyone().saying("If-None-Match", `"x"`).get(t, appLimits).is(200)
}
