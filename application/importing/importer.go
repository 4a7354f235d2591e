package importing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/media"
)

// Ports are the ports that an Importer uses.
type Ports struct {
	Store     imported.Store
	Decoder   imported.Decoder
	Feed      feed.Reader
	Sanitiser markup.Sanitiser
	Processor media.Processor
	Pictures  media.Store
	Now       func() time.Time
}

// Importer imports files (ADM-04).
type Importer struct{ ports Ports }

// NewImporter returns an importer over the ports.
func NewImporter(p Ports) *Importer { return &Importer{p} }

// Source is a file to import, with the destination of its rejects.
type Source struct {
	imported.File
	Label string // name for people
	// Rejects opens the rejects of the file and truncates them to length bytes.
	Rejects func(length int64) (imported.Rejects, error)
}

// Watcher receives the progress of an import. Its methods are never called concurrently.
type Watcher interface {
	// Progressed is called after every step, with the file whose lines are being processed.
	Progressed(s Source, summary Summary)
	// Rejected is called once for each rejected line, after the reject is on disk.
	Rejected(s Source, r imported.Reject)
	// Resumed is called if an import resumes an earlier one, after `behind` lines of the source.
	Resumed(s Source, behind int64)
}

// ErrInterrupted is the error of an import whose context has ended. Committed batches stay
// stored; a restarted import resumes after them.
var ErrInterrupted = errors.New("import interrupted")

// sourceFile is a source while it is imported.
type sourceFile struct {
	Source
	rejects imported.Rejects
}

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

// run is a running import.
type run struct {
	ports      Ports
	watcher    Watcher
	name       string // of the import in the store
	files      []*sourceFile
	summary    Summary
	at         progress
	categories []preparedLine // of the first reading
	rejected   []imported.RejectedLine
	newBundles int64 // bundles of this reading that were not stored before
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

func (r *run) close() error {
	var all []error
	for _, f := range r.files {
		all = append(all, f.rejects.Close())
	}
	return errors.Join(all...)
}

// interrupted stores the progress and returns the error of the context that has ended.
func (r *run) interrupted(ctx context.Context) error {
	_, err := r.apply(nil)
	return errors.Join(fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(ctx)), err)
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
