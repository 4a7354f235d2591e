// Package keeping holds the use cases of keeping the files of pictures in agreement with
// what shows them: what nobody shows loses its file, and what somebody shows has one.
package keeping

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
	"log/slog"
	"time"

	"plaza/domain/media"
)

// Keeping holds what the use cases work with.
type Keeping struct {
	bin      media.Bin
	pictures media.Store
	now      func() time.Time
	log      *slog.Logger
}

// New returns the use cases over the ports; now tells the time.
func New(bin media.Bin, pictures media.Store, now func() time.Time, log *slog.Logger) *Keeping {
	return &Keeping{bin: bin, pictures: pictures, now: now, log: log}
}

const (
	interval = time.Minute     // between two looks into the bin
	patience = 5 * time.Minute // until what could not be removed is tried again
	handful  = 100             // pictures that are taken out of the bin at once
)

// Run empties the bin until the context ends. Any number of servers may do so at once.
func (k *Keeping) Run(ctx context.Context) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		for n := handful; n == handful && ctx.Err() == nil; {
			var err error
			if n, err = k.Empty(ctx); err != nil && ctx.Err() == nil {
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

// Empty takes a handful of pictures out of the bin, removes their files, and returns how
// many they were. What fails is tried again later.
func (k *Keeping) Empty(ctx context.Context) (int, error) {
	due, err := k.bin.Discarded(ctx, k.now(), k.now().Add(patience), handful)
	if err != nil {
		return 0, err
	}
	return len(due), media.Empty(ctx, k.pictures, k.bin, due)
}

// Orphanage is the age of a file that nobody knows of: a younger one may be on its way.
const Orphanage = time.Hour

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
func (k *Keeping) Check(ctx context.Context, repair bool) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		if err := k.check(ctx, repair, func(f Finding) bool { return yield(f, nil) }); err != nil {
			yield(Finding{}, err)
		}
	}
}

// errEnough says that nobody wants to hear more.
var errEnough = errors.New("enough")

func (k *Keeping) check(ctx context.Context, repair bool, found func(Finding) bool) error {
	known, err := k.known(ctx)
	if err != nil {
		return err
	}
	stored, err := k.orphans(ctx, known, repair, found)
	if err == nil {
		err = k.missing(ctx, stored, found)
	}
	if errors.Is(err, errEnough) {
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

func (k *Keeping) known(ctx context.Context) (set, error) {
	known := newSet()
	for one, err := range k.bin.Known(ctx) {
		if err != nil {
			return set{}, err
		}
		known.add(one.Key)
	}
	return known, nil
}

// orphans finds the files that nothing shows, and returns all that there are.
func (k *Keeping) orphans(ctx context.Context, known set, repair bool, found func(Finding) bool) (set, error) {
	stored := newSet()
	for file, err := range k.pictures.All(ctx) {
		if err != nil {
			return set{}, err
		}
		stored.add(file.Key)
		if known.has(file.Key) || k.now().Sub(file.Since) < Orphanage {
			continue
		}
		if repair {
			if err := k.pictures.Remove(ctx, file.Key); err != nil {
				return set{}, err
			}
		}
		if !found(Finding{Key: file.Key, Mended: repair}) {
			return set{}, errEnough
		}
	}
	return stored, nil
}

// missing finds the pictures without a file. One that came after the files were gone
// through has one; so each is looked for once more.
func (k *Keeping) missing(ctx context.Context, stored set, found func(Finding) bool) error {
	for one, err := range k.bin.Known(ctx) {
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
			return errEnough
		}
	}
	return nil
}
