package contract

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/user"
)

const searchPath = "/api/search/"

var textSearchRows = []row{
	{"SRC-01 events are found by the words of all languages", languagesFind, everyStore},
	{"SRC-01 publications, nodes and demands are found by titles, contents and texts", itemsFind, everyStore},
	{"SRC-01 publications and nodes are found by their names in all languages", allLanguagesFind, everyStore},
	{"SRC-01 nobody finds what is hidden, erased, blocked or another's draft", unfindable, everyStore},
	{"SRC-01 the found are shown as in their lists, with the fields that are asked for", foundAsListed, everyStore},
	{"SRC-01 the words, the kinds and the cursor are checked", wrongSearches, oneStore},
}

func (c *client) seeks(t *testing.T, q string, more ...string) answer {
	t.Helper()
	return c.get(t, searchPath+"?q="+url.QueryEscape(q)+strings.Join(more, "")).is(200)
}

func (a answer) seen(t *testing.T) (found []string) {
	t.Helper()
	for i := range a.list("data") {
		at := fmt.Sprintf("data.%d.", i)
		found = append(found, a.text(at+"kind")+" "+a.text(at+"item.title"))
	}
	return found
}

func languagesFind(t *testing.T, s *server) {
	ada := s.member(t)
	all := testdata[map[string]struct {
		More    object
		FoundBy []string `json:"found_by"`
	}](t, "searches.json")
	for title, of := range all {
		ada.publishes(t, title, of.More)
	}
	for title, of := range all {
		for _, q := range of.FoundBy {
			assert.Equal(t, []string{"event " + title}, ada.seeks(t, q).seen(t), q)
		}
	}
	for _, q := range []string{"古理", "海洱", "nuñ", "groesse", "einszwei", "🎈", "大理 tokyo"} {
		assert.Empty(t, ada.seeks(t, q).list("data"), q)
	}
}

func itemsFind(t *testing.T, s *server) {
	ada := s.member(t)
	const span = `,"closed":"2026-12-01T09:00:00Z","start":"2026-11-02T09:00:00Z","end":"2026-11-20T09:00:00Z"`
	line := func(kind, title, at, more string) string {
		return fmt.Sprintf(`{"kind":%q,"id":8,"author":"r1","title":%q,"created":"2026-11-%sT09:00:00Z"%s}`, kind, title, at, more)
	}
	brings := func(html string) {
		_, rejects := s.brings(t, robotLine, `{"kind":"bundle","id":8}`, line("publication", "普洱茶", "03", `,"bundle":8,"language":"zh","summary":"Of tea","html":`+fmt.Sprintf("%q", html)),
			line("node", "El té", "02", `,"language":"es","summary":"tea 茶","html":"<p>agua</p>"`),
			line("demand", "Tea wanted", "01", `,"description":"普洱"`+span))
		assert.Empty(t, rejects)
	}
	brings("<p>Blätter</p>")
	for q, want := range map[string][]string{
		"tea":     {"publication 普洱茶", "node El té", "demand Tea wanted"},
		"茶":       {"publication 普洱茶", "node El té"},
		"普洱":      {"publication 普洱茶", "demand Tea wanted"},
		"blatter": {"publication 普洱茶"},
		"TE agua": {"node El té"},
	} {
		assert.Equal(t, want, s.anyone().seeks(t, q).seen(t), q)
		assert.Equal(t, want, ada.seeks(t, q).seen(t), q)
	}
	assert.Equal(t, []string{"node El té", "demand Tea wanted"}, ada.seeks(t, "tea", "&kind=node,demand").seen(t))
	assert.Equal(t, []string{"demand Tea wanted"}, ada.seeks(t, "tea", "&kind=demand").seen(t))
	brings("<p>Zweige</p>")
	assert.Empty(t, ada.seeks(t, "blatter").list("data"))
	assert.Len(t, ada.seeks(t, "zweige").list("data"), 1)
	staff := s.staff(t)
	for _, kind := range []string{"publication", "node", "demand"} {
		staff.post(t, hidePath, object{kind: 8, "reason": "Advertises"}).is(201)
	}
	assert.Empty(t, staff.seeks(t, "tea").list("data"))
	staff.post(t, restorePath, object{"publication": 8, "reason": "It does not"}).is(201)
	assert.Equal(t, []string{"publication 普洱茶"}, s.anyone().seeks(t, "tea zweige").seen(t))
}

