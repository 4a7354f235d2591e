package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/application/importing"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/publication"
)

var feedRows = slices.Concat([]row{
	{"FED-01 categories are a tree with exactly the interface's fields", treeOfCategories, everyStore},
	{"FED-02 meta tells the latest creation and update and the count", metaOfCategories, everyStore},
	{"FED-03 the latest creation comes first and those without items last", orderOfCategories, everyStore},
	{"FED-04 an unknown type is refused", typesUnknown, oneStore},
	{"FED-10 what is not published or deleted is in no count", unlistedIsNotCounted, everyStore},
	{"FED-10 every server shows what any has stored as soon as it is stored", shownAtOnce, everyStore},
	{"FED-11 an opened item is the item of lists with its text and its translations", itemOpened, everyStore},
	{"FED-11 what is not listed can not be opened", unlistedStaysShut, everyStore},
	{"FED-11 title and content are translated and the text is not", openedItemLocalised, oneStore},
}, feedItemRows)

const categories = "/api/feed/categories/"

func itemsOf(category any) string { return fmt.Sprintf("/api/feed/items/%v/", category) }

// counts is how many things are in each category, wherever it stands in the tree.
func (c *client) counts(t *testing.T, query string) map[string]int {
	t.Helper()
	found := map[string]int{}
	a := c.get(t, categories+query).is(200)
	var visit func(path string)
	visit = func(path string) {
		for i := range a.list(path) {
			at := fmt.Sprint(path, ".", i)
			found[fmt.Sprint(a.at(at+".id"))] = a.int(at + ".meta.feeds_count")
			visit(at + ".children")
		}
	}
	visit("data")
	return found
}

func treeOfCategories(t *testing.T, s *server) {
	assert.JSONEq(t, `{"data": []}`, string(s.anyone().get(t, categories).is(200).body))
	ada := s.member(t)
	s.storesCategory(t, 3, 0, "Crafts")
	s.storesCategory(t, 5, 3, "Paper")
	s.storesCategory(t, 9, 5, "Folding")
	s.storesCategory(t, 4, 0, "Walks")
	s.storesNode(t, ada, 1, 3)
	s.storesNode(t, ada, 2, 0)
	s.anyone().get(t, categories).is(200).golden("feed-categories", nil)
	ada.get(t, categories).is(200).shows(object{"2.name": "Walks"})
}

func metaOfCategories(t *testing.T, s *server) {
	ada := s.member(t)
	s.shelve(t, 4, "Walks")
	at := func(created, updated time.Duration) func(*publication.Publication) {
		return func(p *publication.Publication) { p.Created, p.Updated = epoch.Add(created), epoch.Add(updated) }
	}
	s.storesPublication(t, ada, 1, 4, at(0, 5*time.Hour))
	s.storesPublication(t, ada, 2, 4, at(time.Hour, 90*time.Minute))
	s.storesDemand(t, ada, 1, 4, func(d *demand.Demand) { d.Created, d.Updated = epoch.Add(-day), epoch.Add(2*day) })
	for query, meta := range map[string][3]any{
		"":                       {"2026-11-20T13:00:00.000000Z", "2026-11-22T12:00:00.000000Z", 3},
		"?type=demand":           {"2026-11-19T12:00:00.000000Z", "2026-11-22T12:00:00.000000Z", 1},
		"?type=node":             {nil, nil, 0},
		"?type=publication,node": {"2026-11-20T13:00:00.000000Z", "2026-11-20T17:00:00.000000Z", 2},
	} {
		s.anyone().get(t, categories+query).is(200).shows(object{
			"0.meta": object{"feed_created_at": meta[0], "feed_updated_at": meta[1], "feeds_count": meta[2]},
		})
	}
}

func orderOfCategories(t *testing.T, s *server) {
	ada := s.member(t)
	for _, id := range []feed.CategoryID{12, 11, 14, 13} {
		s.storesCategory(t, id, 0, fmt.Sprintf("C%d", id))
	}
	for _, id := range []feed.CategoryID{24, 21, 23} {
		s.storesCategory(t, id, 14, fmt.Sprintf("C%d", id))
	}
	order := func(query string) []string { return s.anyone().get(t, categories+query).is(200).column("data", "id") }
	assert.Equal(t, words(11, 12, 13, 14), order(""), "ties by id")
	s.minutesLater(
		func() { s.storesNode(t, ada, 1, 14) }, func() { s.storesNode(t, ada, 2, 0) },
		func() { s.storesDemand(t, ada, 4, 12); s.storesNode(t, ada, 5, 23) },
	)
	s.storesNode(t, ada, 1, 14, func(n *publication.Node) { n.Created = epoch.Add(time.Minute) }) // updates don't count
	assert.Equal(t, []string{"12", "uncategory", "14", "11", "13"}, order(""))
	assert.Equal(t, []string{"uncategory", "14", "11", "12", "13"}, order("?type=node"), "of the types asked for")
	assert.Equal(t, words(23, 21, 24), s.anyone().get(t, categories).is(200).column("data.2.children", "id"))
}

