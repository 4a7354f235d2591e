package jsonlines

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"plaza/domain/fault"
	"plaza/domain/imported"
)

// MaxLine is the maximum length of a line without its end, in bytes.
const MaxLine = 4 << 20

// magic is the first byte of a gzip. No text begins with it, and a truncated gzip may have no more.
const magic = "\x1f"

// byteOrderMark precedes UTF-8 text of some editors.
const byteOrderMark = "\ufeff"

// readSize is how many bytes are read at a time.
const readSize = 256 << 10

// File implements imported.File.
type File struct {
	name    string
	version string
	file    *os.File // nil: the standard input
	size    int64    // at opening; 0: unknown
	source  io.ReadSeeker
	closer  io.Closer
	raw     counted // reads the source
	folder  string  // of the covers; empty: none

	in     *bufio.Reader // nil: nothing was read
	text   []byte        // buffer of a line
	offset int64         // of the next line
	lines  int64         // number of lines read, including blank ones
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
	info, err := os.Stat(name)
	if err != nil {
		return nil, notOpened(path, err)
	}
	// Opening a pipe would block until it has a writer.
	if info.IsDir() {
		return nil, fmt.Errorf("%s: %w", path, fault.New(fault.Invalid, "This is a folder, not a file."))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, fault.New(fault.Invalid, "This is not a regular file. Pass a pipe as the standard input."))
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, notOpened(path, err)
	}
	f := &File{
		name: name, version: fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano)),
		file: file, size: info.Size(), closer: file, folder: filepath.Dir(name),
		source: io.NewSectionReader(file, 0, info.Size()), // what is appended later is not read
	}
	f.start()
	return f, nil
}

// Standard reads records from the standard input, which may be a gzip. folder has the
// covers; without one there are no covers. Standard does not close the reader.
func Standard(r io.Reader, folder string) imported.File {
	input := &spool{in: r}
	f := &File{version: rand.Text(), source: input, closer: input, folder: folder}
	f.start()
	return f
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

func (f *File) Name() string { return f.name }

// Version implements imported.File: the size and the time of the last change.
func (f *File) Version() string { return f.version }

// Size implements imported.File. It is safe to call while the file is being read.
func (f *File) Size() (read, size int64) {
	return f.raw.read.Load(), f.size
}

func (f *File) Close() error { return f.closer.Close() }

func (f *File) Begin(ctx context.Context, lines int64) error {
	if _, err := f.source.Seek(0, io.SeekStart); err != nil {
		return err
	}
	f.start()
	for f.lines < lines {
		if _, err := f.line(ctx); err != nil {
			return err
		}
	}
	return nil
}

// start begins to read the source at its beginning.
func (f *File) start() {
	f.raw.Reader = f.source
	f.raw.read.Store(0)
	f.in, f.offset, f.lines, f.ended = nil, 0, 0, nil
}

// open detects a gzip. It does so at the first read, so that opening a terminal as the standard
// input does not block.
func (f *File) open() error {
	f.in = bufio.NewReaderSize(&f.raw, readSize)
	if first, _ := f.in.Peek(1); string(first) != magic {
		return nil
	}
	content, err := gzip.NewReader(f.in)
	if err == nil {
		f.in = bufio.NewReaderSize(content, readSize)
	}
	return err
}

func (f *File) Next(ctx context.Context) (imported.RawLine, error) {
	for {
		line, err := f.line(ctx)
		if err != nil {
			return imported.RawLine{}, err
		}
		if line.TooLong || len(bytes.TrimSpace(line.Raw)) > 0 {
			line.Raw = bytes.Clone(line.Raw)
			return line, nil
		}
	}
}

// line returns the next line, whose text is valid until the next call.
func (f *File) line(ctx context.Context) (imported.RawLine, error) {
	line := imported.RawLine{Offset: f.offset}
	ending, err := f.read(ctx)
	if err != nil {
		return line, err
	}
	f.lines++
	line.Number, line.Raw = f.lines, f.text
	if f.lines == 1 && bytes.HasPrefix(f.text, []byte(byteOrderMark)) {
		line.Raw, line.Offset = f.text[len(byteOrderMark):], int64(len(byteOrderMark))
	}
	line.Length = f.offset - line.Offset - ending
	if line.TooLong = line.Length > MaxLine; line.TooLong {
		line.Raw = nil
	} else {
		line.Raw = line.Raw[:line.Length]
	}
	return line, nil
}

// read reads a line, of which it keeps a little more than the longest may have, and returns the
// length of its ending.
func (f *File) read(ctx context.Context) (ending int64, err error) {
	if f.ended == nil && f.in == nil {
		if err := f.open(); err != nil {
			f.ended = f.end(err)
		}
	}
	f.text = f.text[:0]
	var last byte // before the part
	for from := f.offset; f.ended == nil; {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		part, err := f.in.ReadSlice('\n')
		f.offset += int64(len(part))
		if len(f.text) <= MaxLine {
			f.text = append(f.text, part...)
		}
		switch {
		case err == nil && (bytes.HasSuffix(part, []byte("\r\n")) || len(part) == 1 && last == '\r'):
			return 2, nil
		case err == nil:
			return 1, nil
		case err != bufio.ErrBufferFull:
			if f.ended = f.end(err); f.ended == io.EOF && f.offset > from {
				return 0, nil // the last line has no ending
			}
		default:
			last = part[len(part)-1]
		}
	}
	return 0, f.ended
}

// end returns why reading ended with the error: io.EOF, or a description of the damage.
func (f *File) end(err error) error {
	var what string
	switch {
	case f.shrank():
		what = "the file shrank while it was read"
	case err == io.EOF || errors.Is(err, errTemporary):
		return err
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

// OpenCover implements imported.File. Names can't lead out of the folder.
func (f *File) OpenCover(name string) (io.ReadCloser, error) {
	if f.folder == "" {
		return nil, fault.New(fault.NotFound, "Records from the standard input have no folder of covers.")
	}
	root, err := os.OpenRoot(f.folder)
	if err != nil {
		return nil, fmt.Errorf("opening the covers' folder: %w", err)
	}
	defer root.Close()
	// Opening a pipe would block until it has a writer.
	if info, err := root.Stat(name); err != nil {
		return nil, noCover(name, err)
	} else if !info.Mode().IsRegular() {
		return nil, fault.New(fault.Invalid, "This is not a regular file.")
	}
	file, err := root.Open(name)
	if err != nil {
		return nil, noCover(name, err)
	}
	return file, nil
}

// unrelatedErrors are errors that the name does not cause.
var unrelatedErrors = []error{syscall.EIO, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.EINTR, syscall.ESTALE, fs.ErrClosed}

func noCover(name string, err error) error {
	switch {
	case slices.ContainsFunc(unrelatedErrors, func(our error) bool { return errors.Is(err, our) }):
		return fmt.Errorf("opening cover %q: %w", name, err)
	case errors.Is(err, fs.ErrPermission):
		return fault.New(fault.Denied, "Permission to read the file was denied.")
	}
	return fault.New(fault.NotFound, "File not found in the folder of the records or below it.")
}
