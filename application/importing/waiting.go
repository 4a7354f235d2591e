package importing

import (
	"context"
	"errors"
	"fmt"

	"plaza/domain/imported"
)

// resolveWaiting retries the waiting lines until no more can be stored, and rejects the rest. If a
// file is damaged, it rejects none: the unread rest may have the records that they need.
func (r *run) resolveWaiting(ctx context.Context) error {
	for stored := true; stored; {
		var err error
		if stored, err = r.storeWaiting(ctx); err != nil {
			return err
		}
	}
	names := make([]string, len(r.files))
	for n, f := range r.files {
		if err := r.rejectWaiting(ctx, f); err != nil {
			return err
		}
		names[n] = f.name
	}
	if r.damage() != nil {
		return nil
	}
	// In one call: otherwise a resumed import would read a finished file again, after
	// the later lines of another.
	return r.ports.Store.Finish(context.WithoutCancel(ctx), names...)
}

// storeWaiting retries the waiting lines of all files, and reports whether any are stored now. It
// ends after the first batch that has stored a category or a user: of those that exclude each
// other, such as categories whose parents would form a cycle, the first wins, and an import that was
// interrupted looks at them in the same order as one that was not.
func (r *run) storeWaiting(ctx context.Context) (stored bool, err error) {
	for _, f := range r.files {
		err := r.eachWaiting(ctx, f, func(lines []imported.Line) error {
			result, err := r.applyBatch(context.WithoutCancel(ctx), f, f.progress, imported.Batch{Lines: lines})
			if err != nil {
				return err
			}
			for n, outcome := range result.Outcomes {
				if !outcome.IsStored() {
					continue
				}
				stored = true
				if kind := lines[n].Record.Ref().Kind; kind == imported.Category || kind == imported.User {
					err = errBeginAgain
				}
			}
			return err
		})
		if errors.Is(err, errBeginAgain) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
	}
	return stored, nil
}

// errBeginAgain ends a look at the waiting lines, which begins again.
var errBeginAgain = errors.New("begin again with the first waiting line")

// rejectWaiting rejects the lines that still wait. If any file is damaged, it only counts them.
func (r *run) rejectWaiting(ctx context.Context, f *sourceFile) error {
	if r.damage() != nil {
		return r.eachWaiting(ctx, f, func(lines []imported.Line) error {
			f.summary.Waiting += int64(len(lines))
			return nil
		})
	}
	return r.eachWaiting(ctx, f, func(lines []imported.Line) error {
		ctx := context.WithoutCancel(ctx)
		result, err := r.applyBatch(ctx, f, f.progress, imported.Batch{Lines: lines})
		if err != nil {
			return err
		}
		var rejects []imported.Reject
		var abandoned []int64
		for n, outcome := range result.Outcomes {
			if outcome.IsStored() {
				continue
			}
			abandoned = append(abandoned, lines[n].Number)
			rejects = append(rejects, imported.Reject{
				RawLine: imported.RawLine{Number: lines[n].Number, Raw: lines[n].Raw}, Fields: outcome.Wrong,
			})
		}
		if err := r.reject(ctx, f, rejects); err != nil {
			return err
		}
		_, err = r.applyBatch(ctx, f, f.progress, imported.Batch{Abandoned: abandoned})
		return err
	})
}

// eachWaiting calls fn with the waiting lines of the file, in batches that can be stored in
// one step.
func (r *run) eachWaiting(ctx context.Context, f *sourceFile, fn func([]imported.Line) error) error {
	for after := int64(0); ; {
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		lines, err := r.ports.Store.Waiting(ctx, f.name, after, batchLines, batchBytes)
		if err != nil {
			return fmt.Errorf("%s: read waiting lines: %w", f.Label, err)
		}
		if len(lines) == 0 {
			return nil
		}
		after = lines[len(lines)-1].Number
		if err := r.eachBatch(ctx, f, lines, fn); err != nil {
			return err
		}
	}
}

// eachBatch prepares the lines again and calls fn with them.
func (r *run) eachBatch(ctx context.Context, f *sourceFile, lines []imported.Line, fn func([]imported.Line) error) error {
	b := newBatch(imported.Position{})
	for _, line := range lines {
		p, err := r.prepare(ctx, f.Source, imported.RawLine{Number: line.Number, Raw: line.Raw})
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", f.Label, line.Number, err)
		}
		if p.record == nil { // its cover file was removed, or the rules have changed
			if err := r.drop(ctx, f, p.reject); err != nil {
				return err
			}
			continue
		}
		b.add(p)
	}
	for _, layer := range b.layers {
		if err := fn(layer); err != nil {
			return err
		}
	}
	return nil
}

// drop rejects a waiting line.
func (r *run) drop(ctx context.Context, f *sourceFile, reject imported.Reject) error {
	ctx = context.WithoutCancel(ctx)
	if err := r.reject(ctx, f, []imported.Reject{reject}); err != nil {
		return err
	}
	_, err := r.applyBatch(ctx, f, f.progress, imported.Batch{Abandoned: []int64{reject.Number}})
	return err
}
