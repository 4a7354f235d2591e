package contract

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var bodyRows = []row{
	{"GEN-08 what is no JSON object is refused as a whole", noObjects, oneStore},
	{"GEN-08 all wrong fields are named together wrong types too", namedTogether, oneStore},
	{"GEN-08 missing fields are named", missingFields, oneStore},
	{"GEN-08 unknown fields are ignored", unknownFields, oneStore},
	{"GEN-08 fields that are not the client's change nothing", notTheClients, oneStore},
	{"GEN-08 an integer may come as a decimal string", decimalStrings, oneStore},
	{"GEN-08 titles and user names are trimmed passwords and contents never", trimming, oneStore},
	{"GEN-08 a text without a visible character is blank everywhere", invisibleIsBlank, oneStore},
	{"GEN-08 null is refused where it means nothing", nulls, oneStore},
	{"GEN-08 text is UTF-8 without NUL", textIsText, oneStore},
}

var sizeRows = []row{
	{"GEN-11 a body of one MiB is taken", bodyOfOneMiB, oneStore},
	{"GEN-11 a larger one is refused before it is sent", bodyAnnouncedTooLarge, oneStore},
	{"GEN-11 a larger one without a length is refused before its end", bodyWithoutEnd, oneStore},
	{"GEN-07 another media type is refused", otherMediaTypes, oneStore},
}

// taker is an operation that takes a body: one that it takes gladly, and how the
// answer to that begins.
type taker struct {
	method, path string
	body         object
	status       int
	takesFiles   bool // forms too, and more bytes
}

// limit is how many bytes of JSON the operation takes (GEN-11): one MiB, or the
// base64 of ten and one more.
func (to taker) limit() int {
	if to.takesFiles {
		return (10<<20+2)/3*4 + 1<<20
	}
	return 1 << 20
}

// dot is the smallest picture there is: a GIF of one pixel, in base64.
const dot = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

// takers is every operation that takes a body, for a member of staff with an
// event. The wallet's notification is not among them: it is answered in its own way.
func (s *server) takers(t *testing.T, p person, event int) []taker {
	t.Helper()
	image := p.post(t, "/api/user/user-image/", object{"img": dot}).is(201).int("data.id")
	all := []taker{
		{method: "POST", path: login, body: object{"username": p.phone, "password": password}, status: 200},
		{method: "POST", path: simpleInfo, body: object{"uid": []any{p.id}}, status: 200},
		{method: "POST", path: events, body: object{"title": "A walk"}, status: 201},
		{method: "PATCH", path: eventPath(event), body: object{"title": "A walk"}, status: 200},
		{method: "POST", path: comments, body: object{"event": event, "content": "Oh"}, status: 201},
		{method: "POST", path: subscriptions, body: object{"followed_user": s.member(t).id}, status: 201},
		{method: "POST", path: "/api/user/user-image/", body: object{"img": dot}, status: 201, takesFiles: true},
		{method: "PATCH", path: fmt.Sprintf("/api/user/user-image/%d/", image), body: object{"tags": []any{"tea"}}, status: 200},
		{method: "POST", path: "/api/xfile/plate/", body: object{"event": event, "photo": dot}, status: 201, takesFiles: true},
		{method: "POST", path: "/api/pay/order/pay/", body: object{"pay_method": 200, "end_type": 0}, status: 404}, // nothing to pay
		{method: "PUT", path: avatars, body: object{"avatar": dot}, status: 200, takesFiles: true},
		{method: "PUT", path: passwordPath, body: object{"old_password": password, "new_password": password}, status: 204},
		{method: "POST", path: codePath, body: object{"username": newcomer(1), "purpose": "sign_up"}, status: 202},
		{method: "POST", path: signUpPath, body: object{ // without a code, as the next ones
			"username": newcomer(1), "code": "000000", "password": password, "firstname": "Ada", "lastname": "Berg",
		}, status: 400},
		{method: "POST", path: resetPath, body: object{"username": newcomer(1), "code": "000000", "password": password}, status: 400},
		{method: "PUT", path: phonePath, body: object{"username": newcomer(1), "code": "000000", "password": password}, status: 400},
		{method: "POST", path: erasePath, body: object{"code": "000000", "password": password}, status: 400},
		{method: "PATCH", path: profile, body: object{"location": "Uppsala"}, status: 200},
		{method: "PUT", path: readNotifications, body: object{"up_to": 1}, status: 204},
		{method: "POST", path: newOrder, body: draftFor(s.member(t)), status: 201},
		{method: "POST", path: refunds, body: object{"payment": 1, "reason": "x"}, status: 404}, // nothing was paid
		{method: "POST", path: reportPath, body: object{"event": event, "reason": "spam"}, status: 201},
		{method: "POST", path: decidePath, body: object{"report": 9999, "reason": "x"}, status: 404},
		{method: "POST", path: hidePath, body: object{"event": 9999, "reason": "x"}, status: 404},
		{method: "POST", path: restorePath, body: object{"event": 9999, "reason": "x"}, status: 404},
	}
	for _, act := range []string{"disable/", "enable/", "end-sessions/", "scopes/"} {
		body := object{"reason": "x", "scopes": []any{}, "staff": false}
		all = append(all, taker{method: "POST", path: staffPath(s.member(t).id, act), body: body, status: 200})
	}
	doc, err := theDocument()
	require.NoError(t, err)
	described := 0
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			if operation.RequestBody != nil && operation.Extensions["x-outside-envelope"] != true {
				described++
			}
		}
	}
	require.Len(t, all, described, "an operation takes a body and is not tried here")
	return all
}

