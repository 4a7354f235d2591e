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

var importsNeeds = []promise{
	{"a record whose needs are not there is not stored, and says what it lacks", needsMissing},
	{"origins hold when many publications of a bundle come and go at once", originsCrowd},
}

func needsMissing(w *fixtures) {
	c := w.importer("a")
	records := []imported.Record{
		howToRecord("garden", 2, 1), demandRecord(1), nodeRecord(1, func(n *publication.Node) { n.Bundle, n.Category = 2, 3 }),
		publicationRecord(2), bundleRecord(2, 1, 3), categoryRecord(3, 2),
	}
	want := imported.PlanOf(records, nil, nil).Missing
	for i, o := range c.apply(records...) {
		assert.Equal(w, imported.Waits, o.Status)
		assert.NotEmpty(w, o.Wrong)
		assert.Equal(w, want[i], o.Wrong)
	}
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
