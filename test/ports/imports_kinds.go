package ports

import (
	"math"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/news"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

var importsKinds = []promise{
	{"a category is stored, and in place of what was there", importCategory},
	{"a publication is stored, and in place of what was there, and its listing in the same step", importPublication},
	{"a node is stored, and in place of what was there, and its listing in the same step", importNode},
	{"a demand is stored, and in place of what was there, and its listing in the same step", importDemand},
	{"a how-to is stored, and in place of what was there", importHowTo},
	{"news is stored, and in place of what was there", importNews},
	{"Known returns those of the refs of users, categories and bundles that are stored", known},
}

// settled imports the writer and two categories, and returns the uid.
func (c *importer) settled() user.ID {
	require.Equal(c, repeated(3, imported.New), c.importAll(categoryRecord(1, 0), categoryRecord(2, 1), userRecord(writer, 0)))
	return c.uid(phone(0))
}

// again brings the record, which is new or else changed, and once more, which changes nothing.
func (c *importer) again(want imported.Status, r imported.Record) {
	assert.Equal(c, []imported.Status{want}, c.importAll(r))
	assert.Equal(c, []imported.Status{imported.Same}, c.importAll(r))
	c.checkAgrees()
}

// follows brings the record and then each edit of it, and asserts after each that it is stored so. It returns all that it brought.
func follows[R imported.Record](c *importer, r *R, isStored func(R), edits ...func(*R)) (all []R) {
	c.again(imported.New, *r)
	isStored(*r)
	all = append(all, *r)
	for _, edit := range edits {
		edit(r)
		c.again(imported.Changed, *r)
		isStored(*r)
		all = append(all, *r)
	}
	return all
}

func importCategory(w *fixtures) {
	c := w.importer("a")
	c.again(imported.New, categoryRecord(1, 0))
	child := categoryRecord(1<<40, 1)
	child.Name, child.Slug = "O'Brien \\ \"%_\" "+broad(50), "杭-2"
	assertComplete(w, follows(c, &child, func(s imported.CategoryRecord) {
		assert.Equal(w, s.Category, w.categoriesAt(1 << 40)[1<<40])
	}, func(s *imported.CategoryRecord) { s.Name = "Another" },
		func(s *imported.CategoryRecord) { s.Slug = "another" },
		func(s *imported.CategoryRecord) { s.Name, s.Slug = "", "" },
		func(s *imported.CategoryRecord) { s.Parent = 0 },
	))
	categories, _, err := w.Feed.Metas(w.Context(), feed.Selection{Kinds: feed.ItemKinds()})
	require.NoError(w, err)
	assert.ElementsMatch(w, []feed.Category{categoryRecord(1, 0).Category, child.Category}, categories, "the tree has moved on")
}

// keptCover is a picture that a store of pictures has.
func keptCover(size string) media.Picture { return media.CoverOf("public/0a1b2c", size, 320, 200) }

// contents are edits of a text's content, one after the other.
var contents = []func(*publication.Content){
	func(c *publication.Content) {
		c.Title, c.Summary = broad(300), "O'Brien \\ \"%_\"\n\t {1,\"2\"} \\N "+broad(9000)
	},
	func(c *publication.Content) { c.Cover = cover() },
	func(c *publication.Content) { c.Cover = keptCover(media.CoverSM) },
	func(c *publication.Content) { c.Language = "zh-Hant-TW" },
	func(c *publication.Content) { c.Category, c.Cover = 2, media.Picture{} },
	func(c *publication.Content) { c.Published = false },
	func(c *publication.Content) { c.Title = "Hidden" },
	func(c *publication.Content) { c.Published, c.Updated = true, noon.Add(time.Microsecond) },
	func(c *publication.Content) { c.Deleted = true },
	func(c *publication.Content) { c.Deleted, c.Category = false, 0 },
	func(c *publication.Content) { c.Created = time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC) },
	func(c *publication.Content) { c.Updated = time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC) },
}

// authors imports another author besides the settled one, and returns both by their names.
func (c *importer) authors() map[string]user.ID {
	c.settled()
	c.importAll(userRecord("another", 1))
	return map[string]user.ID{writer: c.uid(phone(0)), "another": c.uid(phone(1))}
}

// assertText asserts that the record opens with the text if it is listed.
func (w *fixtures) assertText(kind feed.Kind, id int64, record feed.Listable, want markup.HTML) {
	if _, listed := record.Listing(); listed {
		assert.Equal(w, want, w.card(kind, id).HTML)
	}
}

