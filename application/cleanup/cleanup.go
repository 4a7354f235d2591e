// Package cleanup holds the use cases that keep picture files consistent with the records
// that reference them: files of deleted pictures are removed, orphans and missing files
// are found.
//
// Its tests are those of test/usecases/people whose files begin with its name.
package cleanup

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"time"

	"plaza/domain/media"
)

// Cleanup implements the use cases.
type Cleanup struct {
	deletions media.DeletionQueue
	pictures  media.Store
	now       func() time.Time
}

// New returns the use cases over the ports; now returns the time.
func New(deletions media.DeletionQueue, pictures media.Store, now func() time.Time) *Cleanup {
	return &Cleanup{deletions: deletions, pictures: pictures, now: now}
}

// RemoveDue removes the files of a batch of deleted pictures, and returns the size of the batch (media.RemoveDue).
func (k *Cleanup) RemoveDue(ctx context.Context) (int, error) {
	return media.RemoveDue(ctx, k.pictures, k.deletions, k.now())
}

// OrphanGracePeriod is the minimum age of an orphan: a younger file may belong to an upload
// in progress.
const OrphanGracePeriod = time.Hour

// orphanBatch is how many orphans are discarded together. Each batch costs another pass over the references.
const orphanBatch = 1000

// Finding is an orphan file or a picture without a file.
type Finding struct {
	Key media.Key
	// Missing names the record whose picture has no file. Empty: the file is an orphan.
	Missing string
}

// Check finds orphan files and pictures without a file, and returns how many files there are. Servers may run meanwhile.
func (k *Cleanup) Check(ctx context.Context, found func(Finding)) (files int, err error) {
	began := k.now() // before the references are read: they miss later uploads
	known, err := k.known(ctx)
	if err != nil {
		return 0, err
	}
	stored, err := k.orphans(ctx, began, known, found)
	if err != nil {
		return 0, err
	}
	return len(stored.in), k.missing(ctx, stored, found)
}

// ErrTooMany is the error of more orphans than may be discarded: most likely the pictures are not those of the database.
var ErrTooMany = errors.New("more than a tenth of the pictures would be removed")

// Discard moves the orphans that Check has found among so many files into the trash, where they stay for media.TrashTime,
// and calls discarded for each. It spares those that have got a record meanwhile. If they are more than a tenth of the files
// and more than allowed, it returns ErrTooMany and moves none.
func (k *Cleanup) Discard(ctx context.Context, orphans []media.Key, files, allowed int, discarded func(media.Key)) error {
	if len(orphans) > allowed && len(orphans)*10 > files {
		return fmt.Errorf("%w: %d of %d", ErrTooMany, len(orphans), files)
	}
	for batch := range slices.Chunk(orphans, orphanBatch) {
		known, err := k.known(ctx)
		if err != nil {
			return err
		}
		for _, key := range batch {
			if known.has(key.Original()) {
				continue
			}
			if err := media.Discard(ctx, k.pictures, k.deletions, key, k.now()); err != nil {
				return err
			}
			discarded(key)
		}
	}
	return nil
}

// set is a set of keys. It may have millions, so it stores their 64-bit hashes, and
// neglects collisions.
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
	for one, err := range k.deletions.References(ctx) {
		if err != nil {
			return set{}, err
		}
		known.add(one.Key)
	}
	return known, nil
}

// orphans reports the orphan files, and returns all files. A size of a known picture is no
// orphan. A file counts as an orphan only
// if it was older than OrphanGracePeriod when the check began: the references may have been
// read before a younger one was stored.
func (k *Cleanup) orphans(ctx context.Context, began time.Time, known set, found func(Finding)) (set, error) {
	stored := newSet()
	for file, err := range k.pictures.All(ctx) {
		if err != nil {
			return set{}, err
		}
		stored.add(file.Key)
		if !known.has(file.Key.Original()) && began.Sub(file.Since) >= OrphanGracePeriod {
			found(Finding{Key: file.Key})
		}
	}
	return stored, nil
}

// missing reports the pictures without a file. A picture may be newer than the list of
// files, so each missing file is looked up once more.
func (k *Cleanup) missing(ctx context.Context, stored set, found func(Finding)) error {
	for one, err := range k.deletions.References(ctx) {
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
		default:
			found(Finding{Key: one.Key, Missing: one.Of})
		}
	}
	return nil
}
