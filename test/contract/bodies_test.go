package contract

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var bodyRows = []row{
	{"GEN-08 EVT-02 EVT-03 all wrong fields are named together, missing ones and null too", namedTogether, oneStore},
	{"GEN-08 unknown fields are ignored", unknownFields, oneStore},
	{"GEN-08 fields that are not the client's change nothing", notTheClients, oneStore},
	{"GEN-08 titles and user names are trimmed passwords and contents never", trimming, oneStore},
	{"GEN-08 a text without a visible character is blank everywhere", invisibleIsBlank, oneStore},
	{"GEN-08 all other text is kept as it is sent", textIsText, oneStore},
	{"GEN-08 ninety thousand unknown names are ignored", manyNames, oneStore},
	{"GEN-11 a body of one MiB is taken", bodyOfOneMiB, oneStore},
	{"GEN-11 a larger one is refused before it is sent", bodyAnnouncedTooLarge, oneStore},
	{"GEN-11 a larger one without a length is refused before its end", bodyWithoutEnd, oneStore},
	{"GEN-06 GEN-07 another media type is refused", otherMediaTypes, oneStore},
	{"GEN-08 fields that are not the client's change no picture", picturesAreNotReassigned, oneStore},
	{"GEN-08 fields that are not the client's change no order", ordersAreNotReassigned, oneStore},
	{"GEN-08 fields and parameters name nobody else", nobodyElseIsNamed, oneStore},
}

// taker is an operation that takes a body, and the document's example of one.
type taker struct {
	method, path string
	body         object
	takesFiles   bool // forms too, and more bytes
}

// limit is how many bytes of JSON the operation takes (GEN-11): one MiB, or the base64 of ten and one more.
func (to taker) limit() int {
	if to.takesFiles {
		return (10<<20+2)/3*4 + 1<<20
	}
	return 1 << 20
}

// dot is the smallest picture there is: a GIF of one pixel, in base64.
const dot = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

// takers is every operation that takes a body, about the event or an image of the person, or another person. The wallet's
// notification is not among them: it is answered in its own way.
func (s *server) takers(t *testing.T, p person, event int) (all []taker) {
	t.Helper()
	image, comment, other := p.keeps(t), p.comments(t, event, "x"), s.member(t)
	for _, o := range operations(t) {
		if o.RequestBody == nil || o.Extensions["x-outside-envelope"] == true {
			continue
		}
		id := event
		if strings.HasPrefix(o.template, images) {
			id = image
		} else if strings.HasPrefix(o.template, comments) {
			id = comment
		}
		content := o.RequestBody.Value.Content
		example := content.Get("application/json").Example
		for _, named := range content.Get("application/json").Examples {
			example = named.Value.Value
		}
		body, isObject := example.(object)
		require.True(t, isObject, "%s has no example", o.template)
		path := strings.NewReplacer("{id}", fmt.Sprint(id), "{uid}", fmt.Sprint(other.id)).Replace(o.template)
		all = append(all, taker{o.method, path, body, content["multipart/form-data"] != nil})
	}
	return all
}

func namedTogether(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	wrong := object{
		"title": 5, "content": []any{}, "html_content": true, "event_time": "2026-02-30", "view_permission": 50, "publish": "perhaps",
		"category": "walks",
	}
	fields := slices.Collect(maps.Keys(wrong))
	ada.post(t, events, wrong).invalid(fields...)
	ada.patch(t, eventPath(id), wrong).invalid(fields...)
	for field := range wrong {
		if field != "category" {
			ada.patch(t, eventPath(id), object{field: nil}).invalid(field)
		}
	}
	ada.reads(t, id).shows(object{"title": "x", "status": 100})
	for _, body := range []object{{}, {"username": nil, "password": nil}, {"username": "", "password": ""}} {
		ada.post(t, login, body).invalid("username", "password")
	}
	ada.post(t, login, object{"username": 5, "password": []any{}, "scope": "xfile_event"}).invalid("username", "password", "scope")
	for _, body := range []object{{}, {"event": nil, "content": nil}, {"event": 1.5, "content": strings.Repeat("é", 2001)}} {
		ada.post(t, comments, body).invalid("event", "content")
	}
	ada.post(t, simpleInfo, object{}).invalid("uid")
}

