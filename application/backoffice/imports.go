package backoffice

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/text"
)

var runs = Table[imported.Run]{
	[]string{"id", "state", "files", "began_at", "ended_at", "lines", "new", "changed", "unchanged", "replaced", "rejected"},
	func(r imported.Run) [][]any {
		return [][]any{{r.ID, r.State, text.Joined(r.Files, ", "), r.Began, r.Ended, r.Lines, r.New, r.Changed, r.Same, r.Replaced, r.Rejected}}
	},
}

// rejects have a row for each field that is wrong. The whole line has an empty field.
var rejects = Table[imported.RejectedLine]{
	[]string{"file", "line", "field", "reason"},
	func(l imported.RejectedLine) (all [][]any) {
		if l.Reason != "" {
			all = append(all, []any{l.File, l.Line, "", l.Reason})
		}
		for _, field := range slices.Sorted(maps.Keys(l.Fields)) {
			for _, sentence := range l.Fields[field] {
				all = append(all, []any{l.File, l.Line, field, sentence})
			}
		}
		return all
	},
}

var howTos = Table[publication.HowTo]{
	[]string{"category", "uid", "bundles", "created_at", "updated_at"},
	func(h publication.HowTo) [][]any {
		return [][]any{{h.Category, h.Robot, text.Joined(h.Bundles, ", "), h.Created, h.Updated}}
	},
}

var findings = Table[payment.Finding]{
	[]string{"id", "day", "kind", "order", "wallet_id", "expected", "found", "resolved_at"},
	func(f payment.Finding) [][]any {
		return [][]any{{f.ID, f.Day, f.Kind, f.Order, f.TransactionID, f.Expected, f.Found, f.Resolved}}
	},
}

// Imports returns the runs of imports that the filter selects, the latest first.
func (b *BackOffice) Imports(ctx context.Context, f imported.RunFilter) Listing[imported.Run] {
	return listing("imports", runs, &f.Span, func(r page.Request) (page.Page[imported.Run], error) { return b.ports.Imports.Runs(ctx, f, r) })
}

// Rejects returns the lines that the run has rejected, in their order, at most imported.MaxRejects in all. Reading them returns
// imported.ErrNoRun for an unknown run.
func (b *BackOffice) Rejects(ctx context.Context, id imported.RunID) Listing[imported.RejectedLine] {
	return Listing[imported.RejectedLine]{
		Name: fmt.Sprintf("rejects-%d", id), Sorts: []string{"line"}, Table: rejects,
		Read: func(_ page.Span, r page.Request) (page.Page[imported.RejectedLine], error) {
			all, err := b.ports.Imports.RejectsOf(ctx, id)
			if err != nil {
				return page.Page[imported.RejectedLine]{}, err
			}
			places := make([]int, len(all)) // of the lines, which never change
			for i := range places {
				places[i] = i
			}
			some, err := page.Slice(r, places, func(i int) page.Cursor { return page.Cursor{ID: -int64(i + 1)} })
			return page.Map(some, func(i int) imported.RejectedLine { return all[i] }), err
		},
	}
}

// HowTos returns the imported how-tos of the categories, of all when none is named.
func (b *BackOffice) HowTos(ctx context.Context, categories []string) Listing[publication.HowTo] {
	q := publication.HowToQuery{Categories: categories}
	return listing("how-tos", howTos, &q.Span, func(r page.Request) (page.Page[publication.HowTo], error) {
		return b.ports.HowTos.List(ctx, q, r)
	})
}

// Findings returns the differences from the wallet's bills that the filter selects. Its days are those of bills.
func (b *BackOffice) Findings(ctx context.Context, f payment.FindingFilter) Listing[payment.Finding] {
	l := listing("findings", findings, &f.Span, func(r page.Request) (page.Page[payment.Finding], error) {
		return b.ports.Ledger.Findings(ctx, f, r)
	})
	l.Zone = payment.Beijing
	return l
}
