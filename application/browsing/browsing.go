// Package browsing holds the use cases of looking through the home feed.
package browsing

import (
	"context"
	"time"

	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/page"
)

// Browsing holds what the use cases work with.
type Browsing struct {
	reader   feed.Reader
	pictures media.Store
	now      func() time.Time
}

// New returns the use cases over the ports; now tells the time.
func New(reader feed.Reader, pictures media.Store, now func() time.Time) *Browsing {
	return &Browsing{reader: reader, pictures: pictures, now: now}
}

// Categories returns the tree of categories, each with the meta of what the
// selection admits there, and the bucket when something is in it (FED-01 to 03).
func (b *Browsing) Categories(ctx context.Context, s feed.Selection) ([]feed.Branch, error) {
	categories, metas, err := b.reader.Metas(ctx, s)
	if err != nil {
		return nil, err
	}
	return feed.Tree(categories, metas), nil
}

// Items returns a page of what the selection admits in the category, or in the
// bucket (zero), their covers with addresses. An unknown category is NotFound (FED-06).
func (b *Browsing) Items(ctx context.Context, in feed.CategoryID, s feed.Selection, r page.Request) (page.Page[feed.Item], error) {
	p, err := b.reader.Page(ctx, in, s, r)
	address := media.Public(b.pictures, b.now())
	for i := range p.Items {
		p.Items[i].Illustrate(address)
	}
	return p, err
}
