package media

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
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

// Moves are the keys under which a caller stores the files of pictures anew, reserved until then.
type Moves struct {
	To    map[Key]Key // by the former keys
	Until time.Time
}

// NewMoves returns moves of the pictures to where those of the audience are, which are not reserved yet. One that is there gets
// another name.
func NewMoves(pictures []Key, to Audience, now time.Time) Moves {
	m := Moves{map[Key]Key{}, instant.Normalise(now).Add(MoveTime)}
	for _, from := range pictures {
		if m.To[from] = from.For(to); m.To[from] == from {
			m.To[from] = KeyAt(to, strings.ToLower(rand.Text())+path.Ext(string(from)))
		}
	}
	return m
}

// Reserve reserves the new keys.
func (m Moves) Reserve(ctx context.Context, q DeletionQueue) error {
	for _, from := range m.Keys() {
		if err := q.Reserve(ctx, Reservation{m.To[from], m.Until}); err != nil {
			return err
		}
	}
	return nil
}

// Keys returns the former keys in order.
func (m Moves) Keys() []Key { return slices.Sorted(maps.Keys(m.To)) }

// Of returns the new key of the picture. It returns ErrMoving if the picture is not moved.
func (m Moves) Of(from Key) (Key, error) {
	if to, is := m.To[from]; is {
		return to, nil
	}
	return "", ErrMoving
}

// Picture returns the picture with new keys for its own and those of its sizes. It returns ErrMoving if one is not moved.
func (m Moves) Picture(p Picture) (Picture, error) {
	if p.Key == "" {
		return p, nil
	}
	var failures []error
	moved := func(from Key) Key {
		to, err := m.Of(from)
		failures = append(failures, err)
		return to
	}
	p.Key, p.Sizes = moved(p.Key), slices.Clone(p.Sizes)
	for i := range p.Sizes {
		p.Sizes[i].Key = moved(p.Sizes[i].Key)
	}
	return p, errors.Join(failures...)
}

// Move stores the pictures where those of the audience are, with their sizes, calls record to store their new keys, and removes the
// former files. A store that takes the moves queues the former keys, due when the reservations end. A picture without a file is
// moved all the same.
func Move(
	ctx context.Context, s Store, q DeletionQueue, pictures []Key, to Audience, now time.Time, record func(Moves) error,
) error {
	m := NewMoves(pictures, to, now)
	if err := m.Reserve(ctx, q); err != nil {
		return err
	}
	for some := range slices.Chunk(m.Keys(), movedAtOnce) {
		failures := make([]error, len(some))
		var moving sync.WaitGroup
		for i, from := range some {
			moving.Go(func() { failures[i] = copyPicture(ctx, s, from, m.To[from]) })
		}
		moving.Wait()
		if err := errors.Join(failures...); err != nil {
			return err
		}
	}
	if err := record(m); err != nil || len(pictures) == 0 {
		return err
	}
	// Another call removes them if this one does not get to it.
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), MoveTime/2)
	defer cancel()
	_ = RemoveFiles(bounded, s, q, pictures)
	return nil
}

// movedAtOnce is how many pictures are copied at once. The longer a move takes, the likelier its event has new plates by then.
const movedAtOnce = 8

// copyPicture stores the files of a picture and of its sizes, those that there are, under another key.
func copyPicture(ctx context.Context, s Store, from, to Key) error {
	keys := []Key{from}
	for _, spec := range PictureSizes {
		keys = append(keys, from.SizeKeys(spec.Name)...)
	}
	for _, key := range keys {
		if err := copyFile(ctx, s, key, to+key[len(from):]); err != nil {
			return err
		}
	}
	return nil
}

// copyFile stores the file of a key, if there is one, under another.
func copyFile(ctx context.Context, s Store, from, to Key) error {
	content, err := contentOf(ctx, s, from)
	if err != nil || content == nil {
		return err
	}
	return s.Put(ctx, to, content)
}

// contentOf returns the content of the file of a key, or nil if the key has no file.
func contentOf(ctx context.Context, s Store, key Key) ([]byte, error) {
	file, err := s.Open(ctx, key)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(file)
	return content, errors.Join(err, file.Close())
}

// Copy stores what the picture shows at most in the size md under a new key for Viewers, and returns the key. It is empty if the
// picture has no file.
func Copy(ctx context.Context, s Store, of Key) (Key, error) {
	for _, from := range append(of.SizeKeys("md"), of) {
		content, err := contentOf(ctx, s, from)
		if err != nil {
			return "", err
		}
		if kind, isKey := from.Type(); isKey && len(content) > 0 { // the file of a size that is the picture itself is empty
			return Upload{Type: kind, Bytes: content}.Put(ctx, s, Viewers)
		}
	}
	return "", nil
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
