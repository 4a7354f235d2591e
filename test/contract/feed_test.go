package contract

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

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
}, feedItemRows, feedCardRows)

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
	a := s.anyone().get(t, categories).is(200)
	assert.Equal(t, []string{"data"}, a.names())
	assert.Equal(t, []string{"uncategory", "3", "4"}, a.column("data", "id"))
	assert.Equal(t, []bool{false, true, false}, []bool{a.has("data.0.name"), a.has("data.1.name"), a.has("data.1.parent")})
	crafts := object{"feed_created_at": "2026-11-20T12:00:00.000000Z", "feed_updated_at": "2026-11-20T12:00:00.000000Z", "feeds_count": 1}
	none := object{"feed_created_at": nil, "feed_updated_at": nil, "feeds_count": 0}
	paper := object{"id": 5, "name": "Paper", "parent_id": 3, "kind": "category", "slug": "paper", "level": 1, "meta": none}
	a.shows(object{
		"1.name": "Crafts", "1.parent_id": nil, "1.kind": "category", "1.slug": "crafts", "1.level": 0, "1.meta": crafts,
		"1.children.0.parent": object{
			"id": 3, "name": "Crafts", "parent_id": nil, "kind": "category", "slug": "crafts", "level": 0, "meta": crafts,
		},
		"1.children.0.id": 5, "1.children.0.level": 1, "1.children.0.parent_id": 3, "1.children.0.meta": none,
		"1.children.0.children.0.parent": paper, "1.children.0.children.0.id": 9, "1.children.0.children.0.level": 2,
		"1.children.0.children.0.parent_id": 5, "1.children.0.children.0.children": []any{},
		"2.name": "Walks", "2.children": []any{}, "2.meta": none,
	})
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
