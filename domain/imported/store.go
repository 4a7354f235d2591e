package imported

import (
	"context"
	"time"

	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/page"
)

// Status is the result of applying a record.
type Status int

const (
	New     Status = iota // stored for the first time
	Changed               // replaced the stored record
	Same                  // equal to the stored record
	Waits                 // not stored: a record that it needs is not stored
	Refused               // not stored: it conflicts with stored data
)

// Outcome is the result of one record.
type Outcome struct {
	Status Status
	// Wrong has the reasons by field if the record is not stored.
	Wrong fault.Fields
}

// IsStored reports whether the record is stored.
func (o Outcome) IsStored() bool { return o.Status != Waits && o.Status != Refused }

// Batch is stored in one step, entirely or not at all.
type Batch struct {
	// Import names the import.
	Import string
	// Records are the records, no two of which have the same Ref.
	Records []Record
	// Progress is what Store.Progress returns from then on.
	Progress []byte
}

// Completion is when an import began and ended that has read all of its files.
type Completion struct{ Began, Ended time.Time }

// Digest identifies the input of a processed cover: the bytes of its file and its sizes.
type Digest [32]byte

// Store stores imported records, and updates the feed to their listings in the same
// step. Every implementation passes test/ports.Imports.
type Store interface {
	// Apply stores the records of the batch that Decide finds ready, in place of the
	// records stored under their Refs, and the progress in the same step. It returns an
	// outcome for each record, in their order.
	//
	// The text of a publication or a node is stored with it; a record without HTML removes the stored text.
	// feed.Reader.Card returns it.
	//
	// A record equal to the stored one must change nothing. A changed bundle changes all
	// its publications. If the phone of a UserRecord belongs to an account that was not
	// imported, the record is stored as that account and must change only its names. A
	// UserRecord is refused on username if another imported user has its phone, or if
	// it was stored with another phone before. A user whose data was erased is refused there,
	// too, and is not stored for records that need the user.
	Apply(ctx context.Context, b Batch) ([]Outcome, error)
	// Progress returns the progress of the import's latest batch, or nil.
	Progress(ctx context.Context, name string) ([]byte, error)
	// Finish removes the progress of the import.
	Finish(ctx context.Context, name string) error
	// Complete records the completion of an import, unless one that ended later is recorded.
	// telemetry.Sampler returns the recorded one.
	Complete(ctx context.Context, c Completion) error
	// BeginRun stores an unfinished run of the files and returns its number.
	BeginRun(ctx context.Context, began time.Time, files []string) (RunID, error)
	// EndRun stores how the run with the number has ended, with the lines that it has rejected, at most MaxRejects of them.
	EndRun(ctx context.Context, r Run, rejects []RejectedLine) error
	// Runs returns a page of the runs that the filter selects, the last first, or in the order of its span.
	Runs(ctx context.Context, f RunFilter, p page.Request) (page.Page[Run], error)
	// RejectsOf returns the stored rejects of the run in their order, or ErrNoRun.
	RejectsOf(ctx context.Context, id RunID) ([]RejectedLine, error)
	// Known returns those of the refs of users, categories and bundles that are stored.
	Known(ctx context.Context, refs []Ref) (map[Ref]bool, error)
	// Cover returns the picture remembered for the digest, and whether it found one.
	Cover(ctx context.Context, d Digest) (media.Picture, bool, error)
	// RememberCover stores the picture for the digest unless one is stored already. It
	// returns the stored picture.
	RememberCover(ctx context.Context, d Digest, p media.Picture) (media.Picture, error)
}
