package media

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
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
	// Reserve queues the reservation's key, due when it ends, so that files which are stored there before a record names
	// them are removed if none ever does. The store that takes the reservation removes the key again. It
	// returns ErrMoving if the key is queued, or of a picture that is kept, as when another caller has just moved it there.
	Reserve(ctx context.Context, r Reservation) error
	// References yields every known picture, in any order, each at least once: pictures
	// in use, pictures that imports remember, and queued pictures. It ends with the
	// first error.
	References(ctx context.Context) iter.Seq2[Reference, error]
}

// ErrMoving is the fault of moving a picture that another call moves, or whose former files are not yet removed.
var ErrMoving = fault.RetryAfter(fault.Unavailable, time.Minute, "The files of the picture are being moved. Try again later.")

// MoveTime is how long a caller may take to move a picture, and then to remove its former files.
const MoveTime = time.Minute

// Reservation is a key that a caller stores files under, until then.
type Reservation struct {
	Key   Key
	Until time.Time
}

// Move stores the picture where those of the audience are, with its sizes, calls record to store its new key, and removes its
// former files. A store that takes the reservation queues the former key, due when it ends. A picture without a file is moved
// all the same.
func Move(
	ctx context.Context, s Store, q DeletionQueue, from Key, to Audience, now time.Time, record func(Reservation) error,
) error {
	r := Reservation{from.For(to), instant.Normalise(now).Add(MoveTime)}
	if err := q.Reserve(ctx, r); err != nil {
		return err
	}
	keys := []Key{from}
	for _, spec := range PictureSizes {
		keys = append(keys, from.SizeKeys(spec.Name)...)
	}
	for _, key := range keys {
		if err := copyFile(ctx, s, key, key.For(to)); err != nil {
			return err
		}
	}
	if err := record(r); err != nil {
		return err
	}
	// Another call removes them if this one does not get to it.
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), MoveTime/2)
	defer cancel()
	_ = RemoveFiles(bounded, s, q, []Key{from})
	return nil
}

// copyFile stores the file of a key, if there is one, under another.
func copyFile(ctx context.Context, s Store, from, to Key) error {
	file, err := s.Open(ctx, from)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	content, err := io.ReadAll(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return s.Put(ctx, to, content)
}

// TrashTime is how long a picture stays in the trash.
const TrashTime = 7 * 24 * time.Hour

// Discard moves the file of the key alone into the trash, and queues it there, due when its time is over.
func Discard(ctx context.Context, s Store, q DeletionQueue, key Key, now time.Time) error {
	if err := q.Done(ctx, []Key{key.Trash()}); err != nil { // of the same file, which an operator has put back
		return err
	}
	if err := q.Reserve(ctx, Reservation{key.Trash(), instant.Normalise(now).Add(TrashTime)}); err != nil {
		return err
	}
	if err := copyFile(ctx, s, key, key.Trash()); err != nil {
		return err
	}
	return s.Remove(ctx, key)
}

// Reference is a known picture.
type Reference struct {
	Key Key
	// Of names the user of the picture, for people: "plate 17". Empty: it is queued.
	Of string
}

// Remove removes the picture and its sizes from the store.
func Remove(ctx context.Context, s Store, key Key) error {
	err := s.Remove(ctx, key)
	if err != nil || key.IsSize() {
		return err
	}
	for _, spec := range PictureSizes {
		for _, size := range key.SizeKeys(spec.Name) {
			err = errors.Join(err, s.Remove(ctx, size))
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

// RemoveBatch is the largest number of pictures that RemoveDue claims at once.
const RemoveBatch = 100

// retryDelay is the time until a failed removal is tried again.
const retryDelay = 5 * time.Minute

// RemoveDue claims a batch of deleted pictures, removes their files, and returns the size of the batch. Failed removals are
// tried again later. Several servers may call it at the same time.
func RemoveDue(ctx context.Context, s Store, q DeletionQueue, now time.Time) (int, error) {
	due, err := q.Claim(ctx, now, now.Add(retryDelay), RemoveBatch)
	if err != nil {
		return 0, err
	}
	return len(due), RemoveFiles(ctx, s, q, due)
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
