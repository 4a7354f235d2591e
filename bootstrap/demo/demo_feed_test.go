package demo_test

import (
	"bytes"
	"image/jpeg"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/memory"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/gallery"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// shelves are what a store's feed shows of the demo data.
type shelves struct {
	t *testing.T
	w world
	s *memory.Store
}

// shelved is not to be changed.
func shelved(t *testing.T) shelves {
	t.Helper()
	return shelvesOf(t, stockedOnce)
}

func shelvesOf(t *testing.T, stocked func() (stock, error)) shelves {
	t.Helper()
	s, err := stocked()
	require.NoError(t, err)
	return shelves{t, worldOf(t, s.ports), s.Store}
}

// items are all of the kinds that are listed, by category.
func (f shelves) items(near *feed.Circle, kinds ...feed.Kind) map[feed.CategoryID][]feed.Item {
	f.t.Helper()
	selection := feed.Select(kinds, near)
	categories, metas, err := f.s.Feed().Metas(f.t.Context(), selection)
	require.NoError(f.t, err)
	known := map[feed.CategoryID]bool{0: true}
	for _, c := range categories {
		known[c.ID] = true
	}
	all := map[feed.CategoryID][]feed.Item{}
	for id, meta := range metas {
		assert.True(f.t, known[id], "category %d is there", id)
		all[id] = whole(f.t, func(p page.Request) (page.Page[feed.Item], error) {
			return f.s.Feed().Page(f.t.Context(), id, selection, p)
		})
		assert.Len(f.t, all[id], meta.Count)
	}
	return all
}

func all[T feed.Thing](items map[feed.CategoryID][]feed.Item) (things []T) {
	for _, list := range items {
		for _, i := range list {
			things = append(things, i.Thing.(T))
		}
	}
	return things
}

func (f shelves) publications(q publication.Query) []publication.Publication {
	f.t.Helper()
	return whole(f.t, func(p page.Request) (page.Page[publication.Publication], error) {
		q.Page = p
		return f.s.Publications().List(f.t.Context(), q)
	})
}

func TestPublicationsTranslateEachOther(t *testing.T) {
	f := shelved(t)
	listed := f.publications(publication.Query{})
	assert.Greater(t, len(listed), page.DefaultSize, "there is a second page")
	languages, family, kinds := map[string]int{}, map[publication.BundleID]map[string]bool{}, map[publication.Type]int{}
	created := map[publication.BundleID]publication.Publication{}
	for _, p := range listed {
		languages[p.Language]++
		kinds[p.Type]++
		created[p.Bundle.ID] = p
		first := p.Bundle.FirstOriginal
		if p.Bundle.IsOriginal() {
			first = p.Bundle.ID
		}
		if family[first] == nil {
			family[first] = map[string]bool{}
		}
		assert.False(t, family[first][p.Language], "%q says again what is there in %s", p.Title, p.Language)
		family[first][p.Language] = true
	}
	for _, language := range []string{"en", "zh", "es", "fr"} {
		assert.GreaterOrEqual(t, languages[language], 3, language)
	}
	assert.Len(t, languages, 4)
	assert.Len(t, family[1], 4, "one text in all four")
	assert.Positive(t, kinds[publication.SingleChapter])
	assert.Positive(t, kinds[publication.MultiChapter])

	early, orphans := 0, 0
	for _, p := range listed {
		if p.Bundle.IsOriginal() {
			continue
		}
		original, visible := created[p.Bundle.FirstOriginal]
		switch {
		case !visible:
			orphans++
		case p.Created.Before(original.Created):
			early++
		}
	}
	assert.Equal(t, 1, orphans, "translations of what is not published")
	assert.Equal(t, 1, early, "translations that were there before their original")
	assert.Len(t, f.publications(publication.Query{OriginOnly: true}), len(family))
}

func TestTheFeedHasSomethingOnEveryLevelAndInTheBucket(t *testing.T) {
	f := shelved(t)
	for _, kind := range feed.ItemKinds() {
		assert.NotEmpty(t, f.items(nil, kind)[0], "%s without a category", kind)
	}
	levels := map[int]int{}
	for id, items := range f.items(nil, feed.Publication) {
		levels[f.w.level(id)] += len(items)
	}
	for level := range 4 {
		assert.Positive(t, levels[level], "publications on level %d", level)
	}
	mixed := 0
	for _, items := range f.items(nil, feed.ItemKinds()...) {
		kinds := map[feed.Kind]bool{}
		for _, i := range items {
			l, listed := i.Listing()
			assert.True(t, listed)
			kinds[l.Kind] = true
		}
		if len(kinds) == len(feed.ItemKinds()) {
			mixed++
		}
	}
	assert.Greater(t, mixed, 1, "categories with something of everything")
}

func TestNodesStandInTheFeed(t *testing.T) {
	f := shelved(t)
	nodes := all[publication.Node](f.items(nil, feed.Node))
	assert.Len(t, nodes, 9)
	bundles := map[publication.BundleID]int{}
	for _, n := range nodes {
		bundles[n.Bundle]++
	}
	assert.Equal(t, map[publication.BundleID]int{0: 4, 5: 3, 11: 2}, bundles)
}

func TestDemandsLieWithinAndBeyondFiveKilometres(t *testing.T) {
	f := shelved(t)
	everywhere := all[demand.Demand](f.items(nil, feed.Demand))
	assert.Len(t, everywhere, 24)
	for town, want := range map[string]struct {
		centre       geo.Point
		within, town int
	}{
		"Hangzhou": {geo.Point{Lat: 30.2741, Lng: 120.1551}, 5, 8},
		"Beijing":  {geo.Point{Lat: 39.9042, Lng: 116.4074}, 3, 5},
		"València": {geo.Point{Lat: 39.4699, Lng: -0.3763}, 3, 4},
		"London":   {geo.Point{Lat: 51.5074, Lng: -0.1278}, 3, 4},
		"Taveuni":  {geo.Point{Lat: -16.838, Lng: -179.99}, 1, 1},
	} {
		circle := &feed.Circle{Centre: want.centre, Within: geo.DefaultDistance}
		assert.Len(t, all[demand.Demand](f.items(circle, feed.Demand)), want.within, town)
		circle.Within = 10
		assert.Len(t, all[demand.Demand](f.items(circle, feed.Demand)), want.town, town)
	}
	nowhere := 0
	for _, d := range everywhere {
		if d.Place == nil {
			nowhere++
			assert.Empty(t, d.Address, d.Title)
		} else {
			assert.NotEmpty(t, d.Address, d.Title)
		}
		assert.NotEmpty(t, d.Tags, d.Title)
		assert.NotEmpty(t, d.Description, d.Title)
		assert.True(t, d.Created.Before(d.Closed) && d.Closed.Before(d.Start) && d.Start.Before(d.End), d.Title)
	}
	assert.Equal(t, 2, nowhere)
}

func TestTheRobotBroughtHowTos(t *testing.T) {
	f := shelved(t)
	list := func(categories ...string) []publication.HowTo {
		return whole(t, func(p page.Request) (page.Page[publication.HowTo], error) {
			return f.s.HowTos().List(t.Context(), categories, p)
		})
	}
	assert.Len(t, list(), 6)
	assert.Len(t, list("tea", "cycling", "clay"), 3)
	published := map[publication.BundleID]bool{}
	for _, p := range f.publications(publication.Query{}) {
		published[p.Bundle.ID] = true
	}
	read, waiting := 0, 0
	for _, h := range list() {
		assert.Equal(t, user.ID(everybody), h.Robot)
		for _, b := range h.Bundles {
			if published[b] {
				read++
			} else {
				waiting++
			}
		}
	}
	assert.Equal(t, []int{4, 3}, []int{read, waiting})
}

func (w world) images(q gallery.Query) []gallery.Image {
	w.t.Helper()
	var all []gallery.Image
	for image, err := range w.ports.Images.All(w.t.Context(), q) {
		require.NoError(w.t, err)
		all = append(all, image)
	}
	return all
}

func TestImagesCarryTags(t *testing.T) {
	w := loaded(t)
	for id, want := range map[user.ID]int{1: 5, 2: 4, 3: 3, 4: 0} {
		images := w.images(gallery.Query{Owner: id})
		assert.Len(t, images, want, "uid %d", id)
		for _, i := range images {
			assert.NotZero(t, i.Tags.Len())
			w.isPicture(i.Key, i.Width, i.Height)
		}
	}
	assert.Len(t, w.images(gallery.Query{Owner: 1, Contains: []string{"秋天", "登高"}}), 1)
	assert.Len(t, w.images(gallery.Query{Owner: 1, Overlaps: []string{"西湖", "红叶"}}), 3)
}

// isPicture reads what the store has under the key.
func (w world) isPicture(key media.Key, width, height int) {
	w.t.Helper()
	file, err := w.ports.Diary.Pictures.Open(w.t.Context(), key)
	require.NoError(w.t, err)
	raw, err := io.ReadAll(file)
	require.NoError(w.t, err)
	require.NoError(w.t, file.Close())
	assert.Equal(w.t, "image/jpeg", file.Type)
	assert.Less(w.t, len(raw), 1<<18)
	drawn, err := jpeg.Decode(bytes.NewReader(raw))
	require.NoError(w.t, err)
	assert.Equal(w.t, width, drawn.Bounds().Dx())
	assert.Equal(w.t, height, drawn.Bounds().Dy())
}

func TestPlatesAreOnEvents(t *testing.T) {
	w := loaded(t)
	most := map[user.ID]int{}
	permissions := map[event.Permission]bool{}
	for _, id := range []user.ID{1, 2} {
		for _, s := range w.own(id) {
			plates := s.State().Plates
			most[id] = max(most[id], len(plates))
			for _, p := range plates {
				permissions[s.State().Permission] = true
				w.isPicture(p.Photo, 360, 240)
			}
		}
	}
	assert.Equal(t, map[user.ID]int{1: 3, 2: 2}, most)
	assert.Len(t, permissions, len(event.Permissions()), "plates for every audience")
}

func TestOrdersAreAsPromised(t *testing.T) {
	w := loaded(t)
	later := today().AddDate(9, 0, 0)
	for id, want := range map[user.ID]struct {
		open, paid int
		choice     error
	}{
		1: {1, 1, nil},
		2: {3, 1, payment.ErrSeveral},
		3: {0, 0, payment.ErrNoOpenOrder},
	} {
		open, err := w.ports.Ledger.OpenOrders(t.Context(), id)
		require.NoError(t, err)
		assert.Len(t, open, want.open, "uid %d", id)
		_, err = payment.Choose(open, later)
		assert.Equal(t, want.choice, err, "uid %d", id)
		paid, err := w.ports.Ledger.Orders(t.Context(), id, payment.Paid, page.Request{})
		require.NoError(t, err)
		assert.Len(t, paid.Items, want.paid, "uid %d", id)
		for _, o := range paid.Items {
			assert.NotEmpty(t, o.Transaction)
			assert.True(t, o.PaidAt.After(o.Created) && o.PaidAt.Before(today()))
		}
	}
}