func typesUnknown(t *testing.T, s *server) {
	s.shelve(t, 4, "Walks")
	for _, other := range []string{"event", "Node", "NODE", "node,other", "node%3Bdemand", "*", "all", "node+demand", "0", "%EF%BC%8C"} {
		s.anyone().get(t, categories+"?type="+other).invalid("type")
		s.anyone().get(t, itemsOf(4)+"?type="+other).invalid("type")
	}
}

func unlistedIsNotCounted(t *testing.T, s *server) {
	ada := s.member(t)
	s.shelve(t, 4, "Walks")
	s.storesItem(t, ada, 1, 4)
	s.unlists(t, ada, 2, 4)
	s.unlists(t, ada, 5, 0)
	assert.Equal(t, map[string]int{"4": 3}, s.anyone().counts(t, ""))
	assert.Len(t, s.anyone().get(t, itemsOf(4)).is(200).list("data"), 3)
	assert.Empty(t, s.anyone().get(t, itemsOf("uncategory")).is(200).list("data"))
	s.unlists(t, ada, 1, 4)
	assert.Equal(t, map[string]int{"4": 0}, s.anyone().counts(t, ""), "neither is what was there before")
	s.storesItem(t, ada, 1, 0)
	assert.Equal(t, map[string]int{"4": 0, "uncategory": 3}, s.anyone().counts(t, ""), "nor what has moved")
}

// unlists puts items of three numbers into the category that must not be listed: drafts, deleted ones, and deleted drafts.
func (s *server) unlists(t *testing.T, by person, id int, in feed.CategoryID) {
	t.Helper()
	for i, is := range []struct{ published, deleted bool }{{false, false}, {true, true}, {false, true}} {
		hide := func(c *publication.Content) { c.Published, c.Deleted = is.published, is.deleted }
		s.storesPublication(t, by, id+i, in, func(p *publication.Publication) { hide(&p.Content) })
		s.storesNode(t, by, id+i, in, func(n *publication.Node) { hide(&n.Content) })
		s.storesDemand(t, by, id+i, in, func(d *demand.Demand) { d.Published, d.Deleted = is.published, is.deleted })
	}
}

// shownAtOnce reads between changes, so that a server that kept a response for too long would show it.
func shownAtOnce(t *testing.T, s *server) {
	ada := s.member(t)
	for n := range 10 {
		s.storesCategory(t, 4, 0, fmt.Sprint("Walks ", n))
		s.storesPublication(t, ada, 1, 4, func(p *publication.Publication) { p.Title = fmt.Sprint("title ", n) })
		for range 3 { // on either of two servers, and once more
			for _, path := range []string{itemsOf(4), itemsOf(4) + "?type=publication&page=1"} {
				assert.Equal(t, []string{fmt.Sprint("title ", n)}, s.anyone().get(t, path).is(200).titles(), path)
			}
			assert.Equal(t, []string{fmt.Sprint("Walks ", n)}, s.anyone().get(t, categories).is(200).column("data", "name"))
		}
	}
}

// cardOf is the address of an opened item.
func cardOf(kind string, id any) string { return fmt.Sprintf("/api/feed/item/%s/%v/", kind, id) }

// lineOf is the line of a publication or a node with the rest of its fields.
func lineOf(kind string, id int, language, rest string) string {
	return fmt.Sprintf(`{"kind":%q,"id":%d,"title":"%[1]s %[2]d","author":"r1","language":%q,"created":"2026-11-01T09:00:00Z"%s}`, kind, id, language, rest)
}

const robotLine = `{"kind":"user","id":"r1","username":"+1-2025550199","firstname":"Tea","lastname":"Robot","joined":"2026-11-01T00:00:00Z"}`

