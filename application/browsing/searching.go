package browsing

import (
	"context"
	"fmt"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/search"
)

// Search returns what has the words, of the kinds or without any of all, covers with URLs (SRC-01). Events are for those who may read
// them. The limit is the account's; that of an address counts requests without one.
func (b *Browsing) Search(
	ctx context.Context, actor access.Actor, words string, kinds []feed.Kind, r page.CursorRequest, readErr error,
) (found page.CursorPage[search.Found], err error) {
	q := search.Query{Kinds: kinds, CursorRequest: r}
	q.Words, err = search.Parse(words)
	if err := fault.Merge(readErr, fault.OnField("q", err)); err != nil {
		return found, err
	}
	if len(kinds) == 0 {
		q.Kinds = append(feed.ItemKinds(), feed.Event)
	}
	if actor.Has(access.XfileEvent) {
		q.By = actor.ID
	}
	var charge ratelimit.Charge
	if !actor.IsAnonymous() {
		charge = b.limits.Charge(int64(actor.ID), ratelimit.Search, b.now())
	}
	if found, err = b.index.Find(ctx, q, charge); err != nil {
		return found, fmt.Errorf("search: %w", err)
	}
	address := media.Public(b.pictures, b.now())
	for i := range found.Items {
		found.Items[i].Item.ResolveURLs(address)
	}
	return found, nil
}

// FillIndex makes what was stored without an entry in the index of search found.
func (b *Browsing) FillIndex(ctx context.Context) error { return b.index.Fill(ctx) }