func allLanguagesFind(t *testing.T, s *server) {
	bundle := func(id int, original string) string { return fmt.Sprintf(`{"kind":"bundle","id":%d%s}`, id, original) }
	line := func(kind string, id, bundle, second int, by, title, more string) string {
		return fmt.Sprintf(`{"kind":%q,"id":%d,"bundle":%d,"author":%q,"title":%q,"language":"en","created":"2026-11-01T09:00:%02dZ"%s}`,
			kind, id, bundle, by, title, second, more)
	}
	brings := func(lines ...string) {
		t.Helper()
		_, rejects := s.brings(t, append(lines, robotLine, strings.NewReplacer("r1", "r2", "0199", "0198").Replace(robotLine))...)
		assert.Empty(t, rejects)
	}
	finds := func(q string, want ...string) {
		t.Helper()
		assert.Equal(t, want, s.anyone().seeks(t, q).seen(t), q)
	}
	const tea, cha, part = "publication Tea", "publication 茶", "node First cup"
	brings(bundle(1, ""), bundle(2, `,"first_original":1,"original":1`), bundle(3, ""), line("publication", 1, 1, 5, "r1", "Tea", `,"html":"<p>Steep</p>"`),
		line("node", 4, 1, 2, "r1", "First cup", `,"html":"<p>Boil</p>"`), line("publication", 3, 3, 1, "r1", "Another", ""))
	finds("tea", tea, part)
	finds("茶")
	brings(line("publication", 2, 2, 4, "r2", "茶", "")) // in a later file
	finds("茶", tea, cha, part)
	finds("茶 boil", part)
	finds("steep 茶", tea)
	brings(line("publication", 2, 2, 4, "r2", "绿茶", ""))
	finds("绿茶", tea, "publication 绿茶", part)
	brings(line("publication", 2, 2, 4, "r2", "茶", ""), line("node", 5, 2, 3, "r1", "第一杯", ""))
	finds("绿茶")
	finds("tea", tea, cha, "node 第一杯", part)
	staff := s.staff(t)
	staff.post(t, hidePath, object{"publication": 1, "reason": "Advertises"}).is(201)
	finds("tea")
	finds("茶", cha, "node 第一杯", part)
	staff.post(t, restorePath, object{"publication": 1, "reason": "It does not"}).is(201)
	finds("tea", tea, cha, "node 第一杯", part)
	robot := s.anyone().get(t, cardOf("publication", 2)).is(200).int("data.author")
	s.erases(t, person{id: user.ID(robot)})
	finds("茶")
	finds("tea", tea, "node 第一杯", part)
}

