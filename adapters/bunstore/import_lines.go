package bunstore

import (
	"context"
	"math"

	"plaza/domain/imported"
)

// saveLines stores the waiting lines, deletes the others, and returns how many of the
// deleted ones were replaced.
func (t *batchApply) saveLines(ctx context.Context) (replaced int, err error) {
	places := make(map[int64]int, len(t.batch.Lines))
	for i, line := range t.batch.Lines {
		places[line.Number] = i
	}
	waited := map[int]int64{} // lines that waited before, by their index
	for _, w := range t.waiting {
		if i, is := places[w.number]; is && w.file == t.batch.File {
			waited[i] = w.id
		}
	}
	stored := map[imported.Ref]int64{} // arrival; every waiting line arrived before now
	var added [][]any
	var steps []step
	var gone []int64
	for i, line := range t.batch.Lines {
		ref := line.Record.Ref()
		id, known := waited[i]
		waits := !t.outcomes[i].IsStored()
		switch {
		case waits && known:
			steps = append(steps, step{statement: t.s.sql.updateLine, args: []any{id, string(ref.Kind), ref.ID, filled(line.Raw)}})
		case waits:
			added = append(added, []any{t.batch.File, line.Number, string(ref.Kind), ref.ID, filled(line.Raw)})
		case known:
			gone = append(gone, id)
			stored[ref] = id
		default:
			stored[ref] = math.MaxInt64
		}
	}
	for _, id := range t.replaced(stored, waited) {
		replaced++
		gone = append(gone, id)
	}
	steps = ask(t, steps, t.s.sql.deleteLines, gone, nil)
	steps = append(steps, step{statement: t.s.sql.saveProgress, args: []any{t.batch.File, t.batch.Progress}})
	if err := t.add(ctx, "import_lines", lineColumns, added); err != nil {
		return 0, err
	}
	return replaced, t.run(ctx, steps)
}

// replaced returns the lines outside of the batch that have a record which is stored
// now, and arrived before it.
func (t *batchApply) replaced(stored map[imported.Ref]int64, own map[int]int64) []int64 {
	counted := make(map[int64]bool, len(own))
	for _, id := range own {
		counted[id] = true
	}
	var ids []int64
	for _, w := range t.waiting {
		if arrived, is := stored[w.ref]; is && w.id < arrived && !counted[w.id] {
			counted[w.id] = true // a line may be found twice
			ids = append(ids, w.id)
		}
	}
	return ids
}
