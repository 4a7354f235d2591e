package ports

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/publication"
)

var importsRandom = []promise{
	{"concurrent batches are all stored, as if they came one after the other", batchesAtOnce},
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
	for _, err := range atOnce(many, func(i int) error {
		c := random{rand.New(rand.NewPCG(uint64(i), 11))}
		for range 8 {
			_, err := w.Imports.Apply(w.Context(), imported.Batch{Import: fmt.Sprint("import ", i), Records: c.records(20)})
			if err != nil {
				return err
			}
		}
		return nil
	}) {
		require.NoError(w, err)
	}
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
