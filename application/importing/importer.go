package importing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"plaza/domain/imported"
	"plaza/domain/instant"
)

// Importer imports files (ADM-04).
type Importer struct{ ports Ports }

// NewImporter returns an importer over the ports.
func NewImporter(p Ports) *Importer { return &Importer{p} }

// Import imports the sources in order, and returns a summary of the lines that this run has
// read. It returns ErrInterrupted if the context ends; other errors mean that a file is
// damaged or a port has failed. An import without an error is recorded as complete, rejected
// lines or not.
func (i *Importer) Import(ctx context.Context, sources []Source, w Watcher) (Summary, error) {
	r := &run{ports: i.ports, watcher: w, summary: Summary{Kinds: map[imported.Kind]Count{}}}
	stored := imported.Run{Began: instant.Normalise(i.ports.Now())}
	for _, s := range sources {
		stored.Files = append(stored.Files, s.Label)
	}
	var err error
	if stored.ID, err = i.ports.Store.BeginRun(context.WithoutCancel(ctx), stored.Began, stored.Files); err != nil {
		return r.summary, fmt.Errorf("record run: %w", err)
	}
	failure := r.importAll(ctx, sources)
	stored.Ended = instant.Normalise(i.ports.Now())
	if err := errors.Join(failure, r.end(context.WithoutCancel(ctx), stored, failure)); err != nil {
		return r.summary, err
	}
	completion := imported.Completion{Began: stored.Began, Ended: stored.Ended}
	if err := i.ports.Store.Complete(context.WithoutCancel(ctx), completion); err != nil {
		return r.summary, fmt.Errorf("record completion: %w", err)
	}
	return r.summary, nil
}

// end records how the run has ended, with its rejects.
func (r *run) end(ctx context.Context, ended imported.Run, failure error) error {
	all := r.summary.All()
	ended.State = imported.RunCompleted
	ended.Lines, ended.New, ended.Changed, ended.Same = r.summary.Lines, all.New, all.Changed, all.Same
	ended.Replaced, ended.Rejected = r.summary.Replaced, r.summary.Rejected
	switch {
	case errors.Is(failure, ErrInterrupted):
		ended.State = imported.RunInterrupted
	case failure != nil:
		ended.State = imported.RunFailed
	}
	if err := r.ports.Store.EndRun(ctx, ended, r.rejected); err != nil {
		return fmt.Errorf("record run: %w", err)
	}
	return nil
}

func (r *run) importAll(ctx context.Context, sources []Source) (err error) {
	defer func() { err = errors.Join(err, r.close()) }()
	if err := r.begin(ctx, sources); err != nil {
		return err
	}
	for ; ; r.beginNextReading() {
		if err := r.read(ctx); err != nil {
			return err
		}
		if r.at.Last {
			break
		}
	}
	if err := r.ports.Store.Finish(context.WithoutCancel(ctx), r.name); err != nil {
		return fmt.Errorf("finish import: %w", err)
	}
	return r.at.damaged()
}

// begin opens the rejects of the sources, and resumes an earlier import of the same files.
func (r *run) begin(ctx context.Context, sources []Source) error {
	r.at = progress{Reading: 1, Rejects: make([]int64, len(sources)), Damage: map[int]damage{}}
	names := sha256.New()
	for _, s := range sources {
		fmt.Fprintf(names, "%s\x00", s.Name())
		r.at.Files = append(r.at.Files, s.Version())
	}
	r.name = hex.EncodeToString(names.Sum(nil))
	encoded, err := r.ports.Store.Progress(ctx, r.name)
	if err != nil {
		return err
	}
	var stored progress
	if encoded != nil {
		if err := json.Unmarshal(encoded, &stored); err != nil {
			return fmt.Errorf("decode import progress: %w", err)
		}
	}
	resumed := slices.Equal(stored.Files, r.at.Files)
	if resumed {
		r.at = stored
	}
	for n, s := range sources {
		rejects, err := s.Rejects(r.at.Rejects[n])
		if err != nil {
			return fmt.Errorf("%s: open rejects: %w", s.Label, err)
		}
		r.files = append(r.files, &sourceFile{Source: s, rejects: rejects})
	}
	if resumed {
		r.watcher.Resumed(r.files[r.at.File].Source, r.at.Line)
	}
	return nil
}

// read reads all files once.
func (r *run) read(ctx context.Context) error {
	for n, f := range r.files {
		var done int64
		if n == r.at.File && r.at.Reading > 1 { // the first reading collects all categories
			done = r.at.Line
		}
		if err := f.Begin(ctx, done); err != nil {
			if ctx.Err() != nil {
				return r.interrupted(ctx)
			}
			return fmt.Errorf("%s: %w", f.Label, err)
		}
	}
	for n := range r.files {
		if r.at.Reading > 1 && n < r.at.File {
			continue
		}
		if err := r.readFile(ctx, n); err != nil {
			return err
		}
	}
	if r.at.Reading == 1 {
		return r.storeCategories(ctx)
	}
	return nil
}

// readFile reads the file with the index. If the context ends, an incomplete batch is left to
// the next run, so batches are the same however often an import is interrupted.
func (r *run) readFile(ctx context.Context, n int) error {
	f, b := r.files[n], newBatch()
	for line, err := range r.preparedLines(ctx, n) {
		switch {
		case ctx.Err() != nil:
			return r.interrupted(ctx)
		case errors.Is(err, imported.ErrDamaged):
			r.at.Damage[n] = damage(fmt.Sprintf("%s: %v", f.Label, err))
			return r.store(n, b)
		case err != nil:
			return fmt.Errorf("%s: %w", f.Label, err)
		}
		if _, is := line.record.(imported.CategoryRecord); is {
			r.categories = append(r.categories, line)
			line.record = nil
		}
		if line.Number <= r.at.done(n) {
			continue
		}
		if b.mustEndBefore(line) {
			if err := r.store(n, b); err != nil {
				return err
			}
			b = newBatch()
		}
		b.add(line)
	}
	if ctx.Err() != nil {
		return r.interrupted(ctx)
	}
	return r.store(n, b)
}
