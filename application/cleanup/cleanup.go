// Package keeping holds the use cases of keeping the files of pictures in agreement with
// what shows them: what nobody shows loses its file, and what somebody shows has one.
package cleanup

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"log/slog"
	"time"

	"plaza/domain/media"
)

// Cleanup holds what the use cases work with.
type Cleanup struct {
	bin      media.DeletionQueue
	pictures media.Store
	now      func() time.Time
	log      *slog.Logger
}

// New returns the use cases over the ports; now tells the time.
func New(bin media.DeletionQueue, pictures media.Store, now func() time.Time, log *slog.Logger) *Cleanup {
	return &Cleanup{bin: bin, pictures: pictures, now: now, log: log}
}

const (
	interval   = time.Minute     // between two looks into the bin
	retryDelay = 5 * time.Minute // until what could not be removed is tried again
	batchSize  = 100             // pictures that are taken out of the bin at once
)

// Run empties the bin until the context ends. Any number of servers may do so at once.
func (k *Cleanup) Run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		for n := batchSize; n == batchSize && ctx.Err() == nil; {
			var err error
			if n, err = k.RemoveDue(ctx); err != nil && ctx.Err() == nil {
				k.log.WarnContext(ctx, "files of deleted pictures could not be removed; they will be later", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// RemoveDue takes a handful of pictures out of the bin, removes their files, and returns how
// many they were. What fails is tried again later.
func (k *Cleanup) RemoveDue(ctx context.Context) (int, error) {
	due, err := k.bin.Claim(ctx, k.now(), k.now().Add(retryDelay), batchSize)
	if err != nil {
		return 0, err
	}
	return len(due), media.RemoveFiles(ctx, k.pictures, k.bin, due)
}

// OrphanGracePeriod is the age of a file that nobody knows of: a younger one may be on its way.
const OrphanGracePeriod = time.Hour

// orphanBatch is how many orphans are held before they are reported, or removed: each batch
// that is removed costs another walk through the references.
const orphanBatch = 1000

// Finding is a picture that is not as it should be.
type Finding struct {
	Key media.Key
	// Missing says what shows the picture that has no file; empty: it is a file that
	// nothing shows.
	Missing string
	Mended  bool
}

// Check looks for files that nothing shows, and for pictures without a file, also beside
// running servers. With repair it removes the files; for a picture without one nothing
// can be done.
func (k *Cleanup) Check(ctx context.Context, repair bool) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		if err := k.check(ctx, repair, func(f Finding) bool { return yield(f, nil) }); err != nil {
			yield(Finding{}, err)
		}
	}
}

// errStopped says that nobody wants to hear more.
var errStopped = errors.New("enough")

func (k *Cleanup) check(ctx context.Context, repair bool, found func(Finding) bool) error {
	began := k.now() // before the walk: what is uploaded from now on is not in it
	known, err := k.known(ctx)
	if err != nil {
		return err
	}
	stored, err := k.orphans(ctx, began, known, repair, found)
	if err == nil {
		err = k.missing(ctx, stored, found)
	}
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// set is a set of keys. There may be millions, so it has their hashes; that two are the
// same will not happen.
type set struct {
	seed maphash.Seed
	in   map[uint64]struct{}
}

func newSet() set { return set{maphash.MakeSeed(), map[uint64]struct{}{}} }

func (s set) add(k media.Key) { s.in[maphash.String(s.seed, string(k))] = struct{}{} }

func (s set) has(k media.Key) bool {
	_, is := s.in[maphash.String(s.seed, string(k))]
	return is
}

func (k *Cleanup) known(ctx context.Context) (set, error) {
	known := newSet()
	for one, err := range k.bin.References(ctx) {
		if err != nil {
			return set{}, err
		}
		known.add(one.Key)
	}
	return known, nil
}

// orphans finds the files that nothing shows, and returns all files. A file counts as an
// orphan only if it was old when the check began: the age of a younger one says nothing
// about a walk through the references that ended before it was stored.
func (k *Cleanup) orphans(ctx context.Context, began time.Time, known set, repair bool, found func(Finding) bool) (set, error) {
	stored := newSet()
	var batch []media.Key
	for file, err := range k.pictures.All(ctx) {
		if err != nil {
			return set{}, err
		}
		stored.add(file.Key)
		if known.has(file.Key) || began.Sub(file.Since) < OrphanGracePeriod {
			continue
		}
		if batch = append(batch, file.Key); len(batch) < orphanBatch {
			continue
		}
		if err := k.report(ctx, batch, repair, found); err != nil {
			return set{}, err
		}
		batch = batch[:0]
	}
	return stored, k.report(ctx, batch, repair, found)
}

// report passes on the orphans, with repair after their files are removed. Just before it
// removes them it walks through the references again, and spares what is shown by then.
func (k *Cleanup) report(ctx context.Context, orphans []media.Key, repair bool, found func(Finding) bool) error {
	known := newSet()
	if repair && len(orphans) > 0 {
		var err error
		if known, err = k.known(ctx); err != nil {
			return err
		}
	}
	for _, key := range orphans {
		if known.has(key) {
			continue
		}
		if repair {
			if err := k.pictures.Remove(ctx, key); err != nil {
				return err
			}
		}
		if !found(Finding{Key: key, Mended: repair}) {
			return errStopped
		}
	}
	return nil
}

// missing finds the pictures without a file. One that came after the files were gone
// through has one; so each is looked for once more.
func (k *Cleanup) missing(ctx context.Context, stored set, found func(Finding) bool) error {
	for one, err := range k.bin.References(ctx) {
		if err != nil {
			return err
		}
		if one.Of == "" || stored.has(one.Key) {
			continue
		}
		file, err := k.pictures.Open(ctx, one.Key)
		switch {
		case err == nil:
			if err := file.Close(); err != nil {
				return err
			}
		case !errors.Is(err, media.ErrNotFound):
			return err
		case !found(Finding{Key: one.Key, Missing: one.Of}):
			return errStopped
		}
	}
	return nil
}
