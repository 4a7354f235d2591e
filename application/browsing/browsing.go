// Package browsing holds the use cases of looking through the home feed.
package browsing

import (
	"context"

	"plaza/domain/feed"
	"plaza/domain/page"
)

// Browsing holds what the use cases work with.
type Browsing struct{ reader feed.Reader }

// New returns the use cases over the port.
func New(reader feed.Reader) *Browsing { return &Browsing{reader: reader} }

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
// bucket (zero). An unknown category is NotFound (FED-06).
func (b *Browsing) Items(ctx context.Context, in feed.CategoryID, s feed.Selection, p page.Request) (page.Page[feed.Item], error) {
	return b.reader.Page(ctx, in, s, p)
}