func importPublication(w *fixtures) {
	c := w.importer("a")
	authors := c.authors()
	bundles := map[publication.BundleID]publication.Bundle{1: {ID: 1}, 2: {ID: 2, FirstOriginal: 1, Original: 1}}
	c.importAll(imported.BundleRecord{Bundle: bundles[1]}, imported.BundleRecord{Bundle: bundles[2]})
	var edits []func(*imported.PublicationRecord)
	for _, edit := range contents {
		edits = append(edits, func(r *imported.PublicationRecord) { edit(&r.Content) })
	}
	r := publicationRecord(1<<40, bundleOf(1))
	assertComplete(w, follows(c, &r, func(r imported.PublicationRecord) {
		r.Author, r.Bundle = authors[r.By], bundles[r.Bundle.ID]
		w.assertListed(r.Publication)
		w.assertText(feed.Publication, int64(r.ID), r.Publication, r.HTML)
	}, append(edits,
		func(r *imported.PublicationRecord) { r.HTML = "<p>O'Brien \\ \"%_\"\n\t {1,\"2\"} \\N</p>" },
		func(r *imported.PublicationRecord) { r.HTML += "<p>More</p>" },
		func(r *imported.PublicationRecord) { r.HTML, r.Title = "<p>Other</p>", "Another" },
		func(r *imported.PublicationRecord) { r.Title = "With the same text" },
		func(r *imported.PublicationRecord) { r.Type, r.Node = publication.MultiChapter, 1<<40 },
		func(r *imported.PublicationRecord) { r.Bundle.ID = 2 },
		func(r *imported.PublicationRecord) { r.By = "another" },
		func(r *imported.PublicationRecord) { r.HTML = "" },
		func(r *imported.PublicationRecord) { r.HTML = "<p>Again</p>" },
		func(r *imported.PublicationRecord) { r.HTML, r.Title = "", "Without a text" },
		func(r *imported.PublicationRecord) { r.Bundle.ID = 0 },
	)...), "Publication.Content.Author", "Publication.Bundle.FirstOriginal", "Publication.Bundle.Original", // of other records
		"Publication.Content.Hidden") // of staff
}

func importNode(w *fixtures) {
	c := w.importer("a")
	authors := c.authors()
	c.importAll(bundleRecord(7, 0, 0))
	var edits []func(*imported.NodeRecord)
	for _, edit := range contents {
		edits = append(edits, func(r *imported.NodeRecord) { edit(&r.Content) })
	}
	r := nodeRecord(1 << 40)
	assertComplete(w, follows(c, &r, func(r imported.NodeRecord) {
		r.Author = authors[r.By]
		w.assertListed(r.Node)
		w.assertText(feed.Node, int64(r.ID), r.Node, r.HTML)
	}, append(edits,
		func(r *imported.NodeRecord) { r.HTML = "<p>Text</p>" },
		func(r *imported.NodeRecord) { r.HTML = markup.HTML("<p>" + broad(9000) + "</p>") },
		func(r *imported.NodeRecord) { r.Bundle, r.By = 7, "another" },
		func(r *imported.NodeRecord) { r.HTML = "" },
		func(r *imported.NodeRecord) { r.Bundle = 0 },
	)...), "Node.Content.Author", "Node.Content.Hidden") // of another record, and of staff
}

