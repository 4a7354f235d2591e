package bunstore

import (
	"context"
	"math"

	"plaza/domain/imported"
)

// lines stores the waiting lines, deletes the others, and returns how many of the
// deleted ones were replaced.
func (t *applying) lines(ctx context.Context) (replaced int, err error) {
	places := make(map[int64]int, len(t.delivery.Lines))
	for i, line := range t.delivery.Lines {
		places[line.Number] = i
	}
	ours := map[int]int64{} // lines that waited before, by their index
	for _, w := range t.waiting {
		if i, is := places[w.number]; is && w.file == t.delivery.File {
			ours[i] = w.id
		}
	}
	stored := map[imported.Ref]int64{} // arrival; every waiting line arrived before now
	var added [][]any
	var steps []step
	var gone []int64
	for i, line := range t.delivery.Lines {
		ref := line.Record.Ref()
		id, waited := ours[i]
		waits := t.outcomes[i].Status == imported.Waits || t.outcomes[i].Status == imported.Refused
		switch {
		case waits && waited:
			steps = append(steps, step{statement: t.s.sql.stay, args: []any{id, string(ref.Kind), ref.ID, filled(line.Raw)}})
		case waits:
			added = append(added, []any{t.delivery.File, line.Number, string(ref.Kind), ref.ID, filled(line.Raw)})
		case waited:
			gone = append(gone, id)
			stored[ref] = id
		default:
			stored[ref] = math.MaxInt64
		}
	}
	for _, id := range t.replaced(stored, ours) {
		replaced++
		gone = append(gone, id)
	}
	steps = ask(t, steps, t.s.sql.leave, gone, nil)
	steps = append(steps, step{statement: t.s.sql.progress, args: []any{t.delivery.File, t.delivery.Progress}})
	if err := t.write(ctx, linePile, added); err != nil {
		return 0, err
	}
	return replaced, t.run(ctx, steps)
}

// replaced returns the lines outside of the batch that have a record which is stored
// now, and arrived before it.
func (t *applying) replaced(stored map[imported.Ref]int64, ours map[int]int64) []int64 {
	counted := make(map[int64]bool, len(ours))
	for _, id := range ours {
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
