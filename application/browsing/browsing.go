// Package browsing holds the use cases of the home feed, and of search.
//
// Its tests are those of test/usecases/imported whose files begin with its name.
package browsing

import (
	"context"
	"fmt"
	"math"
	"time"

	"plaza/application/admission"
	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/search"
)

// Browsing implements the use cases.
type Browsing struct {
	reader   feed.Reader
	index    search.Index
	pictures media.Store
	limits   ratelimit.Limits
	now      func() time.Time
	wide     *admission.Queue // of wide areas that are counted
}

// Wide areas are counted item by item (FED-05). A server counts at most maxWideAreas at
// the same time, on every store; further requests wait up to maxWideWait.
const (
	maxWideAreas = 4
	maxWideWait  = time.Second
)

// ErrBusy is the fault of a request that waited maxWideWait in vain.
var ErrBusy = fault.RetryAfter(fault.Unavailable, time.Second, "Too many wide areas are being searched at once. Try again in a moment.").
	AtLimit("wide_areas")

// New returns the use cases over the ports, with the limits on searches; now returns the time.
func New(reader feed.Reader, index search.Index, pictures media.Store, limits ratelimit.Limits, now func() time.Time) *Browsing {
	return &Browsing{
		reader: reader, index: index, pictures: pictures, limits: limits, now: now,
		wide: admission.New(admission.Limits{Capacity: maxWideAreas, Waiting: math.MaxInt, Wait: maxWideWait}, ErrBusy),
	}
}

// Categories returns the tree of categories with the meta of the selected items in each,
// and the node of the uncategorised items if there are any (FED-01 to 03). The caller has the key in fair queues.
func (b *Browsing) Categories(ctx context.Context, caller string, s feed.Selection) ([]feed.CategoryNode, error) {
	done, err := b.begin(ctx, caller, s)
	if err != nil {
		return nil, err
	}
	defer done()
	categories, metas, err := b.reader.Metas(ctx, s)
	if err != nil {
		return nil, err
	}
	return feed.Tree(categories, metas), nil
}

// Items returns a page of the selected items in the category (zero: uncategorised), their
// covers with URLs. It returns NotFound if the category is unknown (FED-06). The caller has the key in fair queues.
func (b *Browsing) Items(
	ctx context.Context, caller string, in feed.CategoryID, s feed.Selection, r page.Request,
) (page.Page[feed.Item], error) {
	done, err := b.begin(ctx, caller, s)
	if err != nil {
		return page.Page[feed.Item]{}, err
	}
	defer done()
	p, err := b.reader.Page(ctx, in, s, r)
	address := media.Public(b.pictures, b.now())
	for i := range p.Items {
		p.Items[i].ResolveURLs(address)
	}
	return p, err
}

// Version returns a version of what the selection admits. While it stays the same, so does
// the tree, and so does a page of items. It reports false if the selection has no version.
func (b *Browsing) Version(ctx context.Context, s feed.Selection) (v feed.Version, has bool, err error) {
	if !s.HasVersion() {
		return 0, false, nil
	}
	v, err = b.reader.Version(ctx, s.Kinds)
	return v, true, err
}

// begin waits until the selection may be read; the caller must call done afterwards. An
// area is wide if its radius exceeds geo.DefaultDistance. It returns ErrBusy if
// maxWideAreas are being counted for all of maxWideWait.
func (b *Browsing) begin(ctx context.Context, caller string, s feed.Selection) (done func(), err error) {
	if s.Near == nil || s.Near.Within <= geo.DefaultDistance {
		return func() {}, nil
	}
	return b.wide.Enter(ctx, 1, caller)
}

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
