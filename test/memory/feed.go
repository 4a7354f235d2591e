package memory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
	"plaza/domain/search"
	"plaza/domain/subscription"
)

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

type Categories view

func (v Categories) ByIDs(ctx context.Context, ids []feed.CategoryID) (map[feed.CategoryID]feed.Category, error) {
	return read(ctx, v.s, func() (map[feed.CategoryID]feed.Category, error) {
		found := map[feed.CategoryID]feed.Category{}
		for _, c := range v.s.categories.among(ids) {
			found[c.ID] = c
		}
		return found, nil
	})
}

// checkCategory returns an error if the id is not zero and the category does not exist.
func (s *Store) checkCategory(id feed.CategoryID) error {
	if _, exists := s.categories[id]; !exists && id != 0 {
		return fmt.Errorf("reference to unknown category %d", id)
	}
	return nil
}

type Publications view

func (v Publications) List(ctx context.Context, q publication.Query) (page.Page[publication.Publication], error) {
	return read(ctx, v.s, func() (page.Page[publication.Publication], error) {
		visible := v.s.visibleBundles()
		wanted := v.s.publications.where(func(p publication.Publication) bool {
			return p.IsVisible() && (q.Category == nil || p.Category == *q.Category) &&
				(!q.OriginOnly || p.IsOrigin(visible[p.Bundle.FirstOriginal]))
		})
		p, err := page.Slice(q.Page, sorted(wanted, latest(publication.Publication.AtUpdate)), publication.Publication.AtUpdate)
		return page.Map(p, copyOf), err
	})
}

func (s *Store) visibleBundles() map[publication.BundleID]bool {
	visible := map[publication.BundleID]bool{}
	for p := range s.publications.where(publication.Publication.IsVisible) {
		visible[p.Bundle.ID] = true
	}
	return visible
}

type HowTos view

func (v HowTos) List(ctx context.Context, q publication.HowToQuery, r page.Request) (page.Page[publication.HowTo], error) {
	return pageOf(ctx, v.s, r, v.s.howTos.where(func(h publication.HowTo) bool {
		return (len(q.Categories) == 0 || slices.Contains(q.Categories, h.Category)) && q.Has(h.Created)
	}), page.Keys(q.Span, publication.HowTo.AtCursor))
}

type Search view

func (v Search) Find(ctx context.Context, q search.Query, charges ...ratelimit.Charge) (page.CursorPage[search.Found], error) {
	return charged(ctx, v.s, charges, func() (page.CursorPage[search.Found], error) {
		at := func(e search.Entry) page.Cursor {
			return feed.Listing{Kind: e.Kind, ID: e.ID, Created: e.Created}.AtCursor()
		}
		matching := filter(maps.Values(v.s.index), func(e search.Entry) bool {
			if e.Kind != feed.Event {
				for _, t := range v.s.translationsOf(v.s.listed(e.Kind, e.ID)) {
					e.Words = append(search.Words(t.Title), e.Words...)
				}
			}
			isBlocked := e.Author != 0 && v.s.relation(q.By, e.Author) == subscription.Blocked
			return q.Finds(e) && !isBlocked
		})
		p := upTo(q.CursorRequest, matching, at)
		found := page.CursorPage[search.Found]{Next: p.Next}
		for _, e := range p.Items {
			found.Items = append(found.Items, v.s.found(e))
		}
		return found, nil
	})
}

// found returns what the entry is of.
func (s *Store) found(e search.Entry) search.Found {
	if e.Kind == feed.Event {
		return search.Found{Event: new(s.entryOf(s.events[event.ID(e.ID)]))}
	}
	return search.Found{Item: s.items([]feed.Listing{{Kind: e.Kind, ID: e.ID}}, nil)[0]}
}

// Fill has nothing to do: no entry is missing.
func (v Search) Fill(ctx context.Context) error { return ctx.Err() }