func unknownFields(t *testing.T, s *server) {
	ada := s.staff(t)
	for _, to := range s.takers(t, ada, ada.publishes(t, "x")) {
		body := with(to.body, object{"colour": "blue", "x": object{"y": []any{1, nil}}, "": nil})
		if a := ada.send(t, to.method, to.path, body); a.status == 400 {
			for field := range a.at("data").(object) {
				assert.NotContains(t, []string{"colour", "x", ""}, field, "%s %s: %s", to.method, to.path, a.body)
			}
		}
	}
	ada.writes(t, object{"title": "y", "colour": "blue", "x": object{"y": []any{1, nil}}, "": nil})
}

// beyond are fields that no client sets, with values that would make a thing another's, or another.
func beyond(other person, id int) object {
	return object{
		"id": id, "user": other.id, "author": other.id, "owner": other.id, "uid": other.id, "user_name": "Eve", "is_staff": true,
		"roles": []any{"admin"}, "scopes": []any{"xfile_event"}, "phone": other.phone, "status": 100, "state": "paid", "key": "public/x.png",
		"comment_count": 9, "like_count": 9, "city": "杭州市", "plates": []any{1}, "entity_type": 200, "subscription_type": "follow_category",
		"img_width": 9, "img_height": 9, "width": 9, "photo_url": "https://evil.example/x.png", "refunded": true, "transaction_id": "t",
		"paid_at": "2026-11-20T12:00:00.000000Z", "create_time": "2001-01-01T00:00:00Z", "created_at": "2001-01-01T00:00:00Z",
		"updated_at": "2001-01-01T00:00:00Z", "last_modified": "2001-01-01T00:00:00Z", "delete_time": "2001-01-01T00:00:00Z",
		"expires_at": "2099-01-01T00:00:00Z",
	}
}

func notTheClients(t *testing.T, s *server) {
	ada, eve, bob := s.member(t), s.member(t), s.member(t)
	reach := beyond(ada, 4711)
	const now = "2026-11-20T12:00:00.000000Z"
	id := ada.publishes(t, "x")
	before := eve.get(t, profile).is(200)
	event := eve.writes(t, with(reach, object{"title": "mine"}))
	for _, a := range []answer{event, eve.patch(t, eventPath(event.int("data.id")), with(reach, object{"title": "still mine"})).is(200)} {
		a.shows(object{
			"id": event.at("data.id"), "user.uid": eve.id, "status": 0, "create_time": now, "last_modified": now, "comment_count": 0,
			"like_count": 0, "city": nil, "plates": []any{},
		})
	}
	comment := eve.post(t, comments, with(reach, object{"event": id, "content": "Oh"})).is(201)
	comment.shows(object{"user.uid": eve.id, "create_time": now})
	followed := eve.post(t, subscriptions, with(reach, object{"followed_user": bob.id})).is(201).shows(object{
		"user.uid": eve.id, "entity_type": 100, "subscription_type": "follow_user", "created_at": now, "updated_at": now,
	})
	for _, made := range []answer{event, comment, followed} {
		assert.NotEqual(t, 4711, made.int("data.id"))
	}
	key := s.anyone().post(t, login, with(reach, object{"username": eve.phone, "password": password})).is(200).text("data.key")
	assert.JSONEq(t, string(before.body), string(s.with(key).get(t, profile).is(200).body))
	ada.reads(t, id).shows(object{"title": "x", "user.uid": ada.id, "comment_count": 1, "like_count": 0})
}

func trimming(t *testing.T, s *server) {
	ada := s.member(t)
	ada.writes(t, object{"title": " \t\u00a0A  walk\u3000\n", "content": " By the lake\n", "html_content": "<p> x </p>"}).
		shows(object{"title": "A  walk", "content": " By the lake\n"})
	ada.writes(t, object{"title": " " + strings.Repeat("é", 200) + " "})
	said := ada.post(t, comments, object{"event": ada.publishes(t, "x"), "content": " Oh \n"}).is(201)
	assert.Equal(t, " Oh \n", said.text("data.content"))
	ada.post(t, login, object{"username": " " + ada.phone + "\n", "password": password}).is(200)
	for _, padded := range []string{" " + password, password + " ", password + "\n"} {
		ada.post(t, login, object{"username": ada.phone, "password": padded}).invalid("non_field_errors")
	}
}

