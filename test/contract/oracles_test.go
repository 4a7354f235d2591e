package contract

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// oracleRows show that what a caller may not see is answered as if it did not exist.
var oracleRows = []row{
	{"EVT-08 what is out of sight is answered as what never was to the last byte", answeredAsNothing, oneStore},
}

const never = 999_999_999

// sameAnswer asserts that two answers differ in nothing but their request ids and times.
func sameAnswer(t *testing.T, want, got answer, about ...any) {
	t.Helper()
	assert.Equal(t, want.status, got.status, about...)
	assert.Equal(t, string(want.body), string(got.body), about...)
	common := func(h http.Header) http.Header {
		h = h.Clone()
		h.Del("X-Request-Id")
		h.Del("Date")
		return h
	}
	assert.Equal(t, common(want.header), common(got.header), about...)
}

type numbered struct {
	method string
	path   func(id int) string
	body   func(id int) any
}

func answeredAsNothing(t *testing.T, s *server) {
	ada, contact, eve, staff := s.member(t), s.member(t), s.member(t), s.staff(t)
	befriend(t, ada, contact)
	eve.follows(t, ada)
	in := func(path string) func(int) string {
		return func(id int) string { return fmt.Sprintf("%s%d/", path, id) }
	}
	at := func(path string) func(int) string { return func(int) string { return path } }
	naming := func(field string, more object) func(int) any {
		return func(id int) any { return with(object{field: id}, more) }
	}
	none := func(int) any { return nil }
	garbage := func(int) any { return "{" }
	aboutEvent := []numbered{
		{"GET", in(events), none}, {"HEAD", in(events), none}, {"DELETE", in(events), none}, {"PATCH", in(events), garbage},
		{"PATCH", in(events), naming("title", nil)}, {"PUT", in("/api/activity/like/"), none}, {"DELETE", in("/api/activity/like/"), none},
		{"GET", commentsOn, none}, {"GET", func(id int) string { return commentsOn(id) + "&page=2" }, none},
		{"POST", at(comments), naming("event", object{"content": "Oh"})}, {"POST", at(comments), naming("event", nil)},
		{"POST", at(plates), naming("event", object{"photo": dot})}, {"POST", at(plates), naming("event", nil)},
	}
	onlyNumber := func(path string) []numbered { return []numbered{{"DELETE", in(path), none}} }

	type hidden struct {
		name string
		from []person
		id   int
		asks []numbered
	}
	var all []hidden
	strangers := []person{eve, staff}
	shut, foe := s.member(t), s.member(t)
	ada.blocks(t, shut)
	foe.blocks(t, ada)
	everybody := []person{contact, eve, staff}
	for _, c := range []struct {
		name string
		body object
		from []person
	}{
		{"a draft", object{}, everybody}, {"a private draft", object{"view_permission": 200}, everybody},
		{"a private event", object{"publish": true, "view_permission": 200}, everybody},
		{"an event for contacts", object{"publish": true, "view_permission": 100}, strangers},
		{"a public event", object{"publish": true}, []person{shut, foe}}, {"a withdrawn event", object{"publish": true, "withdrawn": true},
			everybody}, {"a deleted event", object{"deleted": true}, append(everybody, ada)},
	} {
		c.body["title"] = "hidden"
		id := ada.writes(t, c.body).int("data.id")
		if c.body["withdrawn"] != nil {
			contact.put(t, likePath(id)).is(204)
			ada.patch(t, eventPath(id), object{"publish": false}).is(200)
		}
		comment, plate := ada.comments(t, id, "to myself"), ada.attaches(t, id).int("data.id")
		if c.body["deleted"] != nil {
			ada.delete(t, eventPath(id)).is(204)
		}
		all = append(all, hidden{c.name, c.from, id, aboutEvent},
			hidden{"a comment on " + c.name, c.from, comment, onlyNumber(comments)},
			hidden{"a plate of " + c.name, c.from, plate, onlyNumber(plates)})
	}
	order := staff.post(t, newOrder, draftFor(ada)).is(201).int("data.id")
	gone := ada.keeps(t)
	ada.delete(t, imagePath(gone)).is(204)
	all = append(all,
		hidden{"an order", everybody, order, []numbered{{"GET", in(ownOrders), none},
			{"POST", at(pay), func(id int) any { return paymentWith(object{"order_id": id}) }}}},
		hidden{"a subscription", everybody, ada.follows(t, s.member(t)), onlyNumber(subscriptions)},
		hidden{"a session", everybody, ada.get(t, sessions).is(200).int("data.0.id"), onlyNumber(sessions)},
		hidden{"a deleted image", append(everybody, ada), gone, []numbered{{"DELETE", in(images), none},
			{"PATCH", in(images), naming("tags", nil)}}},
	)
	asked := 0
	for _, h := range all {
		for _, who := range h.from {
			for _, ask := range h.asks {
				about := fmt.Sprintf("%s, %s %s, by %d", h.name, ask.method, ask.path(h.id), who.id)
				got := who.send(t, ask.method, ask.path(h.id), ask.body(h.id))
				assert.GreaterOrEqual(t, got.status, 400, about)
				sameAnswer(t, who.send(t, ask.method, ask.path(never), ask.body(never)), got, about)
				asked++
			}
		}
	}
	assert.Greater(t, asked, 200)
	for _, address := range []string{"/media/private/", "/media/public/"} { // whose files exist, and never did
		photo := ada.attaches(t, ada.publishes(t, "x")).text("data.photo")
		name, _, _ := strings.Cut(photo[strings.LastIndex(photo, "/")+1:], "?")
		sameAnswer(t, s.anyone().get(t, address+strings.Repeat("a", len(name)-4)+".jpg"), s.anyone().get(t, address+name), address)
	}
}
