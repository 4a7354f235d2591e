package media

import (
	"context"
	"errors"
	"iter"
	"time"

	"plaza/domain/fault"
)

// DeletionQueue lists pictures awaiting deletion, and enumerates every referenced
// picture. A store that deletes or replaces a reference to a picture must queue its keys
// in the same step: for a plate, an event with its plates, a user image, an avatar. The bytes
// of a queued picture no longer count for the quota of its owner (GEN-14).
// Every implementation passes test/ports.DeletionQueue.
type DeletionQueue interface {
	// Claim returns at most limit queued keys that are due by now, the earliest due
	// first, and postpones them until next in the same step: no other call may return
	// them before. A newly queued key is due immediately.
	Claim(ctx context.Context, now, next time.Time, limit int) ([]Key, error)
	// Done removes the keys from the queue after their files were deleted. A key that is
	// not queued is not an error.
	Done(ctx context.Context, keys []Key) error
	// References yields every known picture, in any order, each at least once: pictures
	// in use, pictures that imports remember, and queued pictures. It ends with the
	// first error.
	References(ctx context.Context) iter.Seq2[Reference, error]
}

// Reference is a known picture.
type Reference struct {
	Key Key
	// Of names the user of the picture, for people: "plate 17". Empty: it is queued.
	Of string
}

// Remove removes the picture and its sizes from the store. The picture is removed first: a
// call that makes its sizes meanwhile looks for it after storing them, and removes them.
func Remove(ctx context.Context, s Store, key Key) error {
	err := s.Remove(ctx, key)
	if err != nil || key.IsSize() {
		return err
	}
	return RemoveSizes(ctx, s, key)
}

// RemoveSizes removes the sizes of the picture from the store.
func RemoveSizes(ctx context.Context, s Store, of Key) error {
	var err error
	for _, spec := range PictureSizes {
		for _, key := range of.SizeKeys(spec.Name) {
			err = errors.Join(err, s.Remove(ctx, key))
		}
	}
	return err
}

// RemoveFiles removes the files of the keys and of their sizes from the store and then the keys from the
// queue. A key whose file could not be removed stays queued for another attempt.
func RemoveFiles(ctx context.Context, s Store, q DeletionQueue, keys []Key) error {
	var removed []Key
	var failures []error
	for _, key := range keys {
		if err := Remove(ctx, s, key); err != nil {
			failures = append(failures, err)
			continue
		}
		removed = append(removed, key)
	}
	if len(removed) > 0 {
		failures = append(failures, q.Done(ctx, removed))
	}
	return errors.Join(failures...)
}

// Abandon removes the files of a new picture after its record was refused with the cause, and
// returns the cause. The files stay if the record may have been stored all the same, because the
// store was away or late: a check removes files without a record, but a record without its
// files cannot be repaired.
func Abandon(ctx context.Context, s Store, cause error, keys ...Key) error {
	kind := fault.KindOf(cause)
	if kind == fault.Unavailable || kind == fault.Timeout || errors.Is(cause, context.Canceled) {
		return cause
	}
	failures := []error{cause}
	for _, key := range keys {
		failures = append(failures, Remove(context.WithoutCancel(ctx), s, key))
	}
	return errors.Join(failures...)
}
