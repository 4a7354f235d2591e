package contract

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/publication"
)

var selectingRows = []row{
	{"GEN-17 items have the fields that are asked for", fieldsSelected, oneStore},
	{"GEN-17 related data that is not asked for is not read", relatedLeftOut, everyStore},
	{"GEN-17 an unknown field is refused with those that exist", unknownNames, oneStore},
	{"GEN-17 every list and item that the row names takes fields", fieldsEverywhere, oneStore},
	{"GEN-18 EVT-23 a cursor goes through every list", cursorsEverywhere, everyStore},
	{"GEN-18 a cursor stands alone", cursorAlone, oneStore},
	{"EVT-25 own events by status and day", eventsSelected, everyStore},
}

func (a answer) raw() string {
	a.t.Helper()
	var wrapped struct{ Data json.RawMessage }
	require.NoError(a.t, json.Unmarshal(a.is(200).body, &wrapped))
	return string(wrapped.Data)
}

func fieldsSelected(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "a & <b>", object{"content": "x"})
	ada.comments(t, id, "hm")
	plate := ada.attaches(t, id).at("data.id")
	assert.Equal(t, fmt.Sprintf(`{"id":%d,"title":"a & <b>"}`, id), ada.get(t, eventPath(id)+"?fields=title,id").raw(), "in the usual order")
	one := ada.get(t, eventPath(id)+"?fields=user.username&fields=comments.content,plates.id").is(200)
	sameJSON(t, object{"user": object{"username": "Ada Berg"}, "comments": []object{{"content": "hm"}}, "plates": []object{{"id": plate}}},
		one.at("data"))

	list := ada.get(t, events+"?fields=id&page_size=1").is(200)
	assert.Equal(t, 1, list.int("pagination.total_count"))
	sameJSON(t, []object{{"id": id}}, list.at("data"))
	assert.JSONEq(t, ada.get(t, events).raw(), ada.get(t, events+"?fields=").raw(), "blank is absent")
}

// relatedLeftOut shows what the events have without the fields that other statements read.
func relatedLeftOut(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "one")
	ada.publishes(t, "other")
	ada.comments(t, id, "hm")
	for _, path := range []string{eventPath(id), events, eventsOf(ada), events + "new-comment-event/"} {
		whole := ada.get(t, path).is(200).json().(object)["data"]
		for _, fields := range []string{
			"id,title,comment_count", "the_moment", "place_around,user", "comments", "the_moment.id,comments.user.uid",
		} {
			part := ada.get(t, path+"?fields="+fields).is(200).json().(object)["data"]
			assert.Equal(t, only(whole, strings.Split(fields, ",")), part, "%s %s", path, fields)
		}
	}
}

// only is the value with the named fields alone, those within others behind a dot.
func only(v any, names []string) any {
	switch v := v.(type) {
	case []any:
		some := make([]any, len(v))
		for i := range v {
			some[i] = only(v[i], names)
		}
		return some
	case object:
		some, within := object{}, map[string][]string{}
		for _, name := range names {
			if first, rest, is := strings.Cut(name, "."); is {
				within[first] = append(within[first], rest)
			} else if value, has := v[name]; has {
				some[name] = value
			}
		}
		for name, inner := range within {
			some[name] = only(v[name], inner)
		}
		return some
	}
	return v
}

func unknownNames(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "one")
	for sent, named := range map[string]string{"id,titel": "title", "user.name": "user.username", "plates.sizes.xl": "plates"} {
		refused := ada.get(t, eventPath(id)+"?fields="+sent).invalid("fields")
		assert.Contains(t, refused.text("data.fields.0"), named, sent)
	}
	ada.get(t, events+"?fields=titel&status=5").invalid("fields", "status")
	s.anyone().get(t, eventPath(id)+"?fields=titel").is(401)
	ada.get(t, eventPath(id+99)+"?fields=titel").is(404)
	ada.get(t, "/api/feed/items//?fields=titel").is(404)
}