// bringsTexts imports a text with its translations, parts and a request.
func (s *server) bringsTexts(t *testing.T) {
	t.Helper()
	bundle := func(id int, rest string) string { return fmt.Sprintf(`{"kind":"bundle","id":%d%s}`, id, rest) }
	summary, rejects := s.brings(t, robotLine,
		bundle(70, ""), bundle(71, `,"first_original":70,"original":70`), bundle(72, `,"first_original":70,"original":71`), bundle(80, `,"original":70`),
		lineOf("publication", 1, "en", `,"bundle":70,"summary":"Of tea","html":"<p>Tea &amp; water</p>"`),
		lineOf("publication", 3, "es", `,"bundle":71,"node":1`), lineOf("publication", 2, "fr", `,"bundle":72`), lineOf("publication", 4, "en", `,"bundle":80`),
		lineOf("publication", 5, "es", `,"bundle":71,"deleted":true`), lineOf("publication", 6, "es", `,"bundle":71,"published":false`),
		lineOf("node", 1, "es", `,"bundle":71,"html":"<p>Agua</p>"`), lineOf("node", 2, "en", ""),
		`{"kind":"demand","id":1,"author":"r1","title":"A pot","tags":["pot"],"lat":30.2,"lng":120.1,"created":"2026-11-01T09:00:00Z"`+
			`,"closed":"2026-12-01T09:00:00Z","start":"2026-11-02T09:00:00Z","end":"2026-11-20T09:00:00Z"}`)
	assert.Empty(t, rejects)
	assert.Equal(t, importing.Count{New: 14}, summary.All())
}

func itemOpened(t *testing.T, s *server) {
	s.bringsTexts(t)
	translation := func(id int, language string) any {
		return object{"id": json.Number(strconv.Itoa(id)), "language": language, "title": fmt.Sprint("publication ", id)}
	}
	one, two, three := translation(1, "en"), translation(2, "fr"), translation(3, "es")
	more := map[string]object{
		"publication 1": {"html_content": "<p>Tea &amp; water</p>", "translations": []any{two, three}},
		"publication 2": {"html_content": "", "translations": []any{one, three}},
		"publication 3": {"html_content": "", "translations": []any{one, two}},
		"publication 4": {"html_content": "", "translations": []any{}},
		"node 1":        {"html_content": "<p>Agua</p>", "translations": []any{one, two, three}},
		"node 2":        {"html_content": "", "translations": []any{}},
		"demand 1":      {},
	}
	list := s.anyone().get(t, itemsOf("uncategory")).is(200).list("data")
	assert.Len(t, list, len(more))
	for _, item := range list {
		want := maps.Clone(item.(object))
		kind, id := want["entity_type"].(string), want["entity_id"]
		maps.Copy(want, more[fmt.Sprint(kind, " ", id)])
		assert.Equal(t, object{"data": want}, s.anyone().get(t, cardOf(kind, id)).is(200).json(), "%s %v", kind, id)
	}
}

func unlistedStaysShut(t *testing.T, s *server) {
	ada := s.member(t)
	s.storesItem(t, ada, 1, 0)
	s.unlists(t, ada, 2, 0)
	event := ada.publishes(t, "An event")
	for _, path := range []string{cardOf("xfile", event), cardOf("origin", 1), cardOf("Publication", 1), cardOf("%20", 1)} {
		s.anyone().get(t, path).fails(404, "RESOURCE_NOT_FOUND")
	}
	for _, kind := range []string{"publication", "node", "demand"} {
		s.anyone().get(t, cardOf(kind, 1)).is(200)
		for id := 2; id <= 5; id++ {
			assert.Equal(t, "Item not found.", ada.get(t, cardOf(kind, id)).fails(404, "RESOURCE_NOT_FOUND").text("data.detail"))
		}
	}
}

func openedItemLocalised(t *testing.T, s *server) {
	s = s.on.translating(t)
	s.bringsTexts(t)
	chinese := s.anyone().saying("x-language-locale", "zh_CN")
	for _, kind := range []string{"publication", "node"} {
		a := chinese.get(t, cardOf(kind, 1)).is(200).shows(object{"title": kind + " 1", "localized.title": "⟦zh-CN⟧ " + kind + " 1"})
		for _, own := range []string{"x", a.text("data.language")} {
			assert.False(t, s.anyone().saying("x-language-locale", own).get(t, cardOf(kind, 1)).is(200).has("data.localized"), own)
		}
	}
	assert.False(t, chinese.get(t, cardOf("demand", 1)).is(200).has("data.localized"))
}
