package ports

import (
	"slices"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/publication"
)

var feedCards = []promise{
	{"the translations of a publication have its original and leave itself out, by ascending id", feedTranslations},
	{"a card has MaxTranslations at most", feedManyTranslations},
}

func (w *fixtures) card(kind feed.Kind, id int64) feed.Card {
	w.Helper()
	card, err := w.Feed.Card(w.Context(), kind, id)
	require.NoError(w, err)
	return card
}

// translations are the ids of the translations of the opened item.
func (w *fixtures) translations(kind feed.Kind, id int64) (ids []int64) {
	w.Helper()
	for _, t := range w.card(kind, id).Translations {
		ids = append(ids, t.ID)
	}
	return ids
}

func (w *fixtures) noCard(kind feed.Kind, id int64) {
	w.Helper()
	_, err := w.Feed.Card(w.Context(), kind, id)
	assert.ErrorIs(w, err, feed.ErrNoItem, "%s %d", kind, id)
}

func feedTranslations(w *fixtures) {
	author := w.newUser()
	of := func(bundle, first, original publication.BundleID) func(*publication.Publication) {
		return func(p *publication.Publication) {
			p.Bundle = publication.Bundle{ID: bundle, FirstOriginal: first, Original: original}
		}
	}
	w.imports(
		article(author, 9, of(10, 0, 0)), article(author, 2, of(11, 10, 10),
			func(p *publication.Publication) { p.Title, p.Language = "Un texto", "es" }),
		article(author, 3, of(12, 10, 11)), article(author, 4, of(12, 10, 11)), article(author, 5, of(13, 0, 10)),
		article(author, 6, of(20, 20, 0)),
		article(author, 7, of(11, 10, 10), func(p *publication.Publication) { p.Published = false }),
		article(author, 8, of(11, 10, 10), func(p *publication.Publication) { p.Deleted = true }), article(author, 1, of(41, 40, 40)),
	)
	for id, want := range map[int64][]int64{9: {2, 3, 4}, 2: {3, 4, 9}, 3: {2, 4, 9}, 5: nil, 6: nil, 1: nil} {
		assert.Equal(w, want, w.translations(feed.Publication, id), "%d", id)
	}
	assert.Equal(w, feed.Translation{ID: 2, Language: "es", Title: "Un texto"}, w.card(feed.Publication, 9).Translations[0])
}

func feedManyTranslations(w *fixtures) {
	author := w.newUser()
	things := []any{article(author, 1)}
	for id := range publication.ID(feed.MaxTranslations + 1) {
		things = append(things, article(author, id+2, translationOf(1)))
	}
	w.imports(things...)
	ids := w.translations(feed.Publication, 1)
	assert.Len(w, ids, feed.MaxTranslations)
	assert.True(w, slices.IsSorted(ids) && ids[0] == 2)
}

// feedEverythingAtOnce lets many write at once, each their own things, all into the same few categories; each instant
// is later than the last, so the newest of a category is taken away again and again while others come in.
func feedEverythingAtOnce(w *fixtures) {
	w.category(1)
	w.category(2)
	author := w.newUser()
	w.succeed(atOnce(many, func(i int) (err error) {
		var written event.ID
		for turn := 0; turn < 36 && err == nil; turn++ {
			round, at := turn/6, noon.Add(time.Duration(turn)*time.Second)
			id, c := int64(1+i+many*(round%2)), content(author)
			c.Category, c.Published, c.Created, c.Updated = feed.CategoryID((i+round)%3), round%4 < 3, at, at.Add(time.Minute)
			switch turn % 6 {
			case 0:
				err = w.tryImport(publication.Publication{ID: publication.ID(id), Content: c})
			case 1:
				err = w.tryImport(publication.Node{ID: publication.NodeID(id), Content: c})
			case 2:
				err = w.tryImport(request(author, demand.ID(id), func(d *demand.Demand) {
					d.Category, d.Published, d.Created, d.Updated = c.Category, c.Published, c.Created, c.Updated
				}))
			case 3:
				var e *event.Event
				if e, err = event.New(author, change(titled("An event"), published(true), under(c.Category)), pi, at); err == nil {
					if e, err = w.Events.Add(w.Context(), e); err == nil {
						written = e.ID()
					}
				}
			case 4:
				_, err = w.Events.Change(w.Context(), written, apply(at, under((c.Category+1)%3), published(c.Published)))
			case 5:
				if round%2 == 0 {
					_, err = w.Events.Remove(w.Context(), written)
				}
			}
		}
		return err
	}))
	w.assertCounted()
}

// assertCounted asserts that what is counted of each kind is what is listed.
func (w *fixtures) assertCounted() {
	w.Helper()
	listed := w.listed()
	for _, kind := range append(feed.ItemKinds(), feed.Event) {
		want := map[feed.CategoryID]feed.Meta{}
		for _, l := range listed {
			if l.Kind == kind {
				meta := want[l.Category]
				meta.Add(l)
				want[l.Category] = meta
			}
		}
		assert.Equal(w, want, w.metas(feed.Selection{Kinds: []feed.Kind{kind}}), kind)
	}
}