// fieldsEverywhere has an item in each list, and asks it for one field.
func fieldsEverywhere(t *testing.T, s *server) {
	ada, bob := s.called(t, "Ada", "Lake"), s.member(t)
	id := ada.publishes(t, "one")
	bob.comments(t, id, "hm")
	bob.follows(t, ada)
	ada.keeps(t, "lake")
	s.shelve(t, 7, "Seven")
	s.storesItem(t, ada, 1, 7)
	s.storesNode(t, ada, 2, 7)
	s.storesDemand(t, ada, 3, 7)
	s.storesPublication(t, ada, 4, 7, func(p *publication.Publication) { p.Cover = cover("cover_sm") })
	s.storesDemand(t, ada, 5, 7, func(d *demand.Demand) { d.Cover = cover("demand_cover_md") })
	for path, field := range map[string]string{
		timeline: "title", comments + fmt.Sprintf("?event=%d", id): "user.uid", "/api/feed/items/7/": "entity_type",
		"/api/feed/item/node/2/": "translations", "/api/feed/item/demand/3/": "author.uid", publications: "bundle.original_id",
		"/api/feed/item/publication/4/": "cover_images.sizes.cover_sm.width",
		"/api/feed/item/demand/5/":      "auto_covers.sizes.demand_cover_md.path", images + "?uid=" + fmt.Sprint(ada.id): "tags",
		images + "?page=1&uid=" + fmt.Sprint(ada.id): "img_width", notifications: "event.title", search + "?name=Ada": "avatars.sizes.sm",
	} {
		reader := ada
		if path == timeline || strings.Contains(path, "search") {
			reader = bob
		}
		join := map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")]
		whole := reader.get(t, path).is(200).json().(object)
		part := reader.get(t, path+join+"fields="+field).is(200).json().(object)
		require.NotEmpty(t, whole["data"], path)
		whole["data"] = only(whole["data"], []string{field})
		assert.Equal(t, whole, part, path)
		reader.get(t, path+join+"fields=none").invalid("fields")
	}
	tagged := ada.get(t, "/api/feed/items/7/?fields=title").is(200)
	assert.NotEqual(t, ada.get(t, "/api/feed/items/7/").header.Get("ETag"), tagged.header.Get("ETag"))
	ada.saying("If-None-Match", tagged.header.Get("ETag")).get(t, "/api/feed/items/7/?fields=title").is(304)
}

type grown struct {
	path, id string
	add      func(i int) (remove func())
}

// cursorsEverywhere reads each list in parts, while an item is added before what was read, and one that was read and one that was
// not are removed.
func cursorsEverywhere(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	on := bob.publishes(t, "discussed")
	s.shelve(t, 7, "Seven")
	path := func(list string, id int) string { return fmt.Sprintf("%s%d/", list, id) }
	ada.follows(t, bob)
	var people []person
	for range 7 {
		people = append(people, s.member(t))
	}
	none := func() {}
	for _, list := range []grown{
		{events, "id", func(i int) func() {
			id := ada.publishes(t, fmt.Sprint(i))
			return func() { ada.delete(t, eventPath(id)).is(204) }
		}},
		{timeline, "id", func(i int) func() {
			id := bob.publishes(t, fmt.Sprint(i))
			return func() { bob.delete(t, eventPath(id)).is(204) }
		}},
		{comments + fmt.Sprintf("?event=%d", on), "id", func(i int) func() {
			id := ada.comments(t, on, fmt.Sprint(i))
			return func() { ada.delete(t, path(comments, id)).is(204) }
		}},
		{images + fmt.Sprintf("?uid=%v", ada.id), "id", func(int) func() {
			id := ada.keeps(t)
			return func() { ada.delete(t, imagePath(id)).is(204) }
		}},
		{subscriptions, "id", func(i int) func() {
			id := ada.follows(t, people[i])
			return func() { ada.delete(t, path(subscriptions, id)).is(204) }
		}},
		{"/api/subscription/follower/", "id", func(i int) func() {
			id := people[i].follows(t, ada)
			return func() { people[i].delete(t, path(subscriptions, id)).is(204) }
		}},
		{"/api/user/block/", "uid", func(i int) func() {
			ada.blocks(t, people[i])
			return func() { ada.delete(t, fmt.Sprintf("/api/user/block/%v/", people[i].id)).is(204) }
		}},
		{"/api/feed/items/7/", "entity_id", func(i int) func() { s.storesNode(t, bob, 70+i, 7); return none }},
		{"/api/feed/items/7/?type=node", "entity_id", func(i int) func() { s.storesNode(t, bob, 80+i, 7); return none }},
		{publications, "id", func(i int) func() { s.storesItem(t, bob, 90+i, 7); return none }},
		{"/api/pay/order/", "id", func(int) func() { s.orders(t, ada); return none }},
		{"/api/user/session/", "id", func(int) func() { s.issue(t, ada, time.Hour); return none }},
	} {
		t.Run(strings.ReplaceAll(list.path, "/", "_"), func(t *testing.T) { ada.walks(t, s, list) })
	}
	assert.NotEmpty(t, bob.get(t, eventsOf(bob)+"?cursor=").is(200).list("data"))
}

