package media

import (
	"context"
	"errors"
	"iter"
	"time"
)

// DeletionQueue knows the pictures that nobody shows any more, and all others that somebody does.
// Whatever deletes what shows a picture, or shows another one from then on, puts its keys
// there in the same step: a plate, an event with its plates, a user image, an avatar.
// Every implementation passes test/ports.DeletionQueue.
type DeletionQueue interface {
	// Claim returns keys in the bin whose time has come by now, in the order in which
	// it did, at most limit of them, and puts them off until next in the same step:
	// nobody else is given them before. What was just put there is due at once.
	Claim(ctx context.Context, now, next time.Time, limit int) ([]Key, error)
	// Done forgets the keys: their files are gone. One that is not in the bin is no
	// error.
	Done(ctx context.Context, keys []Key) error
	// References goes through all pictures that are known of, in any order, each at least once:
	// those that something shows, those that imports remember, and those in the bin. It
	// ends with the first error.
	References(ctx context.Context) iter.Seq2[Reference, error]
}

// Reference is a picture that is known of.
type Reference struct {
	Key Key
	// Of says what shows it, for people: "plate 17". Empty: it is in the bin.
	Of string
}

// RemoveFiles removes the files of the keys from the store, and takes those that are gone out
// of the bin. What fails stays in the bin, to be tried again.
func RemoveFiles(ctx context.Context, s Store, b DeletionQueue, keys []Key) error {
	var gone []Key
	var failures []error
	for _, key := range keys {
		if err := s.Remove(ctx, key); err != nil {
			failures = append(failures, err)
			continue
		}
		gone = append(gone, key)
	}
	if len(gone) > 0 {
		failures = append(failures, b.Done(ctx, gone))
	}
	return errors.Join(failures...)
}