func noObjects(t *testing.T, s *server) {
	ada := s.staff(t)
	for _, to := range s.takers(t, ada, ada.publishes(t, "x")) {
		for _, body := range []string{
			"", " ", "null", "[]", `[{"title":"a"}]`, `"x"`, "1", "true", "{", `{"title":}`, `{"title":"a"`, "{'title':'a'}",
			`{"title":"a",}`, `{"title":"a"} {}`, `{"title":"a"}x`, `{title:"a"}`, `{"title":"a" "content":"b"}`, `// {}`, "{}\x00",
		} {
			ada.send(t, to.method, to.path, body).invalid("non_field_errors")
		}
		ada.send(t, to.method, to.path, to.body).is(to.status)
	}
}

func namedTogether(t *testing.T, s *server) {
	ada := s.member(t)
	ada.post(t, login, object{"username": 5, "password": []any{}, "scope": "xfile_event"}).invalid("username", "password", "scope")
	ada.post(t, login, object{"username": "ada", "scope": []any{"xfile_event", 5}}).invalid("username", "password", "scope")
	ada.post(t, comments, object{"event": "x", "content": 5}).invalid("event", "content")
	ada.post(t, comments, object{"event": 1.5, "content": strings.Repeat("é", 2001)}).invalid("event", "content")
	for _, uid := range []any{5, "5", object{}, true, []any{"x"}, []any{1.5}, []any{true}, []any{[]any{}}, []any{1, nil}} {
		ada.post(t, simpleInfo, object{"uid": uid}).invalid("uid")
	}
	ada.post(t, events, object{
		"title": strings.Repeat("x", 201), "content": 5, "html_content": object{}, "event_time": "tomorrow",
		"view_permission": 1, "category": "x", "publish": "x",
	}).invalid("title", "content", "html_content", "event_time", "view_permission", "category", "publish")
	for _, outside := range []any{-1, 1, 300, "50", 1e9, "Public"} {
		ada.post(t, events, object{"view_permission": outside}).invalid("view_permission")
	}
}

func missingFields(t *testing.T, s *server) {
	ada := s.member(t)
	ada.post(t, login, object{}).invalid("username", "password")
	ada.post(t, login, object{"username": ada.phone}).invalid("password")
	ada.post(t, login, object{"password": password}).invalid("username")
	ada.post(t, login, object{"username": "", "password": ""}).invalid("username", "password")
	ada.post(t, simpleInfo, object{}).invalid("uid")
	ada.post(t, comments, object{}).invalid("event", "content")
	ada.post(t, comments, object{"content": "Oh"}).invalid("event")
	ada.post(t, comments, object{"event": ada.publishes(t, "x")}).invalid("content")
	ada.post(t, subscriptions, object{}).is(400)
}

func unknownFields(t *testing.T, s *server) {
	ada := s.staff(t)
	for _, to := range s.takers(t, ada, ada.publishes(t, "x")) {
		to.body["colour"], to.body["x"], to.body[""] = "blue", object{"y": []any{1, nil}}, nil
		ada.send(t, to.method, to.path, to.body).is(to.status)
	}
}

