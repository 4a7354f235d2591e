// Package importing holds the use cases of what the crawler brings: getting it in, and
// showing the back office what came.
//
// An import can be broken off anywhere, and begun again with the same files: what was
// acknowledged is stored, nothing is stored twice, and no line is lost: it is stored, or
// among the rejects with its reason, or still to be read.
package importing

import (
	"context"

	"plaza/domain/page"
	"plaza/domain/publication"
)

// Importing holds what the back office works with.
type Importing struct{ howTos publication.HowTos }

// New returns the use cases over the port.
func New(howTos publication.HowTos) *Importing { return &Importing{howTos: howTos} }

// HowTos returns a page of what was imported for the categories, for all when none
// is named; the newest first (ADM-01).
func (i *Importing) HowTos(ctx context.Context, categories []string, p page.Request) (page.Page[publication.HowTo], error) {
	return i.howTos.List(ctx, categories, p)
}
