package jsonlines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"plaza/domain/fault"
	"plaza/domain/imported"
)

const rejectsSuffix = ".rejects.jsonl"

// RejectsPath returns the path of the file's rejects: a.rejects.jsonl beside it for a.jsonl,
// a.jsonl.gz and a.ndjson.
func RejectsPath(path string) string {
	stem := strings.TrimSuffix(path, ".gz")
	for _, known := range []string{".jsonl", ".ndjson"} {
		if cut, is := strings.CutSuffix(stem, known); is && filepath.Base(stem) != known {
			return cut + rejectsSuffix
		}
	}
	return path + rejectsSuffix
}

// Rejects implements imported.Rejects: a file with one line for each.
type Rejects struct {
	path   string
	of     string
	length int64
	file   *os.File // nil: not opened yet
}

// OpenRejects opens the rejects of the file named of. The file at the path is made with the
// first reject. With length 0 it begins anew and renames an existing file to a name with a
// number. To continue, pass the former Length; later rejects are dropped.
func OpenRejects(path, of string, length int64) (imported.Rejects, error) {
	if length < 0 {
		return nil, fmt.Errorf("%s: negative length %d", path, length)
	}
	r := &Rejects{path: path, of: of, length: length}
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if length == 0 {
			return r, nil
		}
		err = fault.New(fault.Conflict, "The rejects file is missing.")
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fault.New(fault.Invalid, "The path of the rejects is not a regular file.")
	}
	if err == nil && length > 0 {
		err = r.resume(info.Size())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// resume opens the file of that size and truncates it to the length.
func (r *Rejects) resume(size int64) error {
	if size < r.length {
		return fault.Newf(fault.Conflict, "The rejects file has %d bytes, fewer than the %d that were written.", size, r.length)
	}
	file, err := os.OpenFile(r.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	end := make([]byte, 1)
	if _, err = file.ReadAt(end, r.length-1); err == nil && end[0] != '\n' {
		err = fault.Newf(fault.Conflict, "The rejects file has changed: no line ends at byte %d.", r.length)
	}
	if err == nil {
		err = file.Truncate(r.length)
	}
	if err == nil {
		err = file.Sync()
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	r.file = file
	return nil
}

func (r *Rejects) Length() int64 { return r.length }

// Keep implements imported.Rejects. If it fails, the file is as before.
func (r *Rejects) Keep(lines []imported.Reject) error {
	if err := r.create(); err != nil {
		return fmt.Errorf("creating %s: %w", r.path, err)
	}
	written, err := r.write(lines)
	if err == nil {
		err = r.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", r.path, errors.Join(err, r.file.Truncate(r.length)))
	}
	r.length += written
	return nil
}

func (r *Rejects) write(lines []imported.Reject) (int64, error) {
	var written int64
	to := bufio.NewWriterSize(io.NewOffsetWriter(r.file, r.length), readSize)
	for _, line := range lines {
		text, err := encodeReject(r.of, line)
		if err != nil {
			return 0, err
		}
		n, err := to.Write(text)
		written += int64(n)
		if err != nil {
			return 0, err
		}
	}
	return written, to.Flush()
}

// create makes the file on the first call.
func (r *Rejects) create() error {
	if r.file != nil {
		return nil
	}
	if err := r.moveAside(); err != nil {
		return err
	}
	file, err := os.OpenFile(r.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return err
	}
	if err := syncFolder(filepath.Dir(r.path)); err != nil {
		return errors.Join(err, file.Close(), os.Remove(r.path))
	}
	r.file = file
	return nil
}

// moveAside renames an existing file to the first free name, like a.rejects.1.jsonl. It
// leaves an empty file where it is.
func (r *Rejects) moveAside() error {
	info, err := os.Lstat(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Size() == 0:
		return os.Remove(r.path)
	}
	ending := filepath.Ext(r.path)
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.%d%s", strings.TrimSuffix(r.path, ending), n, ending)
		_, err := os.Lstat(aside)
		if errors.Is(err, fs.ErrNotExist) {
			return os.Rename(r.path, aside)
		}
		if err != nil {
			return err
		}
	}
}

// syncFolder syncs the folder, so that a power failure can't remove files made in it. Windows
// syncs no folders: NTFS has a journal of names.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (r *Rejects) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
