package ports

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/page"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// Feed is the suite of feed.Reader.
func Feed(t *testing.T, open Open) {
	open.keeps(t, append([]promise{
		{"Metas counts public events when asked for", feedMetasOfEvents},
		{"its items are what was stored, private copies of it", feedItems},
		{"a demand comes with its author as Members returns them, unless erased; other items have none", feedAuthors},
		{"items have a distance, to the metre, when the selection has an area", feedDistances},
		{"an area holds across the antimeridian and around the poles", feedAreas},
		{"no such category is ErrNoCategory", feedNoCategory},
		{"Version changes with a category and with a listed item of the kinds, and never returns", feedVersion},
		{"paging yields the counted items of the kinds, in order", feedOrdered},
		{"after concurrent changes of all kinds, the counted items are the listed ones", feedEverythingAtOnce},
	}, feedCards...))
}

func (w *fixtures) metas(s feed.Selection) map[feed.CategoryID]feed.Meta {
	_, metas, err := w.Feed.Metas(w.Context(), s)
	require.NoError(w, err)
	return metas
}

func (w *fixtures) page(in feed.CategoryID, s feed.Selection, r page.Request) page.Page[feed.Item] {
	p, err := w.Feed.Page(w.Context(), in, s, r)
	require.NoError(w, err)
	return p
}

// pages is everything there, asked for page by page.
func (w *fixtures) pages(in feed.CategoryID, s feed.Selection, size int) []feed.Listable {
	all := everyPage(w, size, func(r page.Request) (page.Page[feed.Item], error) { return w.Feed.Page(w.Context(), in, s, r) })
	return mapped(all, func(i feed.Item) feed.Listable { return i.Listable })
}

func feedVersion(w *fixtures) {
	author := w.newUser()
	seen := map[feed.Version]bool{}
	version := func(kinds ...feed.Kind) feed.Version {
		v, err := w.Feed.Version(w.Context(), kinds)
		require.NoError(w, err)
		return v
	}
	changes := func(kind feed.Kind, records ...any) {
		before := map[feed.Kind]feed.Version{}
		for _, kind := range feed.ItemKinds() {
			before[kind] = version(kind)
		}
		all := version(feed.ItemKinds()...)
		seen[all] = true
		importEach(w, records...)
		assert.False(w, seen[version(feed.ItemKinds()...)], "%v", records)
		for _, other := range feed.ItemKinds() {
			if kind == other || kind == "" {
				assert.NotEqual(w, before[other], version(other), "%s: %v", other, records)
			}
		}
	}
	changes("", feed.Category{ID: 1, Name: "Tea", Slug: "tea"})
	changes("", feed.Category{ID: 1, Name: "Green tea", Slug: "tea"})
	changes("", feed.Category{ID: 2, Name: "Oolong", Slug: "oolong", Parent: 1})
	changes(feed.Publication, article(author, 1))
	changes(feed.Publication, article(author, 1, func(p *publication.Publication) { p.Summary = "Another one" }))
	changes(feed.Publication, article(author, 1, func(p *publication.Publication) { p.Summary, p.Category = "Another one", 2 }))
	changes(feed.Publication, article(author, 1, func(p *publication.Publication) { p.Published = false }))
	changes(feed.Node, node(content(author), 1))
	changes(feed.Demand, request(author, 1))
	changes(feed.Demand, request(author, 1, func(d *demand.Demand) { d.Title = "Another one" }))
	same := version(feed.ItemKinds()...)
	w.write(author, noon)
	assert.Equal(w, same, version(feed.ItemKinds()...), "an event is of no such kind")
}

func feedMetasOfEvents(w *fixtures) {
	author := w.newUser()
	w.category(1)
	for _, as := range everything {
		w.write(author, noon, shown(as))
		w.write(author, noon.Add(time.Hour), shown(as), under(1))
	}
	later := noon.Add(time.Hour)
	assert.Equal(w, map[feed.CategoryID]feed.Meta{
		0: {Created: noon, Updated: noon, Count: 1}, 1: {Created: later, Updated: later, Count: 1},
	}, w.metas(feed.Selection{Kinds: []feed.Kind{feed.Event}}))
	assert.Empty(w, w.metas(feed.Selection{Kinds: feed.ItemKinds()}))
	for in := range feed.CategoryID(2) {
		assert.Empty(w, w.pages(in, feed.Selection{Kinds: feed.ItemKinds()}, 10))
	}
}

func feedItems(w *fixtures) {
	author := w.newUser()
	c := content(author)
	c.Summary, c.Cover, c.Category, c.Language = broad(300), cover(), w.category(1), "zh-Hant-TW"
	p := publication.Publication{
		ID: 1, Bundle: publication.Bundle{ID: 9, FirstOriginal: 3, Original: 4}, Node: 5, Type: publication.MultiChapter, Content: c,
	}
	n, d := publication.Node{ID: 1, Bundle: 9, Content: c}, fullRequest(author, 1, 1)
	w.imports(p, n, d)
	for range 2 {
		got := w.pages(1, feed.Selection{Kinds: feed.ItemKinds()}, 10)
		require.Equal(w, []feed.Listable{fullRequest(author, 1, 1), n, p}, got)
		spoilt := got[0].(demand.Demand)
		spoilt.Tags[0], spoilt.Images[0], spoilt.Cover.Sizes[0].Name = "spoilt", "spoilt", "spoilt"
		*spoilt.Place = geo.Point{}
		l, _ := w.pages(1, feed.Selection{Kinds: feed.ItemKinds()}, 10)[0].Listing()
		*l.Point = geo.Point{}
	}
}

