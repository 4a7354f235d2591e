package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/search"
)

// Feed is the store as feed.Reader.
type Feed view

func (v Feed) Metas(ctx context.Context, sel feed.Selection) ([]feed.Category, map[feed.CategoryID]feed.Meta, error) {
	metas := map[feed.CategoryID]feed.Meta{}
	categories, err := read(ctx, v.s, func() ([]feed.Category, error) {
		for l := range v.s.listings.where(sel.Admits) {
			meta := metas[l.Category]
			meta.Add(l)
			metas[l.Category] = meta
		}
		return sorted(maps.Values(v.s.categories), by(func(c feed.Category) feed.CategoryID { return c.ID })), nil
	})
	return categories, metas, err
}

func (v Feed) Page(ctx context.Context, in feed.CategoryID, sel feed.Selection, r page.Request) (page.Page[feed.Item], error) {
	return read(ctx, v.s, func() (page.Page[feed.Item], error) {
		if v.s.checkCategory(in) != nil {
			return page.Page[feed.Item]{}, feed.ErrNoCategory
		}
		admitted := v.s.listings.where(func(l feed.Listing) bool { return l.Category == in && sel.Admits(l) })
		p, err := page.Slice(r, sorted(admitted, latest(feed.Listing.AtCursor)), feed.Listing.AtCursor)
		return page.With(p, v.s.items(p.Items, sel.Near)), err
	})
}

func (v Feed) Card(ctx context.Context, kind feed.Kind, id int64) (feed.Card, error) {
	return read(ctx, v.s, func() (feed.Card, error) {
		at := item{kind, id}
		l, err := v.s.listings.get(at, feed.ErrNoItem)
		if err != nil {
			return feed.Card{}, err
		}
		opened := v.s.items([]feed.Listing{l}, nil)[0]
		return feed.Card{Item: opened, HTML: v.s.texts[at], Translations: v.s.translationsOf(opened.Listable)}, nil
	})
}

// translationsOf returns the translations of the opened item.
func (s *Store) translationsOf(opened feed.Listable) (all []feed.Translation) {
	itself, _ := opened.(publication.Publication)
	original := s.bundle(publication.BundleOf(opened)).FirstOriginalID()
	if original == 0 {
		return nil
	}
	for p := range s.publications.where(publication.Publication.IsVisible) {
		if p.ID != itself.ID && (p.Bundle.ID == original || p.Bundle.FirstOriginal == original) {
			all = append(all, feed.Translation{ID: int64(p.ID), Language: p.Language, Title: p.Title})
		}
	}
	return first(sorted(slices.Values(all), by(func(t feed.Translation) int64 { return t.ID })), feed.MaxTranslations)
}

// Version returns a version that any change of the feed changes.
func (v Feed) Version(ctx context.Context, _ []feed.Kind) (feed.Version, error) {
	return read(ctx, v.s, func() (feed.Version, error) { return v.s.version, nil })
}

// items returns copies of the listed items, demands with their authors, and with their distances if near is set.
func (s *Store) items(listings []feed.Listing, near *feed.Area) []feed.Item {
	items := make([]feed.Item, len(listings))
	for i, l := range listings {
		items[i].Listable = s.listed(l.Kind, l.ID)
		if d, isDemand := items[i].Listable.(demand.Demand); isDemand {
			items[i].Author = s.member(d.Author)
		}
		if near != nil {
			items[i].Distance = new(near.Centre.To(*l.Point).Rounded())
		}
	}
	return items
}

// listed returns a copy of the listed item.
func (s *Store) listed(kind feed.Kind, id int64) feed.Listable {
	switch kind {
	case feed.Publication:
		return copyOf(s.publications[publication.ID(id)])
	case feed.Node:
		return copyOf(s.nodes[publication.NodeID(id)])
	}
	return copyOf(s.demands[demand.ID(id)])
}

// Listings returns all listings of the feed, ordered by kind and id.
func (s *Store) Listings() []feed.Listing {
	s.lock.RLock()
	defer s.lock.RUnlock()
	all := sorted(maps.Values(s.listings), func(a, b feed.Listing) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID))
	})
	return copyOf(all)
}

// list updates the listing of the thing, and by which words it is found. The caller must change both in the same step.
func (s *Store) list(at item, thing feed.Listable) {
	if l, listed := thing.Listing(); listed {
		s.listings[at] = copyOf(l)
	} else {
		delete(s.listings, at)
	}
	if e := search.EntryOf(thing, s.texts[at]); e != nil {
		s.index[at] = *e
	} else {
		delete(s.index, at)
	}
}
