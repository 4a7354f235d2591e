package importing

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/media"
)

// Ports are what an import goes through.
type Ports struct {
	Store     imported.Store
	Decoder   imported.Decoder
	Feed      feed.Reader
	Sanitiser markup.Sanitiser
	Processor media.Processor
	Pictures  media.Store
}

// Importer brings files in (ADM-04).
type Importer struct{ ports Ports }

// NewImporter returns an importer over the ports.
func NewImporter(p Ports) *Importer { return &Importer{p} }

// Source is a file, and where the lines of it go that are not stored.
type Source struct {
	imported.File
	Label string // what people call the file
	// Rejects opens what has been kept when so many bytes of it are good; 0: anew.
	Rejects func(length int64) (imported.Rejects, error)
}

// Watcher is told how an import goes. Its methods are called one after the other.
type Watcher interface {
	// Moved is called after every step, with the file that is being read, or looked
	// through for lines that have waited.
	Moved(s Source, so Summary)
	// Rejected is called once for every line that was rejected, when it is safe.
	Rejected(s Source, r imported.Reject)
	// Resumed is called when an import goes on where an earlier one stopped.
	Resumed(s Source, behind int64)
}

// ErrInterrupted is what an import ends with that was told to end: what it read up to
// there is stored, and it goes on from there when it is begun again.
var ErrInterrupted = errors.New("the import was interrupted")

// progress is what an import has to know to go on.
type progress struct {
	At      imported.Position `json:"at"`
	Rejects int64             `json:"rejects"` // bytes
}

// sourceFile is a source while it is imported.
type sourceFile struct {
	Source
	progress
	name    string // that the intake knows it by
	rejects imported.Rejects
	summary Summary
	damage  error
}

// Import brings the sources in, in their order, and sums up what became of the lines
// that it has read this time. It ends with ErrInterrupted when the context ends, and
// otherwise with an error only where a file is damaged or a port has failed.
func (i *Importer) Import(ctx context.Context, sources []Source, w Watcher) (total Summary, err error) {
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
	if err := run.settle(ctx); err != nil {
		return run.total(), err
	}
	return run.total(), run.damage()
}

// run is one import under way.
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
		if f.Name() == "" { // nobody can go on with it
			all = append(all, r.ports.Store.Finish(context.Background(), f.name))
		}
	}
	return errors.Join(all...)
}

// begin finds out where to go on.
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
		return fmt.Errorf("%s: the rejects: %w", s.Label, err)
	}
	r.files = append(r.files, f)
	if known {
		r.watcher.Resumed(s, f.At.Lines)
	}
	return nil
}

// resume skips what an earlier import has read, unless that was another file.
func (r *run) resume(ctx context.Context, f *sourceFile) (bool, error) {
	said, err := r.ports.Store.Progress(ctx, f.name)
	if err != nil || said == nil {
		return false, err
	}
	var p progress
	if err := json.Unmarshal(said, &p); err != nil {
		return false, fmt.Errorf("how far it has been read can't be read: %w", err)
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

// read stores what the file has, and keeps the lines that must wait. What is not yet a
// whole batch when the import is told to end is left for the next: so batches are the
// same however often an import is broken off.
func (r *run) read(ctx context.Context, f *sourceFile) error {
	batch := newBatch(f.At)
	for line, err := range r.prepared(ctx, f) {
		switch {
		case ctx.Err() != nil:
			return interrupted(ctx)
		case errors.Is(err, imported.ErrDamaged):
			f.damage = fmt.Errorf("%s: %w", f.Label, err)
			return r.store(f, batch)
		case err != nil:
			return fmt.Errorf("%s: %w", f.Label, err)
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

// store keeps the rejects of the batch first, then stores the rest, at last together
// with where they end: whoever goes on from there takes the rejects back that belong to
// no such end. It is not broken off with the import.
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
		} else if _, err := r.deliver(ctx, f, before, imported.Batch{Lines: layer}); err != nil {
			return err
		}
	}
	f.summary.Lines += b.end.Lines - f.At.Lines
	f.At = b.end
	_, err := r.deliver(ctx, f, f.progress, rest)
	return err
}

// reject keeps the lines with their reasons. They count from the next delivery on.
func (r *run) reject(ctx context.Context, f *sourceFile, rejects []imported.Reject) error {
	if len(rejects) == 0 {
		return nil
	}
	if err := f.rejects.Keep(ctx, rejects); err != nil {
		return fmt.Errorf("%s: keeping rejects: %w", f.Label, err)
	}
	f.progress.Rejects = f.rejects.Length()
	for _, reject := range rejects {
		f.summary.Rejected++
		r.watcher.Rejected(f.Source, reject)
	}
	return nil
}

// deliver stores what is delivered, together with where the file stands then.
func (r *run) deliver(ctx context.Context, f *sourceFile, at progress, d imported.Batch) (imported.BatchResult, error) {
	said, err := json.Marshal(at)
	if err != nil {
		return imported.BatchResult{}, err
	}
	d.File, d.Progress = f.name, said
	receipt, err := r.ports.Store.Apply(ctx, d)
	if err != nil {
		return imported.BatchResult{}, fmt.Errorf("%s: storing: %w", f.Label, err)
	}
	f.summary.count(d.Lines, receipt)
	r.watcher.Moved(f.Source, r.total())
	return receipt, nil
}
