package ports

import (
	"math"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// around selects the demands within the distance of the point.
func around(lat, lng float64, within geo.Kilometres) feed.Selection {
	return feed.Select([]feed.Kind{feed.Demand}, &feed.Area{Centre: geo.Point{Lat: lat, Lng: lng}, Within: within})
}

func at(lat, lng float64) func(*demand.Demand) {
	return func(d *demand.Demand) { d.Place = &geo.Point{Lat: lat, Lng: lng} }
}

func feedDistances(w *fixtures) {
	author := w.newUser()
	w.imports(request(author, 1, at(30.25, 120.15)), request(author, 2, at(30.26, 120.15)), request(author, 3),
		node(content(author), 4))
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

// place returns a random place: near others, on either side of the
// antimeridian, around a pole, or nowhere.
func (c random) place() *geo.Point {
	jitter := func() float64 { return (c.Float64() - 0.5) / 4 }
	centre := pick(c, geo.Point{Lat: 30.25, Lng: 120.15}, geo.Point{Lat: 10, Lng: 180}, geo.Point{Lat: 10, Lng: -180},
		geo.Point{Lat: 90}, geo.Point{Lat: -90, Lng: 180})
	switch c.IntN(6) {
	case 0:
		return nil
	case 1:
		return &centre
	}
	lng := math.Remainder(centre.Lng+jitter(), 360)
	if math.Abs(centre.Lat) == 90 {
		lng = c.Float64()*360 - 180
	}
	return &geo.Point{Lat: max(-90, min(90, centre.Lat+jitter())), Lng: lng}
}

// item is something that can be listed, anywhere and at about the same instant
// as others.
func (c random) item(author user.ID) feed.Listable {
	like := content(author)
	like.Category, like.Published, like.Deleted = feed.CategoryID(c.IntN(3)), c.IntN(4) > 0, c.IntN(6) == 0
	like.Created = noon.Add(time.Duration(c.IntN(4)) * time.Microsecond)
	like.Updated = noon.Add(time.Duration(c.IntN(4)) * time.Hour)
	id := 1 + c.IntN(25)
	switch c.IntN(4) {
	case 0:
		return publication.Publication{ID: publication.ID(id), Content: like}
	case 1:
		return publication.Node{ID: publication.NodeID(id), Content: like}
	}
	return request(author, demand.ID(id), func(d *demand.Demand) {
		d.Category, d.Published, d.Deleted, d.Created, d.Updated = like.Category, like.Published, like.Deleted, like.Created, like.Updated
		d.Place = c.place()
	})
}

// selections returns possible selections: every set of kinds, and areas of
// demands.
func (c random) selections() []feed.Selection {
	var all []feed.Selection
	for set := range 1 << len(feed.ItemKinds()) {
		var kinds []feed.Kind
		for i, kind := range feed.ItemKinds() {
			if set&(1<<i) != 0 {
				kinds = append(kinds, kind)
			}
		}
		all = append(all, feed.Selection{Kinds: kinds})
	}
	for range 20 {
		if centre := c.place(); centre != nil {
			all = append(all, around(centre.Lat, centre.Lng, pick[geo.Kilometres](c, 0.001, 5, 20, 500)))
		}
	}
	return all
}

func feedRandom(w *fixtures) {
	w.eachSeed(func(w *fixtures, c random) {
		author := w.newUser()
		w.category(1)
		w.category(2)
		stored := map[feed.Kind]map[int64]feed.Listable{feed.Node: {}, feed.Publication: {}, feed.Demand: {}}
		for range 120 {
			thing := c.item(author)
			w.imports(thing)
			kind, id := nameOf(thing)
			stored[kind][id] = thing
		}
		for _, s := range c.selections() {
			metas := w.metas(s)
			for in := range feed.CategoryID(3) {
				want, meta := admittedOf(stored, in, s)
				require.Equal(w, want, w.pages(in, s, 1+c.IntN(7)), "%+v in %d", s, in)
				require.Equal(w, meta, metas[in], "%+v in %d", s, in)
			}
		}
	})
}

// nameOf returns the kind and the id of an item, listed or not.
func nameOf(thing feed.Listable) (feed.Kind, int64) {
	switch thing := thing.(type) {
	case publication.Publication:
		return feed.Publication, int64(thing.ID)
	case publication.Node:
		return feed.Node, int64(thing.ID)
	default:
		return feed.Demand, int64(thing.(demand.Demand).ID)
	}
}

// admittedOf is what the feed should show there, in order, and the sum of it.
func admittedOf(stored map[feed.Kind]map[int64]feed.Listable, in feed.CategoryID, s feed.Selection) ([]feed.Listable, feed.Meta) {
	things := []feed.Listable{}
	var meta feed.Meta
	for _, ofKind := range stored {
		for _, thing := range ofKind {
			if l, listed := thing.Listing(); listed && l.Category == in && s.Admits(l) {
				things = append(things, thing)
				meta.Add(l)
			}
		}
	}
	slices.SortFunc(things, func(a, b feed.Listable) int {
		la, _ := a.Listing()
		lb, _ := b.Listing()
		return feed.Compare(la, lb)
	})
	return things, meta
}