func invisibleIsBlank(t *testing.T, s *server) {
	ada := s.member(t)
	id, image := ada.publishes(t, "x"), ada.keeps(t, "a")
	for _, blank := range []string{"\u3164", "\u2800 ", "\u115f\u1160", "\uffa0", "\u200b\ufe0f", "\U000e0020"} {
		ada.post(t, comments, object{"event": id, "content": blank}).invalid("content")
		ada.patch(t, imagePath(image), object{"tags": []string{"a", blank}}).invalid("tags")
		ada.patch(t, profile, object{"firstname": blank}).invalid("firstname")
		assert.Len(t, ada.get(t, imagesOf(ada)+"&tags__contains="+url.QueryEscape("a,"+blank)).is(200).list("data"), 1)
	}
	for _, seen := range []string{"❤\ufe0f", "👩\u200d🚀", "می\u200cخواهم", "\u0301"} { // kept as it is written
		ada.patch(t, eventPath(id), object{"title": seen}).is(200).shows(object{"title": seen})
	}
}

func manyNames(t *testing.T, s *server) {
	ada := s.member(t)
	var body strings.Builder
	body.WriteString(`{"title": "the last one counts", "Title": "no", "TITLE": "no", " title": "no", "title\u0020": "no", "\u0074itle": "named in escapes"`)
	for i := range 90_000 {
		fmt.Fprintf(&body, `,"k%d":1`, i)
	}
	ada.post(t, events, body.String()+"}").is(201).shows(object{"title": "named in escapes"})
}

func textIsText(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	const every = "é 李雷 🙂 \u2028 \u202e <b>&amp;</b> \\ \" \u007f"
	ada.patch(t, eventPath(id), object{"content": every}).is(200).shows(object{"content": every})
	ada.patch(t, eventPath(id), `{"title": "\ud83d\ude42"}`).is(200).shows(object{"title": "🙂"})
}

func bodyOfOneMiB(t *testing.T, s *server) {
	ada := s.member(t)
	const most = 1 << 20
	body := `{"uid": [], "padding": "` + strings.Repeat("x", most-26) + `"}`
	require.Len(t, body, most)
	ada.post(t, simpleInfo, body).is(200)
	ada.post(t, simpleInfo, body+" ").fails(413, "PAYLOAD_TOO_LARGE")
}

