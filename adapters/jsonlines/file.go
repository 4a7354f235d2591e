package jsonlines

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"plaza/domain/fault"
	"plaza/domain/imported"
)

const (
	// MaxLine is the maximum length of a line without its end, in bytes.
	MaxLine = 4 << 20
	// Beginning is how much of a longer line is kept, in bytes.
	Beginning = 1 << 10
)

// byteOrderMark precedes UTF-8 text of some editors.
const byteOrderMark = "\ufeff"

// File implements imported.File.
type File struct {
	name string
	file *os.File // nil: the source can be read only once
	size int64    // at opening; 0: unknown
	raw  *counted
	// plain means that the file is known not to be a gzip, so reading can start anywhere.
	plain bool
	covers

	window window
	lines  int64 // number of lines returned, including blank ones
	ended  error
}

// Open opens a file. It recognises gzip by the content, not by the name. It returns
// imported.ErrNoFile if the file does not exist. Other unusable paths are other faults.
func Open(path string) (imported.File, error) {
	name, err := filepath.Abs(path)
	if err == nil {
		name, err = filepath.EvalSymlinks(name)
	}
	if err != nil {
		return nil, notOpened(path, err)
	}
	// Opening a pipe would block until it has a writer.
	if info, err := os.Stat(name); err != nil {
		return nil, notOpened(path, err)
	} else if err := regular(info); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, notOpened(path, err)
	}
	f, err := newFile(name, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, file.Close()))
	}
	return f, nil
}

func newFile(name string, file *os.File) (*File, error) {
	info, err := file.Stat()
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, err
	}
	first := make([]byte, 1)
	n, err := file.ReadAt(first, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	f := &File{
		name: name, file: file, size: info.Size(), raw: &counted{Reader: file},
		plain: n == 0 || first[0] != magic[0], covers: openCovers(filepath.Dir(name)),
	}
	f.begin(0)
	return f, nil
}

// Standard reads records from the standard input, which may be a gzip. folder has the
// covers; without one there are no covers. Standard does not close the reader.
func Standard(r io.Reader, folder string) imported.File {
	f := &File{raw: &counted{Reader: r}}
	if folder != "" {
		f.covers = openCovers(folder)
	}
	f.begin(0)
	return f
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return fault.New(fault.Invalid, "This is a folder, not a file.")
	case !info.Mode().IsRegular():
		return fault.New(fault.Invalid, "This is not a regular file. Pass a pipe as the standard input.")
	}
	return nil
}

func notOpened(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", path, imported.ErrNoFile)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: %w", path, fault.New(fault.Denied, "Permission to read the file was denied."))
	}
	return fmt.Errorf("opening a file of records: %w", err)
}

// Name implements imported.File.
func (f *File) Name() string { return f.name }

// Size implements imported.File. It is safe to call while the file is being read.
func (f *File) Size() (read, size int64) {
	read = f.raw.read.Load()
	if f.size == 0 {
		return read, 0
	}
	return read, max(read, f.size)
}

// Close implements imported.File.
func (f *File) Close() error {
	err := f.covers.Close()
	if f.file != nil {
		err = errors.Join(err, f.file.Close())
	}
	return err
}

// Next implements imported.File.
func (f *File) Next(ctx context.Context) (imported.RawLine, error) {
	if f.ended != nil {
		return imported.RawLine{}, f.ended
	}
	if err := f.dropMark(ctx); err != nil {
		return imported.RawLine{}, err
	}
	for {
		offset := f.window.offset()
		line, err := f.window.line(ctx)
		if err != nil {
			return imported.RawLine{}, err
		}
		if !line.whole {
			if f.ended = f.end(); f.ended != io.EOF || line.length == 0 {
				return imported.RawLine{}, f.ended
			}
		}
		f.lines++
		if line.length <= MaxLine && len(bytes.TrimSpace(line.text)) == 0 {
			if f.ended != nil {
				return imported.RawLine{}, f.ended
			}
			continue
		}
		return f.rawLine(line, offset), nil
	}
}

func (f *File) rawLine(line segment, offset int64) imported.RawLine {
	tooLong := line.length > MaxLine
	if tooLong {
		line.text = line.text[:Beginning]
	}
	return imported.RawLine{
		Number: f.lines, Raw: bytes.Clone(line.text), TooLong: tooLong, Offset: offset, Length: line.length,
		End: imported.Position{Lines: f.lines, Offset: f.window.offset(), Print: f.window.print()},
	}
}

func (f *File) dropMark(ctx context.Context) error {
	if f.window.offset() > 0 {
		return nil
	}
	if err := f.window.ensure(ctx, len(byteOrderMark)); err != nil {
		return err
	}
	if bytes.HasPrefix(f.window.rest(), []byte(byteOrderMark)) {
		f.window.start += len(byteOrderMark)
	}
	return nil
}

// end returns why reading ended: io.EOF, or a description of the damage.
func (f *File) end() error {
	err := f.window.err
	var what string
	switch {
	case f.shrank():
		what = "the file shrank while it was read"
	case err == io.EOF:
		return io.EOF
	case errors.Is(err, io.ErrUnexpectedEOF):
		what = "the gzip is truncated"
	case isBroken(err):
		what = "the gzip is corrupt"
	default:
		what = "the file can't be read"
	}
	return fmt.Errorf("%w: %s, after line %d: %w", imported.ErrDamaged, what, f.lines, err)
}

// shrank reports whether the file has fewer bytes than at opening.
func (f *File) shrank() bool {
	if f.file == nil {
		return false
	}
	info, err := f.file.Stat()
	return err == nil && info.Size() < max(f.size, f.raw.read.Load())
}

func isBroken(err error) bool {
	_, isCorrupt := errors.AsType[flate.CorruptInputError](err)
	return isCorrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum)
}
