package ports

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

var importsNeeds = []promise{
	{"a record whose needs are not there is not stored, and says what it lacks", needsMissing},
	{"origins hold when many publications of a bundle come and go at once", originsCrowd},
	{"concurrent batches are all stored, as if they came one after the other", batchesAtOnce},
}

func needsMissing(w *fixtures) {
	c := w.importer("a")
	records := []imported.Record{
		howToRecord("garden", 2, 1), demandRecord(1), nodeRecord(1, func(n *publication.Node) { n.Bundle, n.Category = 2, 3 }),
		publicationRecord(2), bundleRecord(2, 1, 3), categoryRecord(3, 2),
	}
	_, want := imported.Decide(records, nil, nil, nil)
	assert.Equal(w, want, c.apply(records...))
	assert.Equal(w, repeated(6, imported.Waits), statusesOf(want))
	assert.Empty(w, w.listed())
	assert.Equal(w, repeated(4, imported.New), c.importAll(userRecord(writer, 1), categoryRecord(2, 0), bundleRecord(1, 0, 0),
		bundleRecord(3, 0, 0)))
	assert.Empty(w, w.listed(), "it is not imported again")
	assert.Equal(w, repeated(6, imported.New), c.importAll(records...))
	assert.Len(w, w.listed(), 3)
	w.checkAgrees()
}

func bundleOf(id publication.BundleID) func(*publication.Publication) {
	return func(p *publication.Publication) { p.Bundle.ID = id }
}

func originsCrowd(w *fixtures) {
	const texts = 300 // more than fit on a page, or into a statement
	c := w.importer("a")
	c.settled()
	var some []imported.Record
	for i := range publication.ID(texts) {
		id := i + 1
		bundle := publication.BundleID(1 + i%100)
		if i < 100 {
			first := publication.BundleID(1 + i%10)
			some = append(some, bundleRecord(bundle, first, 0))
		}
		some = append(some, publicationRecord(id, bundleOf(bundle), func(p *publication.Publication) {
			p.Category, p.Updated = feed.CategoryID(i%3), noon.Add(time.Duration(i)*time.Second)
		}))
	}
	slices.Reverse(some)
	assert.Equal(w, repeated(len(some), imported.New), c.importAll(some...))
	assert.Equal(w, 30, w.publications(publication.Query{OriginOnly: true}).Total)
	assert.Equal(w, repeated(len(some), imported.Same), c.importAll(some...))
	w.checkAgrees()
	for i, r := range some {
		if t, is := r.(imported.PublicationRecord); is && t.Bundle.ID <= 5 {
			t.Deleted = true
			some[i] = t
		}
	}
	c.importAll(some...)
	p := w.publications(publication.Query{OriginOnly: true, Page: page.Request{}})
	assert.Equal(w, 5*3+5*9*3, p.Total)
	w.checkAgrees()
}

// record is a record of few ids, so that they come again and name each other.
func (c random) record() imported.Record {
	id := int64(1 + c.IntN(6))
	by := pick(c, "a", "b", "c")
	like := content(0)
	like.Title, like.Category = fmt.Sprint("Nº ", c.IntN(3)), feed.CategoryID(c.IntN(4))
	like.Published, like.Deleted = c.IntN(4) > 0, c.IntN(6) == 0
	like.Created = noon.Add(time.Duration(c.IntN(4)) * time.Second)
	like.Updated = like.Created.Add(time.Duration(c.IntN(4)) * time.Hour)
	bundle := publication.BundleID(1 + c.IntN(4))
	switch c.IntN(9) {
	case 0:
		number := slices.Index([]string{"a", "b", "c"}, by) + 1
		p := userRecord(by, number)
		p.Firstname = like.Title
		return p
	case 1:
		s := categoryRecord(feed.CategoryID(1+c.IntN(3)), feed.CategoryID(c.IntN(4)))
		s.Name = like.Title
		if s.Parent == s.ID {
			s.Parent = 0
		}
		return s
	case 2:
		return bundleRecord(bundle, publication.BundleID(c.IntN(5)), publication.BundleID(c.IntN(5)))
	case 3, 4, 5:
		p := publication.Publication{ID: publication.ID(id), Bundle: publication.Bundle{ID: bundle}, Content: like}
		return imported.PublicationRecord{Publication: p, By: by}
	case 6:
		return imported.NodeRecord{Node: publication.Node{ID: publication.NodeID(id), Content: like}, By: by}
	case 7:
		return imported.DemandRecord{By: by, Demand: request(0, demand.ID(id), func(d *demand.Demand) {
			d.Title, d.Category, d.Published, d.Deleted = like.Title, like.Category, like.Published, like.Deleted
			d.Created, d.Updated = like.Created, like.Updated
		})}
	}
	g := howToRecord(like.Title, bundle, bundle)
	g.By = by
	return g
}

// records is so many records, no two of the same Ref.
func (c random) records(most int) []imported.Record {
	seen := map[imported.Ref]bool{}
	var some []imported.Record
	for range 1 + c.IntN(most) {
		if r := c.record(); !seen[r.Ref()] {
			seen[r.Ref()] = true
			some = append(some, r)
		}
	}
	return some
}

func batchesAtOnce(w *fixtures) {
	w.importer("a").importAll(userRecord("a", 1), userRecord("b", 2), userRecord("c", 3))
	w.succeed(atOnce(many, func(i int) error {
		c := random{rand.New(rand.NewPCG(uint64(i), 11))}
		for range 8 {
			_, err := w.Imports.Apply(w.Context(), imported.Batch{Import: fmt.Sprint("import ", i), Records: c.records(20)})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	w.checkAgrees()
	bundles := map[publication.BundleID]publication.Bundle{}
	for _, p := range w.publications(publication.Query{}).Items {
		if b, is := bundles[p.Bundle.ID]; is {
			assert.Equal(w, b, p.Bundle)
		}
		bundles[p.Bundle.ID] = p.Bundle
	}
	for _, h := range w.howTos(page.Request{}).Items {
		assert.Equal(w, h.Bundles[0], h.Bundles[1], "no mixture of two")
	}
}
