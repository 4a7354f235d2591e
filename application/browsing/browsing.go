// Package browsing holds the use cases of looking through the home feed.
package browsing

import (
	"context"
	"time"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/page"
)

// Browsing holds what the use cases work with.
type Browsing struct {
	reader   feed.Reader
	pictures media.Store
	now      func() time.Time
	wide     chan struct{} // one for each wide circle that is being counted
}

// What a wide circle holds is counted thing by thing (FED-05). At most wideAtOnce of
// them are counted at once, whatever store is asked; another waits for wideWait at most.
const (
	wideAtOnce = 4
	wideWait   = time.Second
)

// ErrBusy is the fault of a wide circle that was not counted, because others were.
var ErrBusy = fault.RetryAfter(fault.Unavailable, time.Second, "Too many wide areas are being searched at once. Try again in a moment.")

// New returns the use cases over the ports; now tells the time.
func New(reader feed.Reader, pictures media.Store, now func() time.Time) *Browsing {
	return &Browsing{reader: reader, pictures: pictures, now: now, wide: make(chan struct{}, wideAtOnce)}
}

// Categories returns the tree of categories, each with the meta of what the
// selection admits there, and the bucket when something is in it (FED-01 to 03).
func (b *Browsing) Categories(ctx context.Context, s feed.Selection) ([]feed.CategoryNode, error) {
	done, err := b.begin(ctx, s)
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

// Items returns a page of what the selection admits in the category, or in the
// bucket (zero), their covers with addresses. An unknown category is NotFound (FED-06).
func (b *Browsing) Items(ctx context.Context, in feed.CategoryID, s feed.Selection, r page.Request) (page.Page[feed.Item], error) {
	done, err := b.begin(ctx, s)
	if err != nil {
		return page.Page[feed.Item]{}, err
	}
	defer done()
	p, err := b.reader.Page(ctx, in, s, r)
	address := media.Public(b.pictures, b.now())
	for i := range p.Items {
		p.Items[i].Illustrate(address)
	}
	return p, err
}

// begin waits until the selection may be read; done must be called after that. A circle
// is wide when it is wider than the one that clients get unasked. ErrBusy when as many
// wide ones as may be are being counted all the while.
func (b *Browsing) begin(ctx context.Context, s feed.Selection) (done func(), err error) {
	if s.Near == nil || s.Near.Within <= geo.DefaultDistance {
		return func() {}, nil
	}
	timer := time.NewTimer(wideWait)
	defer timer.Stop()
	select {
	case b.wide <- struct{}{}:
		return func() { <-b.wide }, nil
	case <-timer.C:
		return nil, ErrBusy
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
