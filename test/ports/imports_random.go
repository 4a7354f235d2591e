package ports

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

var importsRandom = []promise{
	{"records are stored in whatever order they come, the latest of each, and what needs another record waits", anyBatches},
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

// contentShown is all that the ports show of what was imported.
type contentShown struct {
	Categories   []feed.Category
	Publications []publication.Publication
	Originals    []publication.ID
	Things       map[feed.CategoryID][]feed.Listable
	HowTos       []publication.HowTo
}

func (w *fixtures) shown() (s contentShown) {
	w.Helper()
	categories, _, err := w.Feed.Metas(w.Context(), feed.Selection{Kinds: feed.ItemKinds()})
	require.NoError(w, err)
	s.Categories = slices.SortedFunc(slices.Values(categories), func(a, b feed.Category) int { return cmp.Compare(a.ID, b.ID) })
	s.Publications = w.publications(publication.Query{}).Items
	s.Originals = w.originals()
	s.HowTos = w.howTos(page.Request{}).Items
	s.Things = map[feed.CategoryID][]feed.Listable{}
	for _, in := range append(s.Categories, feed.Category{}) {
		if things := w.pages(in.ID, feed.Selection{Kinds: feed.ItemKinds()}, 10); len(things) > 0 {
			s.Things[in.ID] = things
		}
	}
	return s
}

// writers opens the accounts of all random authors, so that their uids are known.
func (c *importer) writers() map[string]user.ID {
	c.Helper()
	require.Equal(c, repeated(3, imported.New), c.importAll(userRecord("a", 1), userRecord("b", 2), userRecord("c", 3)))
	return map[string]user.ID{"a": c.uid(phone(1)), "b": c.uid(phone(2)), "c": c.uid(phone(3))}
}

// model is what should be stored, by the records.
type model struct {
	stored  map[imported.Ref]imported.Record
	waiting map[int64]imported.Ref
	uids    map[string]user.ID
}

// apply does the same as Apply and returns the statuses.
func (a *model) apply(lines []imported.Line) []imported.Status {
	known, tree := map[imported.Ref]bool{}, map[feed.CategoryID]feed.CategoryID{}
	for ref, r := range a.stored {
		known[ref] = true
		if s, is := r.(imported.CategoryRecord); is {
			tree[s.ID] = s.Parent
		}
	}
	batch := make([]imported.Record, len(lines))
	for i, line := range lines {
		batch[i] = line.Record
	}
	fates := repeated(len(lines), imported.Waits)
	for _, i := range imported.PlanOf(batch, known, tree).Ready {
		ref := batch[i].Ref()
		old, is := a.stored[ref]
		switch {
		case !is:
			fates[i] = imported.New
		case reflect.DeepEqual(old, batch[i]):
			fates[i] = imported.Same
		default:
			fates[i] = imported.Changed
		}
		a.stored[ref] = batch[i]
		maps.DeleteFunc(a.waiting, func(_ int64, waits imported.Ref) bool { return waits == ref })
	}
	for i, line := range lines {
		if fates[i] == imported.Waits {
			a.waiting[line.Number] = batch[i].Ref()
		}
	}
	return fates
}

// shown is what the ports should show of it.
func (a *model) shown() (s contentShown) {
	s.Publications, s.Originals, s.HowTos = []publication.Publication{}, []publication.ID{}, []publication.HowTo{}
	s.Things = map[feed.CategoryID][]feed.Listable{}
	visible := map[publication.BundleID]bool{}
	list := func(thing feed.Listable) bool {
		l, listed := thing.Listing()
		if listed {
			s.Things[l.Category] = append(s.Things[l.Category], thing)
		}
		return listed
	}
	for _, r := range a.stored {
		switch r := r.(type) {
		case imported.CategoryRecord:
			s.Categories = append(s.Categories, r.Category)
		case imported.PublicationRecord:
			r.Author, r.Bundle = a.uids[r.By], a.stored[imported.NumberRef(imported.Bundle, r.Bundle.ID)].(imported.BundleRecord).Bundle
			if list(r.Publication) {
				s.Publications = append(s.Publications, r.Publication)
				visible[r.Bundle.ID] = true
			}
		case imported.NodeRecord:
			r.Author = a.uids[r.By]
			list(r.Node)
		case imported.DemandRecord:
			r.Author = a.uids[r.By]
			list(r.Demand)
		case imported.HowToRecord:
			r.Robot = a.uids[r.By]
			s.HowTos = append(s.HowTos, r.HowTo)
		}
	}
	slices.SortFunc(s.Categories, func(a, b feed.Category) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(s.HowTos, func(a, b publication.HowTo) int {
		return cmp.Or(cmp.Compare(a.Category, b.Category), cmp.Compare(a.Robot, b.Robot))
	})
	slices.SortFunc(s.Publications, func(a, b publication.Publication) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	for _, p := range s.Publications {
		if p.IsOrigin(visible[p.Bundle.FirstOriginal]) {
			s.Originals = append(s.Originals, p.ID)
		}
	}
	for _, things := range s.Things {
		slices.SortFunc(things, func(a, b feed.Listable) int {
			one, _ := a.Listing()
			other, _ := b.Listing()
			return feed.Compare(one, other)
		})
	}
	return s
}

func anyBatches(w *fixtures) {
	w.eachSeed(func(w *fixtures, c random) {
		a := w.importer("a")
		want := model{stored: map[imported.Ref]imported.Record{}, waiting: map[int64]imported.Ref{}, uids: a.writers()}
		for source := range want.uids {
			want.stored[imported.Ref{Kind: imported.User, ID: source}] = nil
		}
		for turn := range 40 {
			records := slices.DeleteFunc(c.records(12), func(r imported.Record) bool { return r.Ref().Kind == imported.User })
			lines := a.lines(records...)
			fates := want.apply(lines)
			require.Equal(w, fates, statusesOf(a.apply(imported.Batch{Lines: lines})), "turn %d", turn)
			require.Equal(w, want.shown(), w.shown(), "turn %d", turn)
			require.Equal(w, slices.Sorted(maps.Keys(want.waiting)), slices.Sorted(slices.Values(a.waiting())), "turn %d", turn)
		}
		w.checkAgrees()
	})
}

func batchesAtOnce(w *fixtures) {
	w.importer("a").writers()
	for _, err := range atOnce(many, func(i int) error {
		c, importer := random{rand.New(rand.NewPCG(uint64(i), 11))}, w.importer(fmt.Sprint("file ", i))
		for range 8 {
			_, err := w.Imports.Apply(w.Context(), imported.Batch{File: importer.file, Lines: importer.lines(c.records(20)...)})
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
	for _, h := range w.shown().HowTos {
		assert.Equal(w, h.Bundles[0], h.Bundles[1], "no mixture of two")
	}
}
