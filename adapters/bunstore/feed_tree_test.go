package bunstore_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/calendar"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// shownTree is a result of Metas.
type shownTree struct {
	Categories map[feed.CategoryID]feed.Category
	Metas      map[feed.CategoryID]feed.Meta
}

// selections returns every selection: all sets of kinds, and an area.
func selections() []feed.Selection {
	kinds := append(feed.ItemKinds(), feed.Event)
	all := []feed.Selection{feed.Select([]feed.Kind{feed.Demand}, &feed.Area{Centre: geo.Point{Lat: 30, Lng: 120}, Within: 5})}
	for set := range 1 << len(kinds) {
		var sel feed.Selection
		for i, kind := range kinds {
			if set&(1<<i) != 0 {
				sel.Kinds = append(sel.Kinds, kind)
			}
		}
		all = append(all, sel)
	}
	return all
}

// metasOf returns the result of the store. It then modifies the returned values, which
// must not affect later results.
func metasOf(t *testing.T, s *bunstore.Store, sel feed.Selection) shownTree {
	t.Helper()
	categories, metas, err := s.Feed().Metas(t.Context(), sel)
	require.NoError(t, err)
	tree := shownTree{Categories: map[feed.CategoryID]feed.Category{}, Metas: maps.Clone(metas)}
	for i, c := range categories {
		tree.Categories[c.ID] = c
		categories[i] = feed.Category{ID: 99, Name: "spoilt"}
	}
	require.Len(t, tree.Categories, len(categories))
	for id := range metas {
		metas[id] = feed.Meta{Count: 99}
	}
	if metas != nil {
		metas[99] = feed.Meta{Count: 99}
	}
	return tree
}

// expectedTree returns the expected result of Metas, computed from the listings without the
// counters.
func expectedTree(t *testing.T, s *bunstore.Store, sel feed.Selection) shownTree {
	t.Helper()
	tree := shownTree{Metas: map[feed.CategoryID]feed.Meta{}}
	var err error
	tree.Categories, err = s.Categories().ByIDs(t.Context(), []feed.CategoryID{1, 2, 3, 4})
	require.NoError(t, err)
	listings, err := s.Listings(t.Context())
	require.NoError(t, err)
	for _, l := range listings {
		if sel.Admits(l) {
			meta := tree.Metas[l.Category]
			meta.Add(l)
			tree.Metas[l.Category] = meta
		}
	}
	return tree
}

// servers are two stores over one database, and a writer. The reader's trees are kept for as
// long as their version stays the same.
type servers struct {
	reader, writer *bunstore.Store
	author         user.ID
	event          event.ID
	kept           map[string]keptTree // by selection
}

// keptTree is a tree that was read after the version.
type keptTree struct {
	version feed.Version
	tree    shownTree
}

// assertKept asserts that a tree that was kept is the expected one if its version is still
// current, and keeps the tree otherwise.
func (s *servers) assertKept(t *testing.T, after string, sel feed.Selection, want shownTree) {
	t.Helper()
	if !sel.HasVersion() {
		return
	}
	v, err := s.reader.Feed().Version(t.Context(), sel.Kinds)
	require.NoError(t, err)
	if kept, is := s.kept[fmt.Sprint(sel)]; is && kept.version == v {
		assert.Equal(t, want, kept.tree, "%s: %v is unchanged, says the version", after, sel)
		return
	}
	s.kept[fmt.Sprint(sel)] = keptTree{v, metasOf(t, s.reader, sel)}
}

func bothServers(t *testing.T, url string) *servers {
	t.Helper()
	writer := open(t, url)
	reader, err := bunstore.Open(t.Context(), bunstore.Options{URL: url})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, reader.Close()) })
	return &servers{reader: reader, writer: writer, author: openWithCategories(t, writer), kept: map[string]keptTree{}}
}

// agree asserts that both servers return the expected trees, twice in a row.
func (s *servers) agree(t *testing.T, after string) {
	t.Helper()
	s.agreeOn(t, after, selections())
}

