package imported

import (
	"context"
	"errors"
	"io"

	"plaza/domain/fault"
)

// Faults of files.
var (
	ErrNoFile = fault.New(fault.NotFound, "There is no such file.")
	// ErrDamaged is the fault of a file that can't be read to its end: what was read
	// before stays good.
	ErrDamaged = errors.New("the file is damaged")
)

// Position is how far a file has been read: behind so many whole lines.
type Position struct {
	Lines  int64 `json:"lines"`
	Offset int64 `json:"offset"` // bytes, as they are once decompressed
	// Print is of the bytes right before the offset, so that another file is not taken
	// for this one.
	Print []byte `json:"print"`
}

// RawLine is a line as it stands in the file, without its end.
type RawLine struct {
	Number int64
	Raw    []byte
	// TooLong says that only the beginning is here; Offset and Length tell where the
	// whole of it is.
	TooLong        bool
	Offset, Length int64 // bytes
	// End is the position behind the line.
	End Position
}

// File is a file of records, read once from its beginning.
type File interface {
	// Name names the file, the same whenever it is opened; empty: the standard input,
	// which is never the same.
	Name() string
	// Skip goes to the position; false, and nowhere, when the file was another then.
	Skip(ctx context.Context, p Position) (bool, error)
	// Next returns the next line that is not blank; io.EOF at the end; an error with
	// ErrDamaged in its chain when there should have been more. What it returns is good
	// for ever.
	Next(ctx context.Context) (RawLine, error)
	// Size is how large the file is, and how much of that has been read: bytes, as
	// they are on the disk. A zero size is not known.
	Size() (read, size int64)
	// OpenCover opens the file beside this one; a fault when there is none such, or it
	// is elsewhere.
	OpenCover(name string) (io.ReadCloser, error)
	Close() error
}

// Decoder reads the draft that a line says. What it can't make out is a fault: on
// fields where it is about some, and then the draft of all others comes with it.
type Decoder interface {
	Decode(raw []byte) (Draft, error)
}

// Rejects are the lines that could not be stored, with the reasons, kept so that they
// can be mended and imported again.
type Rejects interface {
	// Keep adds the lines; they are safe when it returns.
	Keep(ctx context.Context, lines []Reject) error
	// Length is how long what is kept is: bytes. Whoever opens the rejects with it later
	// finds what was kept by then, and nothing else.
	Length() int64
	Close() error
}

// Reject is a line that could not be stored.
type Reject struct {
	RawLine
	Reason string       // a sentence about the whole line; empty: Fields say it all
	Fields fault.Fields // what is wrong with which field
}
