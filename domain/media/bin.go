package media

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Bin knows the pictures that nobody shows any more, and all others that somebody does.
// Whatever deletes what shows a picture, or shows another one from then on, puts its keys
// there in the same step: a plate, an event with its plates, a user image, an avatar.
// Every implementation passes test/ports.Bin.
type Bin interface {
	// Discarded returns keys in the bin whose time has come by now, in the order in which
	// it did, at most limit of them, and puts them off until next in the same step:
	// nobody else is given them before. What was just put there is due at once.
	Discarded(ctx context.Context, now, next time.Time, limit int) ([]Key, error)
	// Emptied forgets the keys: their files are gone. One that is not in the bin is no
	// error.
	Emptied(ctx context.Context, keys []Key) error
	// Known goes through all pictures that are known of, in any order, each at least once:
	// those that something shows, those that imports remember, and those in the bin. It
	// ends with the first error.
	Known(ctx context.Context) iter.Seq2[Known, error]
}

// Known is a picture that is known of.
type Known struct {
	Key Key
	// Of says what shows it, for people: "plate 17". Empty: it is in the bin.
	Of string
}

// Empty removes the files of the keys from the store, and takes those that are gone out
// of the bin. What fails stays in the bin, to be tried again.
func Empty(ctx context.Context, s Store, b Bin, keys []Key) error {
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
		failures = append(failures, b.Emptied(ctx, gone))
	}
	return errors.Join(failures...)
}