func (s *servers) agreeOn(t *testing.T, after string, all []feed.Selection) {
	t.Helper()
	for _, sel := range all {
		want := expectedTree(t, s.writer, sel)
		s.assertKept(t, after, sel, want)
		for i := range 2 {
			assert.Equal(t, want, metasOf(t, s.reader, sel), "%s: the reader, %v, time %d", after, sel, i+1)
			assert.Equal(t, want, metasOf(t, s.writer, sel), "%s: the writer, %v, time %d", after, sel, i+1)
		}
	}
}

func (s *servers) publish(ctx context.Context, id int64, edit func(*publication.Content)) error {
	c := publication.Content{Title: "One", Author: s.author, Category: 1, Published: true, Created: noon, Updated: noon}
	edit(&c)
	return imports(ctx, s.writer, publication.Publication{ID: publication.ID(id), Content: c})
}

func (s *servers) node(ctx context.Context, in feed.CategoryID, published bool) error {
	return imports(ctx, s.writer, publication.Node{ID: 1, Content: publication.Content{
		Title: "One", Author: s.author, Category: in, Published: published, Created: noon, Updated: noon,
	}})
}

func (s *servers) demand(ctx context.Context, at *geo.Point, edit func(*demand.Demand)) error {
	d := demand.Demand{
		ID: 1, Title: "One", Author: s.author, Category: 1, Place: at, Published: true,
		Closed: noon, Start: noon, End: noon, Created: noon, Updated: noon,
	}
	edit(&d)
	return imports(ctx, s.writer, d)
}

func (s *servers) addEvent(ctx context.Context) error {
	e, err := event.New(s.author, event.Change{Title: new("One"), Publish: new(true)}, calendar.DateOf(noon), noon)
	if err == nil {
		e, err = s.writer.Events().Add(ctx, e)
	}
	if err == nil {
		s.event = e.ID()
	}
	return err
}

// changeEvent alternates between Change and ChangeRead.
func (s *servers) changeEvent(ctx context.Context, c event.Change) error {
	fn := func(e *event.Event) error { return e.Apply(c, noon.Add(time.Hour)) }
	read, err := s.writer.Events().Get(ctx, s.event)
	if err != nil {
		return err
	}
	if read.Revision%2 == 0 {
		_, err = s.writer.Events().ChangeRead(ctx, read, fn)
	} else {
		_, err = s.writer.Events().Change(ctx, s.event, fn)
	}
	return err
}

func (s *servers) category(ctx context.Context, c feed.Category) error {
	return imports(ctx, s.writer, c)
}

// treeChange is a change by one server that the other must show.
type treeChange struct {
	what string
	do   func(ctx context.Context, s *servers) error
}

var treeChanges = []treeChange{
	{"nothing", func(context.Context, *servers) error { return nil }},
	{"a publication is put", func(ctx context.Context, s *servers) error {
		return s.publish(ctx, 1, func(*publication.Content) {})
	}},
	{"the publication is updated", func(ctx context.Context, s *servers) error {
		return s.publish(ctx, 1, func(c *publication.Content) { c.Updated = noon.Add(time.Hour) })
	}},
	{"the publication is moved", func(ctx context.Context, s *servers) error {
		return s.publish(ctx, 1, func(c *publication.Content) { c.Category = 2 })
	}},
	{"the publication is unpublished", func(ctx context.Context, s *servers) error {
		return s.publish(ctx, 1, func(c *publication.Content) { c.Published = false })
	}},
	{"a node is put", func(ctx context.Context, s *servers) error { return s.node(ctx, 1, true) }},
	{"the node is unpublished", func(ctx context.Context, s *servers) error { return s.node(ctx, 2, false) }},
	{"the demand is somewhere", func(ctx context.Context, s *servers) error {
		return s.demand(ctx, &geo.Point{Lat: 30, Lng: 120}, func(*demand.Demand) {})
	}},
	{"the demand is deleted", func(ctx context.Context, s *servers) error {
		return s.demand(ctx, nil, func(d *demand.Demand) { d.Deleted = true })
	}},
	{"an event is published", func(ctx context.Context, s *servers) error { return s.addEvent(ctx) }},
	{"the event is moved", func(ctx context.Context, s *servers) error {
		return s.changeEvent(ctx, event.Change{Category: new(feed.CategoryID(1))})
	}},
	{"the event is made private", func(ctx context.Context, s *servers) error {
		return s.changeEvent(ctx, event.Change{Permission: new(event.Private)})
	}},
	{"the event is made public, and a draft again", func(ctx context.Context, s *servers) error {
		return s.changeEvent(ctx, event.Change{Permission: new(event.Public), Publish: new(false)})
	}},
	{"the event is removed", func(ctx context.Context, s *servers) error {
		_, err := s.writer.Events().Remove(ctx, s.event)
		return err
	}},
	{"a category is added", func(ctx context.Context, s *servers) error { return s.category(ctx, feed.Category{ID: 3, Name: "New"}) }},
	{"the category is renamed", func(ctx context.Context, s *servers) error {
		return s.category(ctx, feed.Category{ID: 3, Name: "Renamed", Slug: "renamed"})
	}},
}

