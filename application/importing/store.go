package importing

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"plaza/domain/imported"
)

// store stores the batch of lines of the file, writes its rejects, and moves on. It ignores the
// end of the import's context.
func (r *run) store(n int, b *batch) error {
	if b.end == 0 {
		return nil
	}
	rejects := b.rejects
	failed := map[imported.Ref][]imported.Reject{}
	for _, layer := range b.layers {
		outcomes, err := r.apply(layer)
		if err != nil {
			return err
		}
		for i, outcome := range outcomes {
			ref := layer[i].record.Ref()
			if outcome.IsStored() {
				r.count(ref.Kind, outcome.Status)
				r.summary.Replaced += int64(len(failed[ref]))
				delete(failed, ref)
			} else if !r.mustWait(ref.Kind, outcome) {
				failed[ref] = append(failed[ref], imported.Reject{RawLine: layer[i].RawLine, Fields: outcome.Wrong})
			}
		}
	}
	for _, lines := range failed {
		rejects = append(rejects, lines...)
	}
	if err := r.reject(n, rejects); err != nil {
		return err
	}
	if r.at.Last {
		r.summary.Lines += b.end - r.at.done(n)
	}
	r.at.File, r.at.Line = n, b.end
	r.progressed(n)
	return nil
}

// mustWait notes that a record is not stored, and reports whether it may be stored later.
func (r *run) mustWait(kind imported.Kind, o imported.Outcome) bool {
	switch {
	case kind == imported.Bundle && !r.at.Last:
		r.at.Waiting++
		return true
	case o.Status == imported.Waits && len(r.at.Damage) > 0:
		r.summary.Waiting++
		return true
	}
	return false
}

// reject writes the rejects of the file, in the order of their lines. The next apply commits them.
func (r *run) reject(n int, rejects []imported.Reject) error {
	if len(rejects) == 0 {
		return nil
	}
	slices.SortFunc(rejects, func(a, b imported.Reject) int { return cmp.Compare(a.Number, b.Number) })
	f := r.files[n]
	if err := f.rejects.Keep(rejects); err != nil {
		return fmt.Errorf("%s: write rejects: %w", f.Label, err)
	}
	r.at.Rejects[n] = f.rejects.Length()
	for _, reject := range rejects {
		r.summary.Rejected++
		if len(r.rejected) < imported.MaxRejects {
			r.rejected = append(r.rejected, imported.RejectedLine{File: f.Label, Line: reject.Number, Reason: reject.Reason, Fields: reject.Fields})
		}
		r.watcher.Rejected(f.Source, reject)
	}
	return nil
}

// apply stores the records of the lines with the progress.
func (r *run) apply(lines []preparedLine) ([]imported.Outcome, error) {
	encoded, err := json.Marshal(r.at)
	if err != nil {
		return nil, err
	}
	b := imported.Batch{Import: r.name, Progress: encoded}
	for _, line := range lines {
		b.Records = append(b.Records, line.record)
	}
	outcomes, err := r.ports.Store.Apply(context.Background(), b)
	if err != nil {
		return nil, fmt.Errorf("store batch: %w", err)
	}
	return outcomes, nil
}

// storeCategories stores the categories of all files. Earlier lines of a category are stored before
// the last lines of all. Nothing but the last line of a category is rejected.
func (r *run) storeCategories(ctx context.Context) error {
	layers := layersOf(r.categories)
	r.categories = nil
	for ; r.at.Layers < len(layers); r.at.Layers++ {
		if ctx.Err() != nil {
			return r.interrupted(ctx)
		}
		layer, isLast := layers[r.at.Layers], r.at.Layers == len(layers)-1
		outcomes, err := r.apply(layer)
		if err != nil {
			return err
		}
		rejects := make([][]imported.Reject, len(r.files))
		for i, outcome := range outcomes {
			line := layer[i]
			switch {
			case outcome.IsStored():
				r.count(imported.Category, outcome.Status)
			case !isLast:
				r.summary.Replaced++
			case !r.mustWait(imported.Category, outcome):
				rejects[line.file] = append(rejects[line.file], imported.Reject{RawLine: line.RawLine, Fields: outcome.Wrong})
			}
		}
		for n := range r.files {
			if err := r.reject(n, rejects[n]); err != nil {
				return err
			}
		}
	}
	return nil
}

// layersOf divides the lines into layers without two lines of the same record. The last layer has
// the last line of each record, the layer before it the line before that one, and so on.
func layersOf(lines []preparedLine) [][]preparedLine {
	var layers [][]preparedLine
	seen := map[imported.Ref]int{}
	for _, line := range slices.Backward(lines) {
		ref := line.record.Ref()
		if seen[ref] == len(layers) {
			layers = append(layers, nil)
		}
		layers[seen[ref]] = append(layers[seen[ref]], line)
		seen[ref]++
	}
	slices.Reverse(layers)
	for _, layer := range layers {
		slices.Reverse(layer)
	}
	return layers
}

// interrupted stores the progress and returns the error of the context that has ended.
func (r *run) interrupted(ctx context.Context) error {
	_, err := r.apply(nil)
	return errors.Join(fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(ctx)), err)
}
