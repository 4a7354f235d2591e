package ports

import (
	"time"

	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/news"
	"plaza/domain/publication"
	"plaza/domain/user"
	importing "plaza/test/content"
)

// imports stores the things through the import store. Their authors have accounts.
func (w *fixtures) imports(things ...any) {
	w.Helper()
	require.NoError(w, w.tryImport(things...))
}

func (w *fixtures) tryImport(things ...any) error {
	stores := importing.Stores{Accounts: w.Accounts, Directory: w.Directory, Imports: w.Imports}
	return importing.Import(w.Context(), stores, things...)
}

// importEach stores things of one type, one after the other.
func importEach[T any](w *fixtures, things ...T) {
	w.Helper()
	for _, thing := range things {
		w.imports(thing)
	}
}

// content is what is published by the author at noon.
func content(author user.ID) publication.Content {
	return publication.Content{Title: "A text", Author: author, Language: "en", Published: true, Created: noon, Updated: noon}
}

// article is a publication of the author, of a bundle of the same number, unless the edits say otherwise.
func article(author user.ID, id publication.ID, edits ...func(*publication.Publication)) publication.Publication {
	p := publication.Publication{ID: id, Bundle: publication.Bundle{ID: publication.BundleID(id)}, Content: content(author)}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

// translationOf makes it a translation of the bundle.
func translationOf(original publication.BundleID) func(*publication.Publication) {
	return func(p *publication.Publication) { p.Bundle.FirstOriginal, p.Bundle.Original = original, original }
}

// cover is a picture none of whose facts is zero.
func cover() media.Picture {
	return media.Picture{Path: "https://plaza.example/c.jpg?a=1&b='", Sizes: []media.Size{
		{Name: "cover_sm", Width: 320, Height: 200, Path: "https://plaza.example/sm.jpg"},
		{Name: "cover_md", Width: 640, Height: 400, Path: "https://plaza.example/md.jpg"},
	}}
}

// node is a node of the author's, which is not stored yet.
func node(like publication.Content, id publication.NodeID) publication.Node {
	return publication.Node{ID: id, Content: like}
}

// request is a demand of the author's, nowhere, unless the edits say otherwise.
func request(author user.ID, id demand.ID, edits ...func(*demand.Demand)) demand.Demand {
	d := demand.Demand{
		ID: id, Title: "A request", Author: author, Published: true, Created: noon, Updated: noon,
		Closed: noon.AddDate(0, 0, 3), Start: noon.AddDate(0, 0, 1), End: noon.AddDate(0, 0, 2),
	}
	for _, edit := range edits {
		edit(&d)
	}
	return d
}

// fullRequest is a demand none of whose facts is zero.
func fullRequest(author user.ID, id demand.ID, in feed.CategoryID) demand.Demand {
	return request(author, id, func(d *demand.Demand) {
		d.Title, d.Description, d.Address = broad(64), "O'Brien \\ \"%_\"\n\t ", "西湖区 1"
		d.Tags, d.Images = []string{"b", "a", "b,c"}, []string{"https://plaza.example/2.jpg", "https://plaza.example/1.jpg"}
		d.Cover = media.Picture{Path: "https://plaza.example/c.jpg", Sizes: []media.Size{
			{Name: "demand_cover_md", Width: 640, Height: 400, Path: "https://plaza.example/md.jpg"},
		}}
		d.Category, d.Place, d.Updated = in, &geo.Point{Lat: 30.25, Lng: 120.15}, noon.Add(time.Microsecond)
	})
}

func howTo(category string, robot user.ID, at time.Time, bundles ...publication.BundleID) publication.HowTo {
	return publication.HowTo{Category: category, Robot: robot, Bundles: bundles, Created: at, Updated: at.Add(time.Second)}
}

// newsItems are news of the day of noon, told apart by their title.
func newsItems(city string, titles ...string) []news.Item {
	var items []news.Item
	for _, title := range titles {
		items = append(items, news.Item{Title: title, City: city, Released: pi})
	}
	return items
}