// walks reads the list in parts of two.
func (p person) walks(t *testing.T, s *server, list grown) {
	t.Helper()
	join := map[bool]string{true: "&", false: "?"}[strings.Contains(list.path, "?")]
	var removes []func()
	for i := range 5 {
		s.minutesLater(func() { removes = append(removes, list.add(i)) })
	}
	want := p.get(t, list.path+join+"page_size=100").is(200).each("data", list.id)
	require.GreaterOrEqual(t, len(want), 5)
	cursor, parts := "", [][]any{}
	for first := true; ; first = false {
		part := p.get(t, list.path+join+"page_size=2&cursor="+url.QueryEscape(cursor)).is(200)
		require.False(t, part.has("pagination"))
		parts = append(parts, part.each("data", list.id))
		if first {
			s.minutesLater(func() { list.add(5) })
			removes[4]() // the first, which was read and which no cursor names
			removes[3]() // the second, which the cursor names
			removes[1]() // the fourth, which is not read yet
		}
		if part.at("cursor.next") == nil {
			break
		}
		cursor = part.text("cursor.next")
		decoded, err := base64.RawURLEncoding.DecodeString(cursor)
		require.NoError(t, err)
		for _, junk := range []string{"\x00", "\xff"} { // no text that a database takes
			p.get(t, list.path+join+"cursor="+base64.RawURLEncoding.EncodeToString(append(decoded, junk...))).is(400)
		}
		require.LessOrEqual(t, len(parts), len(want), "the list ends")
	}
	var got []any
	for _, part := range parts {
		got = append(got, part...)
	}
	after := p.get(t, list.path+join+"page_size=100").is(200).each("data", list.id)
	var left []any // of what was there at the beginning
	for i, id := range want {
		if i < 2 || slices.Contains(after, id) {
			left = append(left, id)
		}
	}
	assert.Equal(t, left, got)
}

func cursorAlone(t *testing.T, s *server) {
	ada := s.member(t)
	for i := range 3 {
		ada.publishes(t, fmt.Sprint(i))
	}
	next := url.QueryEscape(ada.get(t, events+"?cursor=&page_size=1").is(200).text("cursor.next"))
	ada.get(t, events+"?cursor="+next+"&page=1").invalid("cursor")
	ada.get(t, events+"?cursor=&page=2").invalid("cursor")
	ada.get(t, events+"?cursor="+next+"&ordering=create_time").invalid("cursor")
	ada.get(t, events+"?cursor="+next+"&ordering=-event_time,-create_time").is(200)
	ada.get(t, eventsOf(ada)+"?cursor="+next).invalid("cursor") // of another list
	ada.get(t, events+"?cursor=x").invalid("cursor")
	images := images + fmt.Sprintf("?uid=%v", ada.id)
	assert.Nil(t, ada.get(t, images+"&cursor=").is(200).at("cursor.next"))
	assert.False(t, ada.get(t, images).is(200).has("cursor"), "without page the list is whole (IMG-06)")
}

func eventsSelected(t *testing.T, s *server) {
	ada := s.member(t)
	for day, publish := range map[string]bool{"2026-01-31": true, "2026-02-01": false, "2026-02-28": true, "2026-03-01": false} {
		ada.writes(t, object{"title": day, "event_time": day, "publish": publish}).is(201)
	}
	for query, want := range map[string][]string{
		"status=0": {"2026-03-01", "2026-02-01"}, "status=100": {"2026-02-28", "2026-01-31"},
		"from=2026-02-01&to=2026-02-28": {"2026-02-28", "2026-02-01"}, "from=2026-02-28": {"2026-03-01", "2026-02-28"},
		"to=2026-01-31": {"2026-01-31"}, "status=0&from=2026-02-02": {"2026-03-01"}, "from=2026-03-02": {},
		"status=&from=&to=":            {"2026-03-01", "2026-02-28", "2026-02-01", "2026-01-31"},
		"status=0&ordering=event_time": {"2026-02-01", "2026-03-01"}, "status=0&cursor=": {"2026-03-01", "2026-02-01"},
	} {
		found := ada.get(t, events+"?"+query).is(200)
		assert.Equal(t, want, append([]string{}, found.titles()...), query)
		if !strings.Contains(query, "cursor") {
			assert.Equal(t, len(want), found.int("pagination.total_count"), query)
		}
	}
	for _, wrong := range []string{"status=50", "status=draft", "status=200", "from=2026-02-30", "to=yesterday", "from=20260201"} {
		ada.get(t, events+"?"+wrong).invalid(strings.SplitN(wrong, "=", 2)[0])
	}
}
