package ports

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// Publications is the suite of publication.Repository and of the feed that it
// keeps.
func Publications(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Put stores the publication under its ID, as it is", putPublication},
		{"Put replaces what was there, and its listing in the same step", replacePublication},
		{"PutNode does the same with a node", putNode},
		{"what refers to nothing is an error, and is not stored", putDanglingContent},
		{"Puts at once all succeed, and the feed equals the listing of what is stored", putPublicationAtOnce},
		{"List has the visible ones alone, the latest update first, ties by ascending id", publicationOrder},
		{"a category that is not there has none", publicationsOfCategory},
		{"origin only: originals, and translations whose original is not visible", originOnly},
		{"origin only holds whichever comes first and whatever becomes of the original", originOnlyLater},
		{"origin only is, in any world, what the rule says", originOnlyWorlds},
		{"origin_only holds, however many publish originals and translations at once", originOnlyAtOnce},
		{"the total counts what paging yields, and past it is NotFound", publicationPages},
		{"what goes in and comes out is private", publicationPrivate},
		{"whoever has gone away is not served, and nothing is stored", publicationGone},
	})
}

// content is what is published by the author at noon.
func content(author user.ID) publication.Content {
	return publication.Content{Title: "A text", Author: author, Language: "en", Published: true, Created: noon, Updated: noon}
}

// article is a publication of the author, of a bundle of the same number, unless
// the edits say otherwise.
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

// publish stores the publications.
func (w *fixtures) publish(all ...publication.Publication) {
	w.Helper()
	for _, p := range all {
		require.NoError(w, w.Publications.Put(w.Context(), p))
	}
}

func (w *fixtures) publications(q publication.Query) page.Page[publication.Publication] {
	w.Helper()
	p, err := w.Publications.List(w.Context(), q)
	require.NoError(w, err)
	return p
}

// idsOf tells publications apart in lists.
func idsOf(all []publication.Publication) []publication.ID {
	ids := []publication.ID{}
	for _, p := range all {
		ids = append(ids, p.ID)
	}
	return ids
}

// cover is a picture none of whose facts is zero.
func cover() media.Picture {
	return media.Picture{Path: "https://plaza.example/c.jpg?a=1&b='", Sizes: []media.Size{
		{Name: "cover_sm", Width: 320, Height: 200, Path: "https://plaza.example/sm.jpg"},
		{Name: "cover_md", Width: 640, Height: 400, Path: "https://plaza.example/md.jpg"},
	}}
}

func putPublication(w *fixtures) {
	author := w.somebody()
	full := publication.Publication{
		ID: 1 << 40, Bundle: publication.Bundle{ID: 9, FirstOriginal: 3, Original: 4}, Node: 5, Type: publication.MultiChapter,
		Content: publication.Content{
			Title: broad(64), Summary: "O'Brien \\ \"%_\"\n\t ", Cover: cover(), Author: author, Language: "zh-Hant-TW",
			Category: w.category(7), Published: true, Created: noon, Updated: noon.Add(time.Microsecond),
		},
	}
	bare := article(author, 1)
	w.publish(full, bare)
	got := w.publications(publication.Query{})
	assert.Equal(w, []publication.Publication{full, bare}, got.Items)
	assert.Equal(w, []feed.Listing{
		{Kind: feed.Publication, ID: 1, Created: noon, Updated: noon},
		{Kind: feed.Publication, ID: 1 << 40, Category: 7, Created: noon, Updated: noon.Add(time.Microsecond)},
	}, w.listed())
}

func replacePublication(w *fixtures) {
	author, other := w.somebody(), w.somebody()
	p := article(author, 1)
	for _, edit := range []func(*publication.Publication){
		func(p *publication.Publication) { p.Title, p.Author = "Another", other },
		func(p *publication.Publication) { p.Category, p.Cover = w.category(1), cover() },
		func(p *publication.Publication) { p.Published = false },
		func(p *publication.Publication) { p.Category, p.Cover = 0, media.Picture{} },
		func(p *publication.Publication) { p.Published, p.Updated = true, noon.Add(time.Hour) },
		func(p *publication.Publication) { p.Deleted = true },
		func(p *publication.Publication) {
			p.Deleted, p.Bundle, p.Created = false, publication.Bundle{}, noon.Add(time.Minute)
		},
	} {
		edit(&p)
		w.publish(p)
		wantItems, wantListed := []publication.Publication{}, []feed.Listing{}
		if l, listed := p.Listing(); listed {
			wantItems, wantListed = append(wantItems, p), append(wantListed, l)
		}
		assert.Equal(w, wantListed, w.listed())
		assert.Equal(w, wantItems, append([]publication.Publication{}, w.publications(publication.Query{}).Items...))
	}
}