func importDemand(w *fixtures) {
	c := w.importer("a")
	authors := c.authors()
	r := demandRecord(1 << 40)
	var edits []func(*imported.DemandRecord)
	for _, edit := range []func(*demand.Demand){
		func(d *demand.Demand) { *d = fullRequest(0, 1<<40, 1) },
		func(d *demand.Demand) { d.Cover = keptCover(media.DemandCoverMD) },
		func(d *demand.Demand) { d.Tags = []string{"a", `b,"c"`, "NULL", "{}", `\`, broad(64)} },
		func(d *demand.Demand) { d.Images, d.Tags = nil, nil },
		func(d *demand.Demand) { d.Place = &geo.Point{Lat: 30.123456789012345, Lng: -179.98765432109876} },
		func(d *demand.Demand) { d.Place = &geo.Point{Lat: math.SmallestNonzeroFloat64, Lng: -1e-17} },
		func(d *demand.Demand) { d.Place, d.Description, d.Address = nil, "", "" },
		func(d *demand.Demand) { d.Place = &geo.Point{} },
		func(d *demand.Demand) { d.Category, d.Closed = 0, noon.Add(-time.Microsecond) },
		func(d *demand.Demand) { d.Start, d.End = noon.AddDate(1, 0, 0), noon.AddDate(2, 0, 0) },
		func(d *demand.Demand) { d.Published = false },
		func(d *demand.Demand) {
			d.Published, d.Created, d.Updated = true, noon.Add(time.Minute), noon.Add(time.Hour)
		},
		func(d *demand.Demand) { d.Deleted = true },
		func(d *demand.Demand) { d.Deleted, d.Category, d.Place = false, 2, &geo.Point{Lat: -90, Lng: 180} },
	} {
		edits = append(edits, func(r *imported.DemandRecord) { edit(&r.Demand) })
	}
	assertComplete(w, follows(c, &r, func(r imported.DemandRecord) {
		r.Author = authors[r.By]
		w.assertListed(r.Demand)
	}, append(edits, func(r *imported.DemandRecord) { r.By = "another" })...), "Demand.Author", "Demand.Hidden")
	r.Tags, r.Images = []string{}, []string{}
	assert.Equal(w, repeated(1, imported.Same), c.importAll(r), "no tags are no tags")
}

// assertListed asserts that the thing, of which there is one, is listed just as it says.
func (w *fixtures) assertListed(thing feed.Listable) {
	l, is := thing.Listing()
	if !is {
		assert.Empty(w, w.listed())
		return
	}
	assert.Equal(w, []feed.Listing{l}, w.listed())
	for in := range feed.CategoryID(3) {
		want := []feed.Listable{}
		if in == l.Category {
			want = append(want, thing)
		}
		assert.Equal(w, want, w.pages(in, feed.Selection{Kinds: feed.ItemKinds()}, 10))
	}
	if p, is := thing.(publication.Publication); is {
		assert.Equal(w, []publication.Publication{p}, w.publications(publication.Query{}).Items)
		assert.Equal(w, []publication.ID{p.ID}, w.originals())
	}
}

func importHowTo(w *fixtures) {
	c := w.importer("a")
	authors := c.authors()
	c.importAll(bundleRecord(1, 0, 0), bundleRecord(2, 0, 0), bundleRecord(1<<40, 0, 0))
	r := howToRecord("O'Brien \\ \"%_\"\n" + broad(64))
	assertComplete(w, follows(c, &r, func(r imported.HowToRecord) {
		r.Robot = authors[r.By]
		assert.Equal(w, []publication.HowTo{r.HowTo}, w.howTos(page.Request{}).Items)
	}, func(r *imported.HowToRecord) { r.Bundles = []publication.BundleID{1 << 40, 1, 2, 1} },
		func(r *imported.HowToRecord) { r.Bundles = []publication.BundleID{1, 2, 1 << 40} },
		func(r *imported.HowToRecord) { r.Created = noon.Add(-time.Microsecond) },
		func(r *imported.HowToRecord) { r.Updated, r.Bundles = noon.Add(time.Hour), nil },
	), "HowTo.Robot")
	r.By = "another"
	c.again(imported.New, r)
	r.Category = "Garden"
	c.again(imported.New, r)
	assert.Equal(w, 3, w.howTos(page.Request{}).Total)
}

func importNews(w *fixtures) {
	c := w.importer("a")
	w.report(newsItems("Sevilla", "before")...)
	r := newsRecord("O'Brien \\ \"%_\"\n" + broad(100))
	c.again(imported.New, r)
	c.again(imported.New, newsRecord("another"))
	day := func() event.DayInCity { return event.DayInCity{Date: r.Released} }
	stored := w.newsAround(10, day())[day()][1]
	var all []news.Item
	for _, edit := range []func(*news.Item){
		func(n *news.Item) { n.Title, n.HTML = broad(300), "<p>'\\N\t\n\"</p>" },
		func(n *news.Item) {
			n.SiteName, n.SiteLogo, n.URL = "Other", "https://example.org/l.png", "https://example.org/2"
		},
		func(n *news.Item) {
			n.Category, n.City, n.District, n.Province, n.Country = "Fiestas", "Sevilla", "Triana", "Andalucía", "ES"
		},
		func(n *news.Item) { n.Released = date(w, "9999-12-31") },
		func(n *news.Item) { n.Released = date(w, "0001-01-01") },
		func(n *news.Item) { n.Released = pi },
	} {
		edit(&r.Item)
		c.again(imported.Changed, r)
		want := r.Item
		want.ID = stored.ID
		all = append(all, want)
		assert.Contains(w, w.newsAround(10, day())[day()], want)
	}
	assertComplete(w, all)
	assert.Len(w, w.newsAround(10, day())[day()], 3)
}

func known(w *fixtures) {
	c := w.importer("a")
	c.settled()
	want := []imported.Ref{bundleRecord(1, 0, 0).Ref()}
	assert.Empty(w, w.knows(want...))
	assert.Equal(w, repeated(1, imported.New), c.importAll(bundleRecord(1, 0, 0)))
	want = append(want, userRecord(writer, 0).Ref(), categoryRecord(1, 0).Ref())
	asked := append(want[:len(want):len(want)], want[0])
	for _, kind := range []imported.Kind{imported.User, imported.Category, imported.Bundle} {
		for _, id := range []string{"", "0", "-1", "9", "01", "1 ", "x", "'", "99999999999999999999"} {
			asked = append(asked, imported.Ref{Kind: kind, ID: id})
		}
	}
	got := w.knows(asked...)
	assert.Len(w, got, len(want))
	for _, ref := range want {
		assert.True(w, got[ref], "%v", ref)
	}
	assert.Empty(w, w.knows())
}
