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

// RawLine is an undecoded line of the file, without its line ending.
type RawLine struct {
	Number int64 // the first is 1
	Raw    []byte
	// TooLong reports that Raw is nil; Offset and Length locate the line in the file.
	TooLong        bool
	Offset, Length int64 // bytes, after decompression
}

// File is a file of records, which can be read again and again.
type File interface {
	// Name returns the same name whenever the file is opened. It is empty for the
	// standard input, which cannot be opened again.
	Name() string
	// Version returns a text that is the same whenever the file is opened, until it is
	// changed. That of the standard input is never the same.
	Version() string
	// Begin moves to the beginning of the file, and then behind that many lines.
	Begin(ctx context.Context, lines int64) error
	// Next returns the next line that is not blank, or io.EOF at the end. It must return
	// an error that wraps ErrDamaged if the file ends too early. Later calls must not
	// change a returned line.
	Next(ctx context.Context) (RawLine, error)
	// Size returns the number of bytes read since Begin and the size of the file, both as
	// stored on the disk. A zero size is unknown. Size is called while Next runs.
	Size() (read, size int64)
	// OpenCover opens a file in the folder of this one or below. It returns a fault if
	// the file does not exist or is elsewhere.
	OpenCover(name string) (io.ReadCloser, error)
	Close() error
}

// Decoder decodes lines into drafts.
type Decoder interface {
	// Decode returns the draft of the line, or a fault. If the fault is on fields,
	// Decode also returns the draft of all other fields. It returns neither if the line is
	// of none of the wanted kinds; without any, all are wanted.
	Decode(raw []byte, wanted ...Kind) (Draft, error)
}

// Rejects stores the lines that could not be imported, with the reasons, so that they
// can be corrected and imported again.
type Rejects interface {
	// Keep appends the lines. They must be durable when Keep returns.
	Keep(lines []Reject) error
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