func TestEvery_server_shows_at_once_what_another_has_changed_of_the_tree(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, url string) {
		s := bothServers(t, url)
		for _, change := range treeChanges {
			require.NoError(t, change.do(t.Context(), s), change.what)
			s.agree(t, change.what)
		}
	})
}

// TestA_repaired_tree_is_shown_at_once lets the servers cache a tree that was corrupted
// directly in the database: only the repair changes its version.
func TestA_repaired_tree_is_shown_at_once(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := bothServers(t, at), rawSQL(t, at)
		storeTwoOfEach(t, s)
		for i, spoil := range []string{
			"UPDATE feed_counters SET count = count + 1 WHERE kind = 'publication' AND count > 0",
			"DELETE FROM feed_counters WHERE kind = 'node'",
			"UPDATE feed_counters SET created = NULL, updated = NULL, count = 0 WHERE kind = 'demand'",
			"DELETE FROM feed_listings WHERE kind = 'publication' AND id = 1",
			"UPDATE feed_listings SET category_id = 2 WHERE kind = 'node'",
			"UPDATE feed_counters SET count = count + 1 WHERE kind = 'xfile' AND count > 0",
		} {
			execute(t, db, spoil)
			require.NoError(t, s.category(t.Context(), feed.Category{ID: 4, Name: fmt.Sprint(i)}), "so that the tree is read again")
			wrong := map[*bunstore.Store]bool{}
			for _, sel := range selections() {
				for _, server := range []*bunstore.Store{s.reader, s.writer} {
					shows := metasOf(t, server, sel)
					wrong[server] = wrong[server] || !assert.ObjectsAreEqual(expectedTree(t, s.writer, sel), shows)
				}
			}
			require.True(t, wrong[s.reader] && wrong[s.writer], "%s must be seen", spoil)
			require.NotEmpty(t, checked(t, s.writer, true), spoil)
			s.agree(t, spoil)
		}
	})
}

// TestA_tree_that_is_kept_is_never_taken_for_a_later_one deletes the versions and
// repeats as many changes as there were before.
func TestA_tree_that_is_kept_is_never_taken_for_a_later_one(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := bothServers(t, at), rawSQL(t, at)
		storeTwoOfEach(t, s)
		sel := feed.Selection{Kinds: []feed.Kind{feed.Node}}
		version := func() int {
			return column[int](t, db, "SELECT COALESCE(SUM(version), 0) FROM feed_totals WHERE kind IN ('node', 'category')")[0]
		}
		kept := version()
		require.Equal(t, expectedTree(t, s.writer, sel), metasOf(t, s.reader, sel))
		execute(t, db, "DELETE FROM feed_totals")
		require.NotEmpty(t, checked(t, s.writer, true))
		for i := 0; i == 0 || version() < kept; i++ {
			require.NoError(t, s.category(t.Context(), feed.Category{ID: 3, Name: fmt.Sprint(i)}))
		}
		assert.Equal(t, expectedTree(t, s.writer, sel), metasOf(t, s.reader, sel))
	})
}

// storeTwoOfEach stores two of every listed kind.
func storeTwoOfEach(t *testing.T, s *servers) {
	t.Helper()
	ctx := t.Context()
	for id := range int64(2) {
		require.NoError(t, s.publish(ctx, 1+id, func(*publication.Content) {}))
		require.NoError(t, s.addEvent(ctx))
	}
	require.NoError(t, s.node(ctx, 1, true))
	require.NoError(t, s.demand(ctx, &geo.Point{Lat: 30, Lng: 120}, func(*demand.Demand) {}))
	s.agree(t, "furnished")
}
