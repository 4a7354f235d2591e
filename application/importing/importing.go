// Package importing holds the use cases of importing the crawler's records, and of listing
// imported how-tos in the back office.
//
// An import reads its files at least twice. The first reading stores users, categories and
// bundles, which other records refer to; the last one stores everything else. Between them the
// files are read for bundles alone, as long as that stores bundles whose originals came later
// than they. So an import of any size holds only a batch and its categories in memory.
// Categories are stored together, after the first reading: whether a parent closes a cycle
// depends on the parents of the others. There are as many as every server holds.
//
// An import can be interrupted anywhere and restarted with the same files. Committed records
// stay stored, none is stored twice, and no line is lost: each line is stored, is rejected
// with a reason, or is still to be read. The progress that is stored with a batch is that before
// the batch, because lines that the store rejects are written to disk after it. A restarted
// import applies the batch once more, with the same outcome.
//
// Its tests are those of test/usecases/imported whose files begin with its name.
package importing

import (
	"context"

	"plaza/domain/page"
	"plaza/domain/publication"
)

// HowToLists lists imported how-tos for the back office.
type HowToLists struct{ howTos publication.HowTos }

// NewHowToLists returns the use case over the port.
func NewHowToLists(howTos publication.HowTos) *HowToLists { return &HowToLists{howTos: howTos} }

// List returns a page of the imported how-tos of the categories (none: of all), the newest
// first (ADM-01).
func (i *HowToLists) List(ctx context.Context, categories []string, p page.Request) (page.Page[publication.HowTo], error) {
	return i.howTos.List(ctx, categories, p)
}
