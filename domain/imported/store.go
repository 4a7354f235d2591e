package imported

import (
	"context"
	"time"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// Line is a line of a file with its record.
type Line struct {
	Number int64 // the first is 1
	Raw    []byte
	Record Record
}

// Status is the result of applying a record.
type Status int

// The statuses.
const (
	New     Status = iota // stored for the first time
	Changed               // replaced the stored record
	Same                  // equal to the stored record
	Waits                 // kept waiting: a record that it needs is not stored
	Refused               // kept waiting: it conflicts with stored data
)

// Outcome is the result of one record.
type Outcome struct {
	Status Status
	// Wrong has the reasons by field if the record waits or was refused.
	Wrong fault.Fields
}

// IsStored reports whether the record is stored, and waits no more.
func (o Outcome) IsStored() bool { return o.Status != Waits && o.Status != Refused }

// Batch is stored in one step, entirely or not at all.
type Batch struct {
	// File names the imported file.
	File string
	// Lines are in the order of their numbers; no two records have the same Ref.
	Lines []Line
	// Abandoned are the numbers of waiting lines that are given up without being stored.
	Abandoned []int64
	// Progress is what Store.Progress returns from then on.
	Progress []byte
}

// BatchResult is the result of a batch.
type BatchResult struct {
	Outcomes []Outcome // one per line, in the order of the lines
	// Replaced is the number of waiting lines that were dropped because a later record
	// of the same Ref was stored.
	Replaced int
}

// Completion is when an import began and ended that has read all of its files.
type Completion struct{ Began, Ended time.Time }

// Digest identifies the input of a processed cover: the bytes of its file and its sizes.
type Digest [32]byte

// Store stores imported records, and updates the feed to their listings in the same
// step. Every implementation passes test/ports.Imports.
type Store interface {
	// Apply stores the records of the batch that PlanOf finds ready, in place of the
	// records stored under their Refs, and keeps the lines of the other records waiting.
	// It must store the progress in the same step. A waiting line that is stored must
	// stop waiting. So must a waiting line of any file that was given to Apply before and
	// has a record of a Ref that is stored now.
	//
	// A record equal to the stored one must change nothing. A changed bundle changes all
	// its publications. If the phone of a UserRecord belongs to an account that was not
	// imported, the record is stored as that account and must change only its names. A
	// UserRecord is refused on username if another imported user has its phone, or if
	// it was stored with another phone before. A user whose data was erased is refused there,
	// too, and is not stored for records that need the user.
	Apply(ctx context.Context, d Batch) (BatchResult, error)
	// Progress returns the progress of the file's latest batch, or nil.
	Progress(ctx context.Context, file string) ([]byte, error)
	// Waiting returns waiting lines of the file with numbers greater than after, by
	// ascending number and without their Record: at most the given number of lines, and
	// none after the lines that reach the given number of bytes.
	Waiting(ctx context.Context, file string, after int64, lines, bytes int) ([]Line, error)
	// Finish removes the progress and the waiting lines of the files, of all or of none.
	Finish(ctx context.Context, files ...string) error
	// Complete records the completion of an import, unless one that ended later is recorded.
	// telemetry.Sampler returns the recorded one.
	Complete(ctx context.Context, c Completion) error
	// Known returns the refs that are stored.
	Known(ctx context.Context, refs []Ref) (map[Ref]bool, error)
	// Cover returns the picture remembered for the digest, and whether it found one.
	Cover(ctx context.Context, d Digest) (media.Picture, bool, error)
	// RememberCover stores the picture for the digest unless one is stored already. It
	// returns the stored picture.
	RememberCover(ctx context.Context, d Digest, p media.Picture) (media.Picture, error)
}
