// Package importing holds the use cases of what the crawler brings in. Only the
// back office sees them.
package importing

import (
	"context"

	"plaza/domain/page"
	"plaza/domain/publication"
)

// Importing holds what the use cases work with.
type Importing struct{ howTos publication.HowTos }

// New returns the use cases over the port.
func New(howTos publication.HowTos) *Importing { return &Importing{howTos: howTos} }

// HowTos returns a page of what was imported for the categories, for all when none
// is named; the newest first (ADM-01).
func (i *Importing) HowTos(ctx context.Context, categories []string, p page.Request) (page.Page[publication.HowTo], error) {
	return i.howTos.List(ctx, categories, p)
}
