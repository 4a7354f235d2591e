package imported_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/memory"
	"plaza/application/browsing"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
	"plaza/test/content"
	"plaza/test/usecases"
)

// urlRecorder records the keys of requested URLs.
type urlRecorder struct {
	media.Store
	asked []media.Key
}

func (a *urlRecorder) URL(key media.Key, to media.Audience, now time.Time) string {
	a.asked = append(a.asked, key)
	return a.Store.URL(key, to, now)
}

type browsingFixture struct {
	*browsing.Browsing
	t        *testing.T
	store    *memory.Store
	pictures *urlRecorder
	author   user.ID
}

func newBrowsingFixture(t *testing.T) *browsingFixture {
	t.Helper()
	w := &browsingFixture{t: t, store: memory.New(), pictures: &urlRecorder{Store: memory.NewMedia("https://plaza.example", []byte("key"))}}
	w.author = usecases.OpenAccount(t, w.store, "+86-13900000001")
	w.Browsing = browsing.New(w.store.Feed(), w.pictures, func() time.Time { return usecases.Noon })
	return w
}

// list stores one item of each kind with the cover. The newest is a publication, the oldest a
// demand.
func (w *browsingFixture) list(cover media.Picture) {
	w.t.Helper()
	newer := publication.Content{Title: "Tea", Author: w.author, Cover: cover, Published: true, Created: usecases.Noon.Add(time.Hour),
		Updated: usecases.Noon}
	older := newer
	older.Created = usecases.Noon
	w.imports(publication.Publication{ID: 1, Content: newer}, publication.Node{ID: 2, Content: older}, demand.Demand{
		ID: 3, Title: "Tea", Author: w.author, Cover: cover, Published: true, Place: &geo.Point{}, Created: usecases.Noon.Add(-time.Hour),
	})
}

func (w *browsingFixture) imports(things ...any) {
	w.t.Helper()
	stores := content.Stores{Accounts: w.store.Accounts(), Directory: w.store.Accounts(), Imports: w.store.Imports()}
	require.NoError(w.t, content.Import(w.t.Context(), stores, things...))
}

// covers returns the covers of the listed publication, node and demand.
func (w *browsingFixture) covers() []media.Picture {
	w.t.Helper()
	p, err := w.Items(w.t.Context(), 0, feed.Select(feed.ItemKinds(), nil), page.Request{})
	require.NoError(w.t, err)
	require.Equal(w.t, 3, p.Total)
	require.Len(w.t, p.Items, 3)
	return []media.Picture{
		p.Items[0].Listable.(publication.Publication).Cover,
		p.Items[1].Listable.(publication.Node).Cover,
		p.Items[2].Listable.(demand.Demand).Cover,
	}
}

func TestADM04_covers_of_the_feed_that_are_kept_come_with_their_addresses(t *testing.T) {
	w := newBrowsingFixture(t)
	w.list(media.CoverOf("public/a.jpg", "cover_sm", 30, 20))
	const address = "https://plaza.example/media/public/a.jpg"
	want := media.Picture{Key: "public/a.jpg", Path: address, Sizes: []media.Size{
		{Name: "cover_sm", Width: 30, Height: 20, Key: "public/a.jpg", Path: address},
	}}
	assert.Equal(t, []media.Picture{want, want, want}, w.covers())

	w.pictures.Store = memory.NewMedia("https://elsewhere.example", []byte("key"))
	for _, cover := range w.covers() {
		assert.Equal(t, "https://elsewhere.example/media/public/a.jpg", cover.Path, "the one that it has now")
	}
}
