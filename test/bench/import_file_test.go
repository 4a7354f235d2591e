package bench

import (
	"bufio"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"plaza/domain/calendar"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
	"plaza/test/drafts"
)

// fullImport is how many records the file has at scale 1.
const fullImport = 1_000_000

// found is a file of so many records, about: 2 in 100 are people, 30 each bundles and
// publications, 8 nodes, 15 demands, and the rest news, a few how-tos and categories.
type found struct {
	*dataset
	records, howTos, clippings int
}

func newFound(scale float64) *found {
	n := max(1000, int(scale*fullImport))
	d := sized(n*2/100, n*30/100, n*15/100, 0)
	d.nodes = n * 8 / 100
	d.shelves["node"] = shelve(d.nodes)
	f := &found{dataset: d, records: n, howTos: n / 1000}
	f.clippings = n - d.users - categories - 2*d.publications - d.nodes - d.demands - f.howTos
	return f
}

// write writes the first so many records of the file: people and categories first, then
// everything mixed.
func (f *found) write(path string, records int) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriterSize(file, 1<<20)
	for draft := range f.drafts() {
		if records--; records < 0 {
			break
		}
		line, err := drafts.Encode(draft)
		if err != nil {
			return err
		}
		out.Write(append(line, '\n')) // Flush tells
	}
	return out.Flush()
}

func (f *found) drafts() iter.Seq[imported.Draft] {
	parts := []struct {
		count int
		draft func(int) imported.Draft
	}{
		{f.publications, f.bundleDraft}, {f.publications, f.publicationDraft}, {f.nodes, f.nodeDraft},
		{f.demands, f.demandDraft}, {f.clippings, f.newsDraft}, {f.howTos, f.howToDraft},
	}
	return func(yield func(imported.Draft) bool) {
		for i := range f.users {
			if !yield(f.userDraft(i)) {
				return
			}
		}
		for i := range categories {
			if !yield(f.categoryDraft(i)) {
				return
			}
		}
		for i := range f.publications {
			for _, part := range parts { // as many of each as is their part
				for j := i * part.count / f.publications; j < (i+1)*part.count/f.publications; j++ {
					if !yield(part.draft(j)) {
						return
					}
				}
			}
		}
	}
}

func writer(id int64) imported.SourceID { return imported.SourceID(fmt.Sprint("writer-", id)) }

func (f *found) userDraft(i int) imported.Draft {
	r := roll("users", i)
	return imported.UserDraft{
		ID: writer(int64(i + 1)), Username: fmt.Sprintf("+86-2%010d", i), Firstname: r.text(8), Lastname: r.text(8),
		Expertise: r.text(8), Location: pick(r, cities).name, Timezone: "Asia/Shanghai", Joined: r.before(history),
	}
}

func (f *found) categoryDraft(i int) imported.Draft {
	return imported.CategoryDraft{
		ID: feed.CategoryID(i + 1), Parent: feed.CategoryID(i / 10), Name: fmt.Sprint("Category ", i+1), Slug: fmt.Sprint("category-", i+1),
	}
}

func (f *found) bundleDraft(i int) imported.Draft {
	from := publication.BundleID(original(i))
	return imported.BundleDraft{ID: publication.BundleID(i + 1), FirstOriginal: from, Original: from}
}

func coverDraft(kind string, i int) *imported.CoverDraft {
	return &imported.CoverDraft{URL: fmt.Sprintf("https://pictures.example/%s/%08d.jpg", kind, i), Width: 480, Height: 320}
}

// contentDraft is what publications and nodes have.
func (f *found) contentDraft(kind string, i int) imported.ContentDraft {
	l, visible := f.published(kind, i)
	r := roll(kind+" texts", i)
	return imported.ContentDraft{
		Title: r.text(40), Summary: r.text(200), Cover: coverDraft(kind, i), Author: writer(f.authorOf(r)), Language: pick(r, languages),
		Category: feed.CategoryID(l.category), Published: visible, Created: l.created, Updated: l.updated,
	}
}

func (f *found) publicationDraft(i int) imported.Draft {
	return imported.PublicationDraft{
		ID: publication.ID(i + 1), Bundle: publication.BundleID(i + 1), Node: publication.NodeID(i + 1),
		ContentDraft: f.contentDraft("publication", i),
	}
}

func (f *found) nodeDraft(i int) imported.Draft {
	return imported.NodeDraft{ID: publication.NodeID(i + 1), ContentDraft: f.contentDraft("node", i)}
}

func (f *found) demandDraft(i int) imported.Draft {
	l, visible := f.published("demand", i)
	r := roll("demand texts", i)
	city, point := f.place(i)
	draft := imported.DemandDraft{
		ID: demand.ID(l.id), Title: r.text(40), Description: r.text(200), Tags: []string{pick(r, tags), pick(r, tags)},
		Cover: coverDraft("demand", i), Author: writer(f.authorOf(r)), Address: city.city, Category: feed.CategoryID(l.category),
		Closed: l.created.AddDate(0, 0, 30), Start: l.created.AddDate(0, 0, 1), End: l.created.AddDate(0, 0, 20),
		Published: visible, Created: l.created, Updated: l.updated,
	}
	if point != nil {
		draft.Lat, draft.Lng = &point.Lat, &point.Lng
	}
	return draft
}

func (f *found) howToDraft(i int) imported.Draft {
	r := roll("how-tos", i)
	return imported.HowToDraft{
		Category: fmt.Sprint("guide ", i), Robot: writer(f.authorOf(r)), Bundles: []publication.BundleID{publication.BundleID(i + 1)},
		Created: epoch.Add(-time.Duration(i) * time.Minute),
	}
}

func (f *found) newsDraft(i int) imported.Draft {
	r := roll("clippings", i)
	city := pick(r, cities)
	return imported.NewsDraft{
		ID: imported.SourceID(fmt.Sprint("clipping-", i)), SiteName: r.text(10), URL: fmt.Sprintf("https://news.example/%d", i),
		Title:    r.text(40),
		Released: calendar.DateOf(r.before(history)), HTML: "<p>" + r.text(200) + "</p>", City: city.city, Province: city.province,
	}
}
