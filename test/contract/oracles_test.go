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

// ask is a request about a thing, for whose number ID stands.
type ask struct{ method, path, body string }

// about is the request about the thing with the number.
func (a ask) about(id int) (path string, body any) {
	number := strings.NewReplacer("ID", fmt.Sprint(id))
	if a.body != "" {
		body = number.Replace(a.body)
	}
	return number.Replace(a.path), body
}

// of sends the request about the thing with the number.
func (a ask) of(t *testing.T, id int, who person) answer {
	t.Helper()
	path, body := a.about(id)
	return who.send(t, a.method, path, body)
}

// asksOfEvents are all requests about an event.
var asksOfEvents = []ask{
	{"GET", events + "ID/", ""}, {"HEAD", events + "ID/", ""}, {"DELETE", events + "ID/", ""}, {"PATCH", events + "ID/", "{"},
	{"PATCH", events + "ID/", `{"title": ID}`}, {"PUT", "/api/activity/like/ID/", ""}, {"DELETE", "/api/activity/like/ID/", ""},
	{"GET", comments + "?event=ID", ""}, {"GET", comments + "?event=ID&page=2", ""},
	{"POST", comments, `{"event": ID, "content": "Oh"}`}, {"POST", comments, `{"event": ID}`},
	{"POST", plates, `{"event": ID, "photo": "` + dot + `"}`}, {"POST", plates, `{"event": ID}`},
}

func answeredAsNothing(t *testing.T, s *server) {
	ada, contact, eve, staff := s.member(t), s.member(t), s.member(t), s.staff(t)
	befriend(t, ada, contact)
	eve.follows(t, ada)
	onlyNumber := func(path string) []ask { return []ask{{"DELETE", path + "ID/", ""}} }

	type hidden struct {
		name string
		from []person
		id   int
		asks []ask
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
		all = append(all, hidden{c.name, c.from, id, asksOfEvents},
			hidden{"a comment on " + c.name, c.from, comment, onlyNumber(comments)},
			hidden{"a plate of " + c.name, c.from, plate, onlyNumber(plates)})
	}
	order := staff.post(t, newOrder, draftFor(ada)).is(201).int("data.id")
	gone := ada.keeps(t)
	ada.delete(t, imagePath(gone)).is(204)
	all = append(all,
		hidden{"an order", everybody, order, []ask{{"GET", ownOrders + "ID/", ""},
			{"POST", pay, `{"order_id": ID, "pay_method": 200, "end_type": 0}`}}},
		hidden{"a subscription", everybody, ada.follows(t, s.member(t)), onlyNumber(subscriptions)},
		hidden{"a session", everybody, ada.get(t, sessions).is(200).int("data.0.id"), onlyNumber(sessions)},
		hidden{"a deleted image", append(everybody, ada), gone, []ask{{"DELETE", images + "ID/", ""},
			{"PATCH", images + "ID/", `{"tags": ID}`}}},
	)
	asked := 0
	for _, h := range all {
		for _, who := range h.from {
			for _, ask := range h.asks {
				about := fmt.Sprintf("%s, %s %s, by %d", h.name, ask.method, ask.path, who.id)
				got := ask.of(t, h.id, who)
				assert.GreaterOrEqual(t, got.status, 400, about)
				sameAnswer(t, ask.of(t, never, who), got, about)
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
