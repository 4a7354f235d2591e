package ports

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/publication"
)

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
