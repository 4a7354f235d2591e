package imported

import (
	"context"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// Line is a line of a file, and the record that it says.
type Line struct {
	Number int64 // the first is 1
	Raw    []byte
	Record Record
}

// Status is what became of a record.
type Status int

// The fates.
const (
	New     Status = iota // stored for the first time
	Changed               // stored in place of what was there
	Same                  // there already, just so
	Waits                 // kept aside: what it needs is not there
	Refused               // kept aside: it is at odds with what is stored
)

// Outcome is the fate of one record.
type Outcome struct {
	Status Status
	// Wrong says of one that waits or was refused why, by its fields.
	Wrong fault.Fields
}

// Batch is what is stored in one step: all of it, or nothing.
type Batch struct {
	// File names what is being imported.
	File string
	// Lines are in the order of their numbers; no two records have the same Ref.
	Lines []Line
	// Abandoned are numbers of lines that wait no longer, and were not stored.
	Abandoned []int64
	// Progress is what Progress returns from then on.
	Progress []byte
}

// BatchResult says what became of a delivery.
type BatchResult struct {
	Outcomes []Outcome // of each line, in their order
	// Replaced is how many lines no longer wait, because a later record of the same
	// Ref has been stored.
	Replaced int
}

// Digest tells what a cover was made from: the bytes of its file, and the sizes that it
// has.
type Digest [32]byte

// Store stores what the crawler brings, and keeps the feed equal to the listings of
// it in the same step. Every implementation passes test/ports.Store.
type Store interface {
	// Apply stores those records of the delivery that PlanOf finds ready, in place of
	// what was stored under their Refs, and keeps the lines of the others waiting; at
	// once with the progress. A line that was waiting and is stored now waits no
	// longer; nor does one of any file that has a record of a Ref that is stored now,
	// and was given to Apply before.
	//
	// A record that is stored just so already must change nothing. A change of a bundle
	// is one of all its publications. A Person whose phone an account has that came from
	// elsewhere becomes that account, whose names change and nothing else; one whose
	// phone another Person has, or who comes again with another phone, is refused on
	// username.
	Apply(ctx context.Context, d Batch) (BatchResult, error)
	// Progress returns what the file's latest delivery said; nil when there is none.
	Progress(ctx context.Context, file string) ([]byte, error)
	// Waiting returns lines of the file that wait, in the order of their numbers, with
	// higher numbers than after: at most so many lines, and none behind those that have
	// so many bytes together. They have no Record.
	Waiting(ctx context.Context, file string, after int64, lines, bytes int) ([]Line, error)
	// Finish forgets the files, all or none: their progress, and whatever waits of them.
	Finish(ctx context.Context, files ...string) error
	// Known returns those of the refs that are stored.
	Known(ctx context.Context, refs []Ref) (map[Ref]bool, error)
	// Cover returns the picture that was remembered for the digest; false: none.
	Cover(ctx context.Context, d Digest) (media.Picture, bool, error)
	// RememberCover remembers the picture, unless there is one for the digest already.
	// It returns the one that is remembered now.
	RememberCover(ctx context.Context, d Digest, p media.Picture) (media.Picture, error)
}
