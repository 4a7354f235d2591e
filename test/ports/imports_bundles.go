package ports

import (
	"slices"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/publication"
)

var importsBundles = []promise{
	{"a change of a bundle is one of all its publications", bundleChanges},
	{"origins hold when many publications of a bundle come and go at once", originsCrowd},
}

func bundleOf(id publication.BundleID) func(*publication.Publication) {
	return func(p *publication.Publication) { p.Bundle.ID = id }
}

func hidden(p *publication.Publication) { p.Published = false }

// bundles are those of the publications that can be seen.
func (w *fixtures) bundles() map[publication.ID]publication.Bundle {
	w.Helper()
	of := map[publication.ID]publication.Bundle{}
	for _, p := range w.publications(publication.Query{}).Items {
		of[p.ID] = p.Bundle
	}
	return of
}

func bundleChanges(w *fixtures) {
	c := w.importer("a")
	c.settled()
	c.again(imported.New, bundleRecord(1, 0, 0))
	c.again(imported.New, bundleRecord(2, 0, 0))
	assert.Equal(w, repeated(4, imported.New), c.importAll(publicationRecord(1), publicationRecord(2), publicationRecord(3, bundleOf(2)), publicationRecord(4, bundleOf(2), hidden)))
	for _, next := range []struct {
		imported.BundleRecord
		origins []publication.ID
	}{
		{bundleRecord(2, 1, 1), []publication.ID{1}},
		{bundleRecord(2, 1, 0), []publication.ID{1}},
		{bundleRecord(2, 2, 1), []publication.ID{1, 2, 3}},
		{bundleRecord(2, 0, 1), []publication.ID{1, 2, 3}},
		{bundleRecord(2, 1, 1), []publication.ID{1}},
		{bundleRecord(2, 0, 0), []publication.ID{1, 2, 3}},
	} {
		c.again(imported.Changed, next.BundleRecord)
		assert.Equal(w, next.origins, w.originals())
		assert.Equal(w, map[publication.ID]publication.Bundle{1: {ID: 1}, 2: next.Bundle, 3: next.Bundle}, w.bundles())
	}
	assert.Equal(w, []imported.Status{imported.Changed, imported.Changed, imported.Changed},
		c.importAll(bundleRecord(2, 1, 0), publicationRecord(4, bundleOf(2)), publicationRecord(1, hidden)))
	assert.Equal(w, []publication.ID{2, 3, 4}, w.originals())
	assert.Equal(w, publication.Bundle{ID: 2, FirstOriginal: 1}, w.bundles()[4])
	assert.Equal(w, repeated(3, imported.Same), c.importAll(publicationRecord(2), publicationRecord(3, bundleOf(2)), publicationRecord(4, bundleOf(2))))
	w.checkAgrees()
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
