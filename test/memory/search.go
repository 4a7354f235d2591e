package memory

import (
	"context"
	"maps"

	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/search"
	"plaza/domain/subscription"
)

// Search is the store as search.Index.
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
