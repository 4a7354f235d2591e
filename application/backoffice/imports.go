package backoffice

import (
	"context"

	"plaza/domain/imported"
	"plaza/domain/page"
)

// Imports returns a page of the runs of imports, the latest first.
func (b *BackOffice) Imports(ctx context.Context, p page.Request) (page.Page[imported.Run], error) {
	return b.ports.Imports.Runs(ctx, p)
}

// Rejects returns a page of the lines that the run has rejected, in their order, at most imported.MaxRejects in all. It
// returns imported.ErrNoRun for an unknown one.
func (b *BackOffice) Rejects(ctx context.Context, id imported.RunID, p page.Request) (page.Page[imported.RejectedLine], error) {
	all, err := b.ports.Imports.RejectsOf(ctx, id)
	if err != nil {
		return page.Page[imported.RejectedLine]{}, err
	}
	places := make([]int, len(all)) // of the lines, which never change
	for i := range places {
		places[i] = i
	}
	some, err := page.Slice(p, places, func(i int) page.Cursor { return page.Cursor{ID: -int64(i + 1)} })
	return page.Map(some, func(i int) imported.RejectedLine { return all[i] }), err
}
