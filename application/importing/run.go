package importing

import (
	"errors"
	"time"

	"plaza/domain/feed"
	"plaza/domain/imported"
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

type sourceFile struct {
	Source
	rejects imported.Rejects
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

func (r *run) close() error {
	var all []error
	for _, f := range r.files {
		all = append(all, f.rejects.Close())
	}
	return errors.Join(all...)
}

// count counts a record that was stored. Bundles that are read again count only if they were not
// stored in an earlier reading.
func (r *run) count(kind imported.Kind, status imported.Status) {
	c := r.summary.Kinds[kind]
	switch {
	case kind == imported.Bundle && r.at.Reading > 1:
		if status == imported.New {
			r.newBundles++
		}
		return
	case status == imported.New:
		c.New++
	case status == imported.Changed:
		c.Changed++
	default:
		c.Same++
	}
	r.summary.Kinds[kind] = c
}

// beginNextReading counts the bundles that waited in the reading before and were stored in this
// one. None of them was the same as the stored one, because that one needs no other bundles.
func (r *run) beginNextReading() {
	if stored := r.at.WaitingBefore - r.at.Waiting; r.at.Reading > 1 && stored > 0 {
		added := min(r.newBundles, stored)
		c := r.summary.Kinds[imported.Bundle]
		c.New, c.Changed = c.New+added, c.Changed+stored-added
		r.summary.Kinds[imported.Bundle] = c
	}
	r.at, r.newBundles = r.at.next(), 0
}

// progressed reports the summary after a step with the file.
func (r *run) progressed(n int) {
	var read, size int64
	for _, f := range r.files {
		r, of := f.Size()
		read, size = read+r, size+of
	}
	part := float64(read) / float64(max(size, 1))
	switch {
	case r.at.Last:
		part = (1 + part) / 2
	case r.at.Reading == 1:
		part /= 2
	default:
		part = 0.5
	}
	r.summary.Done = part
	r.watcher.Progressed(r.files[n].Source, r.summary)
}