// feedAuthors are also those of pages of one kind and of an area.
func feedAuthors(w *fixtures) {
	a, m := visitor()
	ada, err := w.Accounts.Open(w.Context(), a, m)
	require.NoError(w, err)
	w.people++
	bob := w.newUser()
	w.imports(request(ada, 1, at(30.25, 120.15)), request(bob, 2, at(30.25, 120.15)), request(bob, 3, at(30.25, 120.15)),
		node(content(ada), 1), article(bob, 1))
	shown := func(of user.ID) *user.Member { return w.members(of)[of] }
	check := func() {
		for _, s := range []feed.Selection{{Kinds: feed.ItemKinds()}, {Kinds: []feed.Kind{feed.Demand}}, around(30.25, 120.15, 5)} {
			items := w.page(0, s, pageNo(1, 10)).Items
			require.GreaterOrEqual(w, len(items), 3)
			for _, i := range items {
				if d, isDemand := i.Listable.(demand.Demand); isDemand {
					assert.Equal(w, shown(d.Author), i.Author, "%d", d.ID)
				} else {
					assert.Nil(w, i.Author)
				}
			}
		}
	}
	check()
	assert.Equal(w, noon.Add(time.Hour), shown(ada).Seen)
	t := w.issue(token(ada, 1))
	w.touch(t, noon.Add(2*time.Hour))
	w.avatar(bob, avatarOf("bob"))
	require.Equal(w, noon.Add(2*time.Hour), shown(ada).Seen)
	check()
	w.erase(bob, personaldata.Account)
	require.Nil(w, shown(bob))
	check()
}

func feedNoCategory(w *fixtures) {
	w.category(1)
	for _, in := range []feed.CategoryID{2, -1, 1 << 40} {
		_, err := w.Feed.Page(w.Context(), in, feed.Selection{Kinds: feed.ItemKinds()}, page.Request{})
		assert.ErrorIs(w, err, feed.ErrNoCategory)
	}
}

// around selects the demands within the distance of the point.
func around(lat, lng float64, within geo.Kilometres) feed.Selection {
	return feed.Select([]feed.Kind{feed.Demand}, &feed.Area{Centre: geo.Point{Lat: lat, Lng: lng}, Within: within})
}

func at(lat, lng float64) func(*demand.Demand) {
	return func(d *demand.Demand) { d.Place = &geo.Point{Lat: lat, Lng: lng} }
}

func feedDistances(w *fixtures) {
	author := w.newUser()
	w.imports(request(author, 1, at(30.25, 120.15)), request(author, 2, at(30.26, 120.15)), request(author, 3), node(content(author), 4))
	near := around(30.25, 120.15, 500)
	p := w.page(0, near, pageNo(1, 10))
	require.Len(w, p.Items, 2)
	assert.Equal(w, []*geo.Kilometres{new(geo.Kilometres(0)), new(geo.Kilometres(1.112))},
		[]*geo.Kilometres{p.Items[0].Distance, p.Items[1].Distance})
	for _, item := range w.page(0, feed.Selection{Kinds: feed.ItemKinds()}, pageNo(1, 10)).Items {
		assert.Nil(w, item.Distance, "no area, no distance")
	}
	assert.Equal(w, 2, w.metas(near)[0].Count, "what is nowhere is not within any distance")
}

func feedAreas(w *fixtures) {
	author := w.newUser()
	w.imports(
		request(author, 1, at(0, 179.99)), request(author, 2, at(0, -179.99)), request(author, 3, at(0, 180)), request(author, 4, at(0, -180)),
		request(author, 5, at(89.99, 0)), request(author, 6, at(89.99, 180)), request(author, 7, at(90, 45)),
		request(author, 8, at(-89.99, -90)), request(author, 9, at(-90, 0)), request(author, 10, at(0, 0)),
	)
	for _, c := range []struct {
		sel  feed.Selection
		want []demand.ID
	}{
		{around(0, 179.995, 5), []demand.ID{1, 2, 3, 4}}, {around(0, -179.995, 5), []demand.ID{1, 2, 3, 4}},
		{around(0, 180, 0.001), []demand.ID{3, 4}}, {around(0, -180, 0.001), []demand.ID{3, 4}},
		{around(90, 0, 5), []demand.ID{5, 6, 7}}, {around(89.99, 90, 5), []demand.ID{5, 6, 7}}, {around(89.999, -90, 0.2), []demand.ID{7}},
		{around(-90, 120, 5), []demand.ID{8, 9}}, {around(0, 0, 500), []demand.ID{10}},
	} {
		got := []demand.ID{}
		for _, thing := range w.pages(0, c.sel, 2) {
			got = append(got, thing.(demand.Demand).ID)
		}
		assert.Equal(w, c.want, got, "%+v", *c.sel.Near)
		assert.Equal(w, len(c.want), w.metas(c.sel)[0].Count)
	}
}