func notTheClients(t *testing.T, s *server) {
	ada, eve, bob := s.member(t), s.member(t), s.member(t)
	reach := object{
		"id": 4711, "user": ada.id, "author": ada.id, "uid": ada.id, "is_staff": true, "staff": true, "status": 100,
		"scopes": []any{"xfile_event"}, "phone": ada.phone, "comment_count": 9, "like_count": 9,
		"create_time": "2001-01-01T00:00:00Z", "created_at": "2001-01-01T00:00:00Z", "updated_at": "2001-01-01T00:00:00Z",
		"last_modified": "2001-01-01T00:00:00Z", "entity_type": 200, "subscription_type": "follow_category", "key": "x",
	}
	with := func(more object) object {
		body := object{}
		for _, fields := range []object{reach, more} {
			for name, value := range fields {
				body[name] = value
			}
		}
		return body
	}
	id := ada.publishes(t, "x")
	before := eve.get(t, profile).is(200)

	event := eve.writes(t, with(object{"title": "mine"}))
	event.shows(object{"user.uid": eve.id, "status": 0, "create_time": "2026-11-20T12:00:00.000000Z", "comment_count": 0, "like_count": 0})
	assert.NotEqual(t, 4711, event.int("data.id"))
	changed := eve.patch(t, eventPath(event.int("data.id")), with(object{"title": "still mine"})).is(200)
	changed.shows(object{"id": event.at("data.id"), "user.uid": eve.id, "status": 0, "last_modified": "2026-11-20T12:00:00.000000Z"})

	comment := eve.post(t, comments, with(object{"event": id, "content": "Oh"})).is(201)
	comment.shows(object{"user.uid": eve.id, "create_time": "2026-11-20T12:00:00.000000Z"})
	assert.NotEqual(t, 4711, comment.int("data.id"))

	followed := eve.post(t, subscriptions, with(object{"followed_user": bob.id})).is(201)
	followed.shows(object{
		"user.uid": eve.id, "entity_type": 100, "subscription_type": "follow_user",
		"created_at": "2026-11-20T12:00:00.000000Z", "updated_at": "2026-11-20T12:00:00.000000Z",
	})
	assert.NotEqual(t, 4711, followed.int("data.id"))

	key := s.anyone().post(t, login, with(object{"username": eve.phone, "password": password})).is(200).text("data.key")
	assert.JSONEq(t, string(before.body), string(s.with(key).get(t, profile).is(200).body))
	ada.reads(t, id).shows(object{"title": "x", "user.uid": ada.id, "comment_count": 1, "like_count": 0})
}

func decimalStrings(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	ada.patch(t, eventPath(id), object{"view_permission": "100"}).is(200).shows(object{"view_permission": 100})
	ada.patch(t, eventPath(id), object{"view_permission": "0"}).is(200).shows(object{"view_permission": 0})
	ada.post(t, comments, object{"event": fmt.Sprint(id), "content": "Oh"}).is(201)
	ada.post(t, subscriptions, object{"followed_user": fmt.Sprint(bob.id)}).is(201).shows(object{"followed_user.uid": bob.id})
	asked := ada.post(t, simpleInfo, object{"uid": []any{fmt.Sprint(bob.id), ada.id}}).is(200)
	sameJSON(t, []any{bob.id, ada.id}, asked.each("data", "uid"))
	for _, no := range []any{"", "0x64", "1e2", "hundred", "1 00", "100,0", "١٠٠", []any{"100"}} {
		ada.patch(t, eventPath(id), object{"view_permission": no}).invalid("view_permission")
		ada.post(t, comments, object{"event": no, "content": "Oh"}).invalid("event")
	}
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

func nulls(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	ada.post(t, login, object{"username": nil, "password": nil, "scope": nil}).invalid("username", "password", "scope")
	ada.post(t, login, object{"username": ada.phone, "password": password, "scope": []any{nil}}).invalid("scope")
	ada.post(t, simpleInfo, object{"uid": nil}).invalid("uid")
	ada.post(t, comments, object{"event": nil, "content": nil}).invalid("event", "content")
	ada.patch(t, eventPath(id), object{"title": nil, "event_time": nil, "publish": nil}).invalid("title", "event_time", "publish")
	ada.reads(t, id).shows(object{"title": "x", "status": 100})
}

func textIsText(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	for _, text := range []string{"a\x00b", "\x00"} {
		ada.patch(t, eventPath(id), object{"title": text, "content": text, "html_content": text}).invalid("title", "content", "html_content")
		ada.post(t, comments, object{"event": id, "content": text}).invalid("content")
		ada.post(t, login, object{"username": text, "password": text, "scope": []any{text}}).invalid("username", "password", "scope")
	}
	for _, surrogate := range []string{`\ud800`, `\udc00`, `\ud800\ud800`, `a\udbffb`} { // half a character is none
		ada.patch(t, eventPath(id), `{"title": "`+surrogate+`"}`).invalid("title")
	}
	for _, broken := range []string{"\xff", "\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf5\x80\x80\x80"} {
		ada.patch(t, eventPath(id), `{"title": "`+broken+`"}`).is(400)
		ada.patch(t, eventPath(id), `{"`+broken+`": "x"}`).is(400)
	}
	ada.reads(t, id).shows(object{"title": "x"})
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
			"multipart/form-data; boundary=x", "json", "*/*", "application/json, text/html",
		} {
			if to.takesFiles && strings.HasPrefix(other, "multipart/") {
				ada.saying("Content-Type", other).send(t, to.method, to.path, to.body).invalid("non_field_errors")
				continue
			}
			ada.saying("Content-Type", other).send(t, to.method, to.path, to.body).fails(http.StatusUnsupportedMediaType, "UNSUPPORTED_MEDIA_TYPE")
		}
		ada.saying("Content-Type", "Application/JSON; charset=utf-8").send(t, to.method, to.path, to.body).is(to.status)
	}
}
