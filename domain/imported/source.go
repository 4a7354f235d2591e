package imported

import (
	"context"
	"errors"
	"io"

	"plaza/domain/fault"
)

// Faults of files.
var (
	ErrNoFile = fault.New(fault.NotFound, "File not found.")
	// ErrDamaged is the error of a file that cannot be read to its end. The lines read
	// before stay valid.
	ErrDamaged = errors.New("the file is damaged")
)

// Position is how far a file has been read: the number and the end of whole lines.
type Position struct {
	Lines  int64 `json:"lines"`
	Offset int64 `json:"offset"` // bytes after decompression
	// Print is a fingerprint of the bytes before the offset. It detects a different file
	// of the same name.
	Print []byte `json:"print"`
}

// RawLine is an undecoded line of the file, without its line ending.
type RawLine struct {
	Number int64
	Raw    []byte
	// TooLong reports that Raw has only the beginning; Offset and Length locate the
	// whole line in the file.
	TooLong        bool
	Offset, Length int64 // bytes
	// End is the position after the line.
	End Position
}

// File is a file of records, read once from its beginning.
type File interface {
	// Name returns the same name whenever the file is opened. It is empty for the
	// standard input, which cannot be opened again.
	Name() string
	// Skip moves to the position. If the position belongs to another file, Skip must
	// return false and not move.
	Skip(ctx context.Context, p Position) (bool, error)
	// Next returns the next line that is not blank, or io.EOF at the end. It must return
	// an error that wraps ErrDamaged if the file ends too early. Later calls must not
	// change a returned line.
	Next(ctx context.Context) (RawLine, error)
	// Size returns the number of bytes read and the size of the file, both as stored on
	// the disk. A zero size is unknown.
	Size() (read, size int64)
	// OpenCover opens a file in the folder of this one or below. It returns a fault if
	// the file does not exist or is elsewhere.
	OpenCover(name string) (io.ReadCloser, error)
	Close() error
}

// Decoder decodes lines into drafts.
type Decoder interface {
	// Decode returns the draft of the line, or a fault. If the fault is on fields,
	// Decode also returns the draft of all other fields.
	Decode(raw []byte) (Draft, error)
}

// Rejects stores the lines that could not be imported, with the reasons, so that they
// can be corrected and imported again.
type Rejects interface {
	// Keep appends the lines. They must be durable when Keep returns.
	Keep(ctx context.Context, lines []Reject) error
	// Length returns the length of the stored rejects in bytes. Opening the rejects with
	// that length later must truncate everything added since.
	Length() int64
	Close() error
}

// Reject is a line that could not be stored.
type Reject struct {
	RawLine
	Reason string       // a sentence about the whole line; empty: Fields say everything
	Fields fault.Fields // sentences about single fields
}
