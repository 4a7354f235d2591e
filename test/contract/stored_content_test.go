package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/test/content"
)

// Content enters by the import, never over HTTP: here it goes into the import store. Each publication, node and
// demand is visible, of this instant and titled after its number, unless it is changed.

// stores imports the things.
func (s *server) stores(t *testing.T, things ...any) {
	t.Helper()
	stores := s.app.Stores
	require.NoError(t, content.Import(t.Context(),
		content.Stores{Accounts: stores.Accounts, Directory: stores.Directory, Imports: stores.Imports}, things...))
}

// storesCategory puts a category under another.
func (s *server) storesCategory(t *testing.T, id, parent feed.CategoryID, name string) {
	t.Helper()
	s.stores(t, feed.Category{ID: id, Parent: parent, Name: name, Slug: strings.ToLower(name)})
}

// storesItem puts a publication, a node and a demand of the number into the category.
func (s *server) storesItem(t *testing.T, by person, id int, in feed.CategoryID) {
	t.Helper()
	s.storesPublication(t, by, id, in)
	s.storesNode(t, by, id, in)
	s.storesDemand(t, by, id, in)
}

func (s *server) content(by person, title string, in feed.CategoryID) publication.Content {
	now := s.clock.Now()
	return publication.Content{
		Title: title, Summary: "Of " + title, Author: by.id, Language: "en", Category: in,
		Published: true, Created: now, Updated: now,
	}
}

func (s *server) storesPublication(
	t *testing.T, by person, id int, in feed.CategoryID, change ...func(*publication.Publication),
) {
	t.Helper()
	p := publication.Publication{
		ID: publication.ID(id), Bundle: publication.Bundle{ID: publication.BundleID(1000 + id)}, Node: publication.NodeID(2000 + id),
		Content: s.content(by, fmt.Sprintf("publication %d", id), in),
	}
	for _, c := range change {
		c(&p)
	}
	s.stores(t, p)
}

func (s *server) storesNode(t *testing.T, by person, id int, in feed.CategoryID, change ...func(*publication.Node)) {
	t.Helper()
	n := publication.Node{ID: publication.NodeID(id), Content: s.content(by, fmt.Sprintf("node %d", id), in)}
	for _, c := range change {
		c(&n)
	}
	s.stores(t, n)
}

func (s *server) storesDemand(t *testing.T, by person, id int, in feed.CategoryID, change ...func(*demand.Demand)) {
	t.Helper()
	now := s.clock.Now()
	d := demand.Demand{
		ID: demand.ID(id), Title: fmt.Sprintf("demand %d", id), Description: "Wanted", Author: by.id, Category: in,
		Closed: now.Add(day), Start: now.Add(2 * day), End: now.Add(3 * day), Published: true, Created: now, Updated: now,
	}
	for _, c := range change {
		c(&d)
	}
	s.stores(t, d)
}

// cover is a picture with one size.
func cover(size string) media.Picture {
	return media.Picture{
		Path:  "https://covers.example/lake.jpg",
		Sizes: []media.Size{{Name: size, Width: 320, Height: 180, Path: "https://covers.example/lake-small.jpg"}},
	}
}