func unfindable(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	ada.follows(t, bob)
	bob.follows(t, ada)
	id := ada.publishes(t, "Fog")
	s.minutesLater(func() {
		ada.publishes(t, "Fog for contacts", object{"view_permission": 100})
		ada.writes(t, object{"title": "Fog draft"})
	})
	finds := func(p *client, want ...string) {
		t.Helper()
		assert.ElementsMatch(t, want, p.seeks(t, "fog").seen(t))
	}
	narrowed := s.with(s.issue(t, bob, time.Hour, "writing_bundle"))
	finds(ada.client, "event Fog", "event Fog for contacts", "event Fog draft")
	finds(bob.client, "event Fog")
	finds(s.anyone())
	finds(narrowed)
	assert.Empty(t, s.anyone().seeks(t, "fog", "&kind=event").list("data"))
	bob.blocks(t, ada)
	finds(bob.client)
	ada.delete(t, fmt.Sprintf("/api/user/block/%v/", bob.id)).is(204) // it is bob's block
	finds(bob.client)
	bob.delete(t, fmt.Sprintf("/api/user/block/%v/", ada.id)).is(204)
	finds(bob.client, "event Fog")
	staff.post(t, hidePath, object{"event": id, "reason": "Rude"}).is(201)
	finds(bob.client)
	finds(ada.client, "event Fog for contacts", "event Fog draft")
	staff.post(t, restorePath, object{"event": id, "reason": "Fine"}).is(201)
	ada.patch(t, eventPath(id), object{"title": "Mist"}).is(200)
	finds(bob.client)
	assert.Equal(t, []string{"event Mist"}, bob.seeks(t, "mist").seen(t))
	ada.patch(t, eventPath(id), object{"view_permission": 200}).is(200)
	assert.Empty(t, bob.seeks(t, "mist").list("data"))
	ada.patch(t, eventPath(id), object{"view_permission": 0}).is(200)
	assert.Len(t, bob.seeks(t, "mist").list("data"), 1)
	s.erases(t, ada)
	finds(bob.client)
	assert.Empty(t, bob.seeks(t, "mist").list("data"))
}

func foundAsListed(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	s.shelve(t, 7, "Seven")
	s.storesDemand(t, ada, 3, 7)
	s.storesNode(t, ada, 2, 7)
	title := ada.get(t, itemsOf(7)).is(200).text("data.0.title")
	for _, item := range ada.get(t, itemsOf(7)).is(200).list("data") {
		kind := item.(object)["entity_type"].(string)
		found := ada.seeks(t, item.(object)["title"].(string), "&kind="+kind)
		assert.Contains(t, found.list("data"), object{"kind": kind, "item": item})
	}
	id := ada.publishes(t, title+" fog")
	bob.comments(t, id, "hm")
	found := bob.seeks(t, "fog")
	assert.Equal(t, object{"data": []any{object{"kind": "event", "item": bob.get(t, eventsOf(ada)).is(200).at("data.0")}},
		"cursor": object{"next": nil}}, found.json())
	for fields, want := range map[string]object{
		"kind":                  {"kind": "event"},
		"kind,item.title":       {"kind": "event", "item": object{"title": title + " fog"}},
		"item.comments.content": {"item": object{"comments": []any{object{"content": "hm"}}}},
	} {
		assert.Equal(t, []any{want}, bob.seeks(t, "fog", "&fields="+fields).list("data"), fields)
	}
	bob.get(t, searchPath+"?q=fog&fields=title").invalid("fields")
	list := grown{searchPath + "?q=walk", "item.id", func(i int) func() {
		id := ada.publishes(t, fmt.Sprint("walk ", i))
		return func() { ada.delete(t, eventPath(id)).is(204) }
	}}
	ada.walks(t, s, list)
}

func wrongSearches(t *testing.T, s *server) {
	ada := s.member(t)
	for _, q := range []string{"", " ", "…", "a\x00b", "ab\xff", strings.Repeat("林", 101)} {
		ada.get(t, searchPath+"?q="+url.QueryEscape(q)).invalid("q")
	}
	ada.seeks(t, strings.Repeat("林", 100))
	ada.seeks(t, "one two three four five six seven eight nine ten")
	for _, q := range []string{"' OR 1=1 --", `" OR "`, "a & b | !c", "NEAR(a b)", "*", "a:* -b", `\'`} {
		ada.get(t, searchPath+"?q="+url.QueryEscape(q))
	}
	ada.get(t, searchPath+"?kind=event,comment&cursor=x").invalid("q", "kind", "cursor")
	other := ada.get(t, timeline+"?page_size=1").is(200)
	ada.get(t, searchPath+"?q=a&cursor="+fmt.Sprint(other.at("cursor.next"))).invalid("cursor")
}
