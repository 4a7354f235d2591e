package importing

import (
	"context"
	"fmt"

	"plaza/domain/imported"
)

// settle stores what has waited, as far as what it needs has come meanwhile, and
// rejects the rest; unless a file was not read to its end, which may have more.
func (r *run) settle(ctx context.Context) error {
	for again := true; again; {
		again = false
		for _, f := range r.files {
			stored, err := r.offer(ctx, f)
			if err != nil {
				return err
			}
			again = again || stored
		}
	}
	names := make([]string, len(r.files))
	for n, f := range r.files {
		if err := r.conclude(ctx, f); err != nil {
			return err
		}
		names[n] = f.name
	}
	if r.damage() != nil {
		return nil
	}
	// All at once: a file that was forgotten before another would be read anew by an
	// import that goes on, after lines that came later.
	return r.ports.Store.Finish(context.WithoutCancel(ctx), names...)
}

// offer delivers all lines again that wait, and says whether any was stored.
func (r *run) offer(ctx context.Context, f *sourceFile) (stored bool, err error) {
	err = r.eachWaiting(ctx, f, func(lines []imported.Line) error {
		receipt, err := r.deliver(context.WithoutCancel(ctx), f, f.progress, imported.Batch{Lines: lines})
		for _, outcome := range receipt.Outcomes {
			stored = stored || outcome.Status != imported.Waits && outcome.Status != imported.Refused
		}
		return err
	})
	return stored, err
}

// conclude rejects what still waits. Of a damaged file, or when another is damaged, all
// is kept as it is.
func (r *run) conclude(ctx context.Context, f *sourceFile) error {
	if r.damage() != nil {
		return r.eachWaiting(ctx, f, func(lines []imported.Line) error {
			f.summary.Waiting += int64(len(lines))
			return nil
		})
	}
	return r.eachWaiting(ctx, f, func(lines []imported.Line) error {
		ctx := context.WithoutCancel(ctx)
		receipt, err := r.deliver(ctx, f, f.progress, imported.Batch{Lines: lines})
		if err != nil {
			return err
		}
		var rejects []imported.Reject
		var givenUp []int64
		for n, outcome := range receipt.Outcomes {
			if outcome.Status != imported.Waits && outcome.Status != imported.Refused {
				continue
			}
			givenUp = append(givenUp, lines[n].Number)
			rejects = append(rejects, imported.Reject{
				RawLine: imported.RawLine{Number: lines[n].Number, Raw: lines[n].Raw}, Fields: outcome.Wrong,
			})
		}
		if err := r.reject(ctx, f, rejects); err != nil {
			return err
		}
		_, err = r.deliver(ctx, f, f.progress, imported.Batch{Abandoned: givenUp})
		return err
	})
}

// eachWaiting gives the lines of the file that wait to fn, in batches that may be
// stored together.
func (r *run) eachWaiting(ctx context.Context, f *sourceFile, fn func([]imported.Line) error) error {
	for after := int64(0); ; {
		if ctx.Err() != nil {
			return interrupted(ctx)
		}
		lines, err := r.ports.Store.Waiting(ctx, f.name, after, batchLines, batchBytes)
		if err != nil {
			return fmt.Errorf("%s: lines that wait: %w", f.Label, err)
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

// eachBatch prepares the lines again, and gives them to fn.
func (r *run) eachBatch(ctx context.Context, f *sourceFile, lines []imported.Line, fn func([]imported.Line) error) error {
	b := newBatch(imported.Position{})
	for _, line := range lines {
		p, err := r.prepare(ctx, f.Source, imported.RawLine{Number: line.Number, Raw: line.Raw})
		if err != nil {
			return fmt.Errorf("%s: line %d: %w", f.Label, line.Number, err)
		}
		if p.record == nil { // its cover's file has gone meanwhile, or the rules have changed
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

// drop rejects a line that has waited.
func (r *run) drop(ctx context.Context, f *sourceFile, reject imported.Reject) error {
	ctx = context.WithoutCancel(ctx)
	if err := r.reject(ctx, f, []imported.Reject{reject}); err != nil {
		return err
	}
	_, err := r.deliver(ctx, f, f.progress, imported.Batch{Abandoned: []int64{reject.Number}})
	return err
}