func feedOrdered(w *fixtures) {
	author := w.newUser()
	w.category(1)
	var stored []feed.Listable
	for i, at := range []int{0, 2, 1, 1, 3, 1} {
		c, id := content(author), int64(i+1)
		c.Created, c.Category = noon.Add(time.Duration(at)*time.Microsecond), feed.CategoryID(i%2)
		n, p := node(c, publication.NodeID(id)), publication.Publication{ID: publication.ID(id), Content: c}
		d := request(author, demand.ID(id), func(d *demand.Demand) { d.Category, d.Created = c.Category, c.Created })
		w.imports(n, p, d)
		stored = append(stored, n, p, d)
	}
	for _, kinds := range [][]feed.Kind{feed.ItemKinds(), {feed.Node}, {feed.Demand, feed.Publication}} {
		for in := range feed.CategoryID(2) {
			s, want, meta := feed.Selection{Kinds: kinds}, []feed.Listable{}, feed.Meta{}
			for _, thing := range stored {
				if l, _ := thing.Listing(); l.Category == in && s.Admits(l) {
					want = append(want, thing)
					meta.Add(l)
				}
			}
			slices.SortFunc(want, func(a, b feed.Listable) int {
				la, _ := a.Listing()
				lb, _ := b.Listing()
				return lb.AtCursor().Compare(la.AtCursor())
			})
			assert.Equal(w, want, w.pages(in, s, 2), "%v in %d", kinds, in)
			assert.Equal(w, meta, w.metas(s)[in], "%v in %d", kinds, in)
		}
	}
}

var feedCards = []promise{
	{"a card has MaxTranslations at most", feedManyTranslations},
}

func (w *fixtures) card(kind feed.Kind, id int64) feed.Card {
	card, err := w.Feed.Card(w.Context(), kind, id)
	require.NoError(w, err)
	return card
}

// translations are the ids of the translations of the opened item.
func (w *fixtures) translations(kind feed.Kind, id int64) (ids []int64) {
	for _, t := range w.card(kind, id).Translations {
		ids = append(ids, t.ID)
	}
	return ids
}

func feedManyTranslations(w *fixtures) {
	author := w.newUser()
	things := []any{article(author, 1)}
	for id := range publication.ID(feed.MaxTranslations + 1) {
		things = append(things, article(author, id+2, translationOf(1)))
	}
	w.imports(things...)
	ids := w.translations(feed.Publication, 1)
	assert.Len(w, ids, feed.MaxTranslations)
	assert.True(w, slices.IsSorted(ids) && ids[0] == 2)
}

// feedEverythingAtOnce lets many write at once, each their own things, all into the same few categories; each instant
// is later than the last, so the newest of a category is taken away again and again while others come in.
func feedEverythingAtOnce(w *fixtures) {
	w.category(1)
	w.category(2)
	author := w.newUser()
	w.succeed(atOnce(many, func(i int) (err error) {
		var written event.ID
		for turn := 0; turn < 36 && err == nil; turn++ {
			round, at := turn/6, noon.Add(time.Duration(turn)*time.Second)
			id, c := int64(1+i+many*(round%2)), content(author)
			c.Category, c.Published, c.Created, c.Updated = feed.CategoryID((i+round)%3), round%4 < 3, at, at.Add(time.Minute)
			switch turn % 6 {
			case 0:
				err = w.tryImport(publication.Publication{ID: publication.ID(id), Content: c})
			case 1:
				err = w.tryImport(publication.Node{ID: publication.NodeID(id), Content: c})
			case 2:
				err = w.tryImport(request(author, demand.ID(id), func(d *demand.Demand) {
					d.Category, d.Published, d.Created, d.Updated = c.Category, c.Published, c.Created, c.Updated
				}))
			case 3:
				var e *event.Event
				if e, err = event.New(author, change(titled("An event"), published(true), under(c.Category)), pi, at); err == nil {
					if e, err = w.Events.Add(w.Context(), e); err == nil {
						written = e.ID()
					}
				}
			case 4:
				_, err = w.Events.Change(w.Context(), written, apply(at, under((c.Category+1)%3), published(c.Published)))
			case 5:
				if round%2 == 0 {
					_, err = w.Events.Remove(w.Context(), written)
				}
			}
		}
		return err
	}))
	w.assertCounted()
}

// assertCounted asserts that what is counted of each kind is what is listed.
func (w *fixtures) assertCounted() {
	listed := w.listed()
	for _, kind := range append(feed.ItemKinds(), feed.Event) {
		want := map[feed.CategoryID]feed.Meta{}
		for _, l := range listed {
			if l.Kind == kind {
				meta := want[l.Category]
				meta.Add(l)
				want[l.Category] = meta
			}
		}
		assert.Equal(w, want, w.metas(feed.Selection{Kinds: []feed.Kind{kind}}), kind)
	}
}