func bodyAnnouncedTooLarge(t *testing.T, s *server) {
	ada := s.staff(t)
	for _, to := range s.takers(t, ada, ada.publishes(t, "x")) {
		for _, length := range []int{to.limit() + 1, 1 << 40} {
			headers := []string{"Authorization: Token " + ada.key, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", length)}
			w := s.dial(t).say(request(to.method, to.path, headers, ""))
			w.answer(to.method).fails(413, "PAYLOAD_TOO_LARGE")
		}
	}
}

func bodyWithoutEnd(t *testing.T, s *server) {
	s = s.direct(t)
	ada := s.staff(t)
	headers := []string{"Authorization: Token " + ada.key, "Content-Type: application/json", "Transfer-Encoding: chunked"}
	for _, to := range s.takers(t, ada, ada.publishes(t, "x")) {
		if to.path != events && to.path != images { // as all others are read, and as uploads are
			continue
		}
		chunk := to.limit() + 1
		first := fmt.Sprintf("%x\r\n%s\r\n", chunk, strings.Repeat(" ", chunk))
		w := s.dial(t).say(request(to.method, to.path, headers, "") + first)
		a := w.answer(to.method).fails(413, "PAYLOAD_TOO_LARGE")
		assert.True(t, a.closes, "what follows is no request")
	}
}

func otherMediaTypes(t *testing.T, s *server) {
	ada := s.staff(t)
	for _, to := range s.takers(t, ada, ada.publishes(t, "x")) {
		for _, other := range []string{
			"text/plain", "text/json", "application/xml", "application/jsonp", "application/x-www-form-urlencoded",
			"multipart/form-data; boundary=x", "json", "*/*", "application/json, text/html", "application/octet-stream", "text/html; charset=utf-7",
			";;;", "/", "application/", "application/json/xml", "\xff", "multipart/form-data; boundary=" + strings.Repeat("x", 1000),
		} {
			if to.takesFiles && strings.HasPrefix(other, "multipart/") {
				ada.saying("Content-Type", other).send(t, to.method, to.path, to.body).invalid("non_field_errors")
				continue
			}
			ada.saying("Content-Type", other).send(t, to.method, to.path, to.body).fails(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
		}
		for _, coding := range []string{"gzip", "br, gzip", "x"} {
			coded := ada.saying("Content-Encoding", coding)
			coded.send(t, to.method, to.path, zipped(t)).fails(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
		}
		a := ada.saying("Content-Type", "Application/JSON; charset=utf-8").send(t, to.method, to.path, to.body)
		assert.NotEqual(t, http.StatusUnsupportedMediaType, a.status, to.path)
	}
}

func picturesAreNotReassigned(t *testing.T, s *server) {
	ada, eve := s.member(t), s.member(t)
	before := ada.get(t, profile).is(200)
	theirs := ada.keeps(t, "ada's")
	reach := beyond(ada, theirs)
	kept := object{"user": eve.id, "img_width": 30, "img_height": 20, "create_time": "2026-11-20T12:00:00.000000Z", "delete_time": nil}
	image := eve.post(t, images, with(reach, object{"img": aPNG(t), "tags": []any{"mine"}})).is(201).shows(kept)
	assert.NotEqual(t, theirs, image.int("data.id"))
	assert.Contains(t, image.text("data.img"), s.url+"/media/public/")
	retagged := eve.patch(t, imagePath(image.int("data.id")), with(reach, object{"tags": []any{"still"}, "img": dot})).is(200)
	assert.Equal(t, image.text("data.img"), retagged.text("img"))
	assert.Equal(t, image.int("data.id"), retagged.int("id"))

	event := eve.publishes(t, "x")
	plate := eve.post(t, plates, with(reach, object{"event": event, "photo": aPNG(t)})).is(201)
	plate.shows(object{"user": eve.id, "user_name": "Ada Berg", "create_time": "2026-11-20T12:00:00.000000Z"})
	assert.Contains(t, plate.text("data.photo"), s.url+"/media/private/")

	eve.send(t, "PUT", avatars, with(reach, object{"avatar": aPNG(t)})).is(200).shows(object{"uid": eve.id})
	after := ada.get(t, profile).is(200)
	assert.Equal(t, before.text("data.avatar"), after.text("data.avatar"))
	assert.Equal(t, []string{"[ada's]"}, s.anyone().get(t, imagesOf(ada)).is(200).column("data", "tags"))
}

func ordersAreNotReassigned(t *testing.T, s *server) {
	ada, eve, staff := s.member(t), s.member(t), s.staff(t)
	reach := beyond(ada, 4711)
	order := staff.post(t, newOrder, with(draftFor(ada), reach)).is(201).shows(object{
		"state": "open", "paid_at": nil, "transaction_id": nil, "created_at": "2026-11-20T12:00:00.000000Z",
		"expires_at": "2026-11-20T14:00:00.000000Z", "amount": 990,
	}).int("data.id")
	assert.NotEqual(t, 4711, order)
	paying := with(object{"order_id": order, "amount": 1, "total_fee": 1, "currency": "XXX", "user": ada.id, "uid": ada.id}, reach)
	ada.post(t, pay, paymentWith(paying)).fails(503, "SERVICE_UNAVAILABLE") // there is no wallet
	eve.post(t, pay, paymentWith(paying)).fails(404, "RESOURCE_NOT_FOUND")
	ada.get(t, fmt.Sprintf("%s%d/", ownOrders, order)).is(200).shows(object{"state": "open", "amount": 990, "currency": "CNY", "paid_at": nil})
}

func nobodyElseIsNamed(t *testing.T, s *server) {
	ada, eve := s.member(t), s.member(t)
	ada.writes(t, object{"title": "ada's draft"})
	ada.follows(t, eve)
	order := s.orders(t, ada)
	for _, path := range []string{events, subscriptions, sessions, ownOrders, recent, profile} {
		plain := eve.get(t, path).is(200)
		for _, name := range []string{"uid", "user", "user_id", "author", "owner", "id", "account"} {
			sameAnswer(t, plain, eve.get(t, fmt.Sprintf("%s?%s=%d", path, name, ada.id)), path, name)
		}
	}
	eve.send(t, "PUT", passwordPath, object{"old_password": password, "new_password": newPassword, "uid": ada.id, "user": ada.id,
		"username": ada.phone}).is(204)
	s.anyone().gets(t, ada)
	s.anyone().logsIn(t, eve.phone, newPassword).is(200)
	eve.post(t, logout, object{"uid": ada.id, "key": ada.key}).is(204)
	ada.get(t, profile).is(200)
	ada.get(t, fmt.Sprintf("%s%d/", ownOrders, order)).is(200)
}