func putNode(w *fixtures) {
	n := publication.Node{ID: 1, Bundle: 9, Content: content(w.somebody())}
	w.publish(article(n.Author, 1)) // of the same number
	for _, edit := range []func(*publication.Node){
		func(n *publication.Node) { n.Title, n.Summary, n.Cover = "Another", broad(200), cover() },
		func(n *publication.Node) { n.Category, n.Bundle = w.category(1), 0 },
		func(n *publication.Node) { n.Published = false },
		func(n *publication.Node) { n.Published, n.Deleted = true, true },
		func(n *publication.Node) { n.Deleted, n.Updated = false, noon.Add(time.Hour) },
	} {
		edit(&n)
		require.NoError(w, w.Publications.PutNode(w.Context(), n))
		want := []feed.Listable{}
		if l, listed := n.Listing(); listed {
			assert.Contains(w, w.listed(), l)
			want = append(want, n)
		}
		sel := feed.Select([]feed.Kind{feed.Node}, nil)
		assert.Equal(w, want, w.shelved(n.Category, sel, 10))
	}
	assert.Equal(w, []publication.ID{1}, idsOf(w.publications(publication.Query{}).Items), "a node is no publication")
	assert.Len(w, w.listed(), 2)
}

func putDanglingContent(w *fixtures) {
	author := w.somebody()
	for _, c := range []publication.Content{
		content(0), content(author + 1),
		func() publication.Content { c := content(author); c.Category = 9; return c }(),
	} {
		err := w.Publications.Put(w.Context(), publication.Publication{ID: 1, Content: c})
		require.Error(w, err)
		assert.Equal(w, fault.Internal, fault.KindOf(err))
		err = w.Publications.PutNode(w.Context(), publication.Node{ID: 1, Content: c})
		require.Error(w, err)
		assert.Equal(w, fault.Internal, fault.KindOf(err))
	}
	for _, id := range []publication.ID{0, -1} {
		require.Error(w, w.Publications.Put(w.Context(), article(author, id)))
		require.Error(w, w.Publications.PutNode(w.Context(), publication.Node{ID: publication.NodeID(id), Content: content(author)}))
	}
	assert.Empty(w, w.listed())

	standing := article(author, 1)
	w.publish(standing)
	require.Error(w, w.Publications.Put(w.Context(), article(author+1, 1)))
	assert.Equal(w, []publication.Publication{standing}, w.publications(publication.Query{}).Items)
}

func putPublicationAtOnce(w *fixtures) {
	author := w.somebody()
	w.category(1)
	for _, err := range atOnce(many, func(i int) error {
		return w.Publications.Put(w.Context(), article(author, publication.ID(1+i%2), func(p *publication.Publication) {
			p.Category, p.Updated = feed.CategoryID(i/2%2), noon.Add(time.Duration(i)*time.Second)
		}))
	}) {
		require.NoError(w, err)
	}
	want := []feed.Listing{}
	for _, p := range w.publications(publication.Query{}).Items {
		l, _ := p.Listing()
		want = append(want, l)
	}
	slices.SortFunc(want, func(a, b feed.Listing) int { return cmp.Compare(a.ID, b.ID) })
	assert.Len(w, want, 2)
	assert.Equal(w, want, w.listed())
}

func publicationPrivate(w *fixtures) {
	p := article(w.somebody(), 1, func(p *publication.Publication) { p.Cover = cover() })
	n := publication.Node{ID: 1, Content: content(p.Author)}
	n.Cover = cover()
	w.publish(p)
	require.NoError(w, w.Publications.PutNode(w.Context(), n))
	p.Cover.Sizes[0].Name = "spoilt"
	n.Cover.Sizes[0].Name = "spoilt"
	sel := feed.Selection{Kinds: feed.ItemKinds()}
	for range 2 {
		got := w.publications(publication.Query{}).Items
		assert.Equal(w, cover(), got[0].Cover)
		got[0].Cover.Sizes[0].Name = "spoilt"
		for _, thing := range w.shelved(0, sel, 10) {
			sizes := contentOf(thing).Cover.Sizes
			assert.Equal(w, cover().Sizes, sizes)
			sizes[0].Name = "spoilt"
		}
	}
}

// contentOf is the content of a publication or a node.
func contentOf(thing feed.Listable) publication.Content {
	if n, isNode := thing.(publication.Node); isNode {
		return n.Content
	}
	return thing.(publication.Publication).Content
}

func publicationGone(w *fixtures) {
	author := w.somebody()
	w.publish(article(author, 1))
	w.refusedGone(publicationCalls)
	assert.Equal(w, []publication.Publication{article(author, 1)}, w.publications(publication.Query{}).Items)
	assert.Len(w, w.listed(), 1)
}

var publicationCalls = []call{
	{"Publications.Put", func(ctx context.Context, s Stores) error {
		return s.Publications.Put(ctx, article(1, publication.ID(newcomer)))
	}},
	{"Publications.PutNode", func(ctx context.Context, s Stores) error {
		return s.Publications.PutNode(ctx, publication.Node{ID: publication.NodeID(newcomer), Content: content(1)})
	}},
	{"Publications.List", func(ctx context.Context, s Stores) error {
		_, err := s.Publications.List(ctx, publication.Query{})
		return err
	}},
}
