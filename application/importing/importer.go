package importing

import (
	"context"
	"crypto/rand"
	"encoding/json"
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
	// Progressed is called after every step, with the file whose new or waiting lines are
	// being processed.
	Progressed(s Source, summary Summary)
	// Rejected is called once for each rejected line, after the reject is on disk.
	Rejected(s Source, r imported.Reject)
	// Resumed is called if an import resumes an earlier one, after `behind` lines.
	Resumed(s Source, behind int64)
}

// ErrInterrupted is the error of an import whose context has ended. Committed batches stay
// stored; a restarted import resumes after them.
var ErrInterrupted = errors.New("import interrupted")

// progress is the state that an import needs to resume.
type progress struct {
	At      imported.Position `json:"at"`
	Rejects int64             `json:"rejects"` // bytes
}

// sourceFile is a source while it is imported.
type sourceFile struct {
	Source
	progress
	name    string // of the file in the store
	rejects imported.Rejects
	summary Summary
	damage  error
}

// Import imports the sources in order, and returns a summary of the lines that this run has
// read. It returns ErrInterrupted if the context ends; other errors mean that a file is
// damaged or a port has failed. An import without an error is recorded as complete, rejected
// lines or not.
func (i *Importer) Import(ctx context.Context, sources []Source, w Watcher) (Summary, error) {
	began := i.ports.Now()
	total, err := i.importAll(ctx, sources, w)
	if err != nil {
		return total, err
	}
	completion := imported.Completion{Began: instant.Normalise(began), Ended: instant.Normalise(i.ports.Now())}
	if err := i.ports.Store.Complete(context.WithoutCancel(ctx), completion); err != nil {
		return total, fmt.Errorf("record completion: %w", err)
	}
	return total, nil
}

func (i *Importer) importAll(ctx context.Context, sources []Source, w Watcher) (total Summary, err error) {
	run := &run{ports: i.ports, watcher: w}
	defer func() { err = errors.Join(err, run.close()) }()
	for _, s := range sources {
		if err := run.begin(ctx, s); err != nil {
			return run.total(), err
		}
	}
	for _, f := range run.files {
		if err := run.read(ctx, f); err != nil {
			return run.total(), err
		}
	}
	if err := run.resolveWaiting(ctx); err != nil {
		return run.total(), err
	}
	return run.total(), run.damage()
}

// run is a running import.
type run struct {
	ports   Ports
	watcher Watcher
	files   []*sourceFile
}

func (r *run) total() Summary {
	var sum Summary
	for _, f := range r.files {
		sum.add(f.summary)
	}
	return sum
}

func (r *run) damage() error {
	var all []error
	for _, f := range r.files {
		all = append(all, f.damage)
	}
	return errors.Join(all...)
}

func (r *run) close() error {
	var all []error
	for _, f := range r.files {
		all = append(all, f.rejects.Close())
		if f.Name() == "" { // standard input cannot be resumed
			all = append(all, r.ports.Store.Finish(context.Background(), f.name))
		}
	}
	return errors.Join(all...)
}

// begin opens the rejects of the source, and resumes an earlier import of it.
func (r *run) begin(ctx context.Context, s Source) error {
	f := &sourceFile{Source: s, name: s.Name()}
	if f.name == "" {
		f.name = "standard input " + rand.Text()
	}
	known, err := r.resume(ctx, f)
	if err != nil {
		return fmt.Errorf("%s: %w", s.Label, err)
	}
	if f.rejects, err = s.Rejects(f.progress.Rejects); err != nil {
		return fmt.Errorf("%s: open rejects: %w", s.Label, err)
	}
	r.files = append(r.files, f)
	if known {
		r.watcher.Resumed(s, f.At.Lines)
	}
	return nil
}

// resume skips the lines that an earlier import has read. It reports false if there is no
// earlier import or the content of the file differs.
func (r *run) resume(ctx context.Context, f *sourceFile) (bool, error) {
	encoded, err := r.ports.Store.Progress(ctx, f.name)
	if err != nil || encoded == nil {
		return false, err
	}
	var p progress
	if err := json.Unmarshal(encoded, &p); err != nil {
		return false, fmt.Errorf("decode import progress: %w", err)
	}
	same, err := f.Skip(ctx, p.At)
	if err != nil {
		return false, err
	}
	if same {
		f.progress = p
		return true, nil
	}
	return false, r.ports.Store.Finish(ctx, f.name)
}

// read imports the lines of the file. If the context ends, an incomplete batch is left to the
// next run, so batches are the same however often an import is interrupted.
func (r *run) read(ctx context.Context, f *sourceFile) error {
	batch := newBatch(f.At)
	for line, err := range r.preparedLines(ctx, f) {
		switch {
		case ctx.Err() != nil:
			return interrupted(ctx)
		case errors.Is(err, imported.ErrDamaged):
			f.damage = fmt.Errorf("%s: %w", f.Label, err)
			return r.store(f, batch)
		case err != nil:
			return fmt.Errorf("%s: %w", f.Label, err)
		}
		if batch.mustEndBefore(line) {
			if err := r.store(f, batch); err != nil {
				return err
			}
			batch = newBatch(f.At)
		}
		batch.add(line)
		if batch.isFull() {
			if err := r.store(f, batch); err != nil {
				return err
			}
			batch = newBatch(f.At)
		}
	}
	if ctx.Err() != nil {
		return interrupted(ctx)
	}
	return r.store(f, batch)
}

func interrupted(ctx context.Context) error {
	return fmt.Errorf("%w: %w", ErrInterrupted, context.Cause(ctx))
}

// store writes the rejects first, then the records, and commits the file position with the
// last records. A resumed import truncates rejects beyond the committed length. store ignores
// the end of the import's context.
func (r *run) store(f *sourceFile, b *batch) error {
	if b.isEmpty() {
		return nil
	}
	ctx, before := context.Background(), f.progress
	if err := r.reject(ctx, f, b.rejects); err != nil {
		return err
	}
	rest := imported.Batch{}
	for n, layer := range b.layers {
		if n == len(b.layers)-1 {
			rest.Lines = layer
		} else if _, err := r.applyBatch(ctx, f, before, imported.Batch{Lines: layer}); err != nil {
			return err
		}
	}
	f.summary.Lines += b.end.Lines - f.At.Lines
	f.At = b.end
	_, err := r.applyBatch(ctx, f, f.progress, rest)
	return err
}

// reject writes the lines with their reasons. The next applyBatch commits them.
func (r *run) reject(ctx context.Context, f *sourceFile, rejects []imported.Reject) error {
	if len(rejects) == 0 {
		return nil
	}
	if err := f.rejects.Keep(ctx, rejects); err != nil {
		return fmt.Errorf("%s: write rejects: %w", f.Label, err)
	}
	f.progress.Rejects = f.rejects.Length()
	for _, reject := range rejects {
		f.summary.Rejected++
		r.watcher.Rejected(f.Source, reject)
	}
	return nil
}

// applyBatch applies the batch together with the progress of the file.
func (r *run) applyBatch(ctx context.Context, f *sourceFile, at progress, d imported.Batch) (imported.BatchResult, error) {
	encoded, err := json.Marshal(at)
	if err != nil {
		return imported.BatchResult{}, err
	}
	d.File, d.Progress = f.name, encoded
	result, err := r.ports.Store.Apply(ctx, d)
	if err != nil {
		return imported.BatchResult{}, fmt.Errorf("%s: store batch: %w", f.Label, err)
	}
	f.summary.count(d.Lines, result)
	r.watcher.Progressed(f.Source, r.total())
	return result, nil
}
