package jsonlines

import (
	"bytes"
	"context"
	"io"

	"plaza/domain/imported"
)

// Skip implements imported.File. If the last line had no end, Skip also accepts an end that
// was added later. If more of the line was added, it reports another file.
func (f *File) Skip(ctx context.Context, p imported.Position) (bool, error) {
	if p.Offset == 0 && p.Lines == 0 {
		return true, f.rewind()
	}
	if f.file == nil || p.Offset <= 0 || p.Lines <= 0 {
		return false, nil
	}
	there, err := f.seekTo(ctx, p)
	if err != nil {
		return false, err
	}
	if !there {
		return false, f.rewind()
	}
	f.lines = p.Lines
	return true, nil
}

func (f *File) seekTo(ctx context.Context, p imported.Position) (bool, error) {
	if near, err := f.seekNear(p.Offset); err != nil || !near {
		return false, err
	}
	if there, err := f.window.discard(ctx, p.Offset); err != nil || !there {
		return false, err
	}
	if !bytes.Equal(f.window.print(), p.Print) {
		return false, nil
	}
	if f.window.buf[f.window.start-1] == '\n' {
		return true, nil
	}
	if err := f.window.ensure(ctx, len("\r\n")); err != nil {
		return false, err
	}
	rest := f.window.rest()
	for _, end := range []string{"\n", "\r\n"} {
		if bytes.HasPrefix(rest, []byte(end)) {
			f.window.start += len(end)
			return true, nil
		}
	}
	return len(rest) == 0, nil
}

// seekNear restarts reading as close before the offset as the fingerprint permits. It reports
// false if the file is known to end before it.
func (f *File) seekNear(offset int64) (bool, error) {
	if !f.plain {
		return true, f.rewind()
	}
	info, err := f.file.Stat()
	if err != nil || info.Size() < offset {
		return false, err
	}
	return true, f.from(max(0, offset-printLength))
}

// rewind returns to the start of a source that can be read more than once.
func (f *File) rewind() error {
	if f.file == nil {
		return nil
	}
	return f.from(0)
}

func (f *File) from(offset int64) error {
	if _, err := f.file.Seek(offset, io.SeekStart); err != nil {
		return err
	}
	f.raw.read.Store(offset)
	f.lines, f.ended = 0, nil
	f.begin(offset)
	return nil
}

func (f *File) begin(offset int64) {
	if f.plain {
		f.window.begin(f.raw, offset)
	} else {
		f.window.begin(newStream(f.raw), offset)
	}
}
