// Package disk stores pictures in a folder, one file each.
//
// A file is named by its key and lies in a subfolder of its audience's folder. It gets that
// name only when all its bytes are on the disk, and never changes. Nothing outside the
// folder is read or written. Only files with the form of a key are served.
package disk

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/media"
)

// incoming is the folder of files that are being written. No audience has it.
const incoming = "incoming"

// abandoned is the age at which an incoming file has no writer any more.
const abandoned = time.Hour

// prefixLength is how many letters of a key name its subfolder.
const prefixLength = 2

// file returns the path of the key's picture. Subfolders keep each folder small.
func file(key media.Key) string {
	folder, name := path.Split(string(key))
	return path.Join(folder, name[:prefixLength], name)
}

// Store implements media.Store.
type Store struct {
	media.Addresses
	root *os.Root
}

// New opens the folder and makes it if necessary.
func New(dir string, a media.Addresses) (*Store, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{Addresses: a, root: root}
	if err := s.clear(); err != nil && !errors.Is(explain(err), ErrDenied) { // of which Check tells; pictures are shown all the same
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

// Check returns ErrDenied if the process may not write into the folder. A full disk is no fault: pictures
// are shown all the same.
func (s *Store) Check() error {
	name := path.Join(incoming, "check-"+rand.Text())
	err := s.makeFolder(incoming)
	if err == nil {
		var f *os.File
		if f, err = s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640); err == nil { // not synced: probes are frequent
			err = errors.Join(f.Close(), s.root.Remove(name))
		}
	}
	if err = explain(err); errors.Is(err, ErrDenied) {
		return err
	}
	return nil
}

// makeFolder makes the folder of that name, if it is missing, with the owner of the folder of all pictures.
func (s *Store) makeFolder(name string) error {
	if _, err := s.root.Lstat(name); err == nil {
		return nil
	}
	if parent := path.Dir(name); parent != "." {
		if err := s.makeFolder(parent); err != nil {
			return err
		}
	}
	if err := s.root.Mkdir(name, 0o750); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return s.give(name)
}

// give gives a file or folder to the owner of the folder of all pictures, if this process is root.
func (s *Store) give(name string) error {
	folder, err := s.root.Stat(".")
	if err != nil {
		return err
	}
	if uid, gid, differs := ownerOf(folder); differs {
		return s.root.Lchown(name, uid, gid)
	}
	return nil
}

// Close closes the folder. Files opened before can still be read.
func (s *Store) Close() error { return s.root.Close() }

// clear makes the folder of incoming files. It removes files that a killed server left
// behind, but not those that other servers are writing.
func (s *Store) clear() error {
	if err := s.makeFolder(incoming); err != nil {
		return err
	}
	files, err := fs.ReadDir(s.root.FS(), incoming)
	if err != nil {
		return err
	}
	for _, f := range files {
		info, err := f.Info() // of a file that is missing, its writer has just finished
		if err == nil && time.Since(info.ModTime()) > abandoned {
			err = s.root.Remove(path.Join(incoming, f.Name()))
		}
		if ignoreMissing(err) != nil {
			return err
		}
	}
	return nil
}

func (s *Store) Put(ctx context.Context, key media.Key, content []byte) error {
	if _, isKey := key.Type(); !isKey {
		return cmp.Or(ctx.Err(), media.ErrNoKey)
	}
	return s.store(ctx, file(key), content, s.root.Rename)
}

func (s *Store) Mark(ctx context.Context, first string) (string, error) {
	text, err := s.root.ReadFile(media.MarkName)
	if errors.Is(err, fs.ErrNotExist) && first != "" {
		if err := s.store(ctx, media.MarkName, []byte(first+"\n"), s.link); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
		text, err = s.root.ReadFile(media.MarkName)
	}
	return strings.TrimSpace(string(text)), cmp.Or(ctx.Err(), ignoreMissing(err))
}

func (s *Store) SetMark(ctx context.Context, mark string) error {
	return s.store(ctx, media.MarkName, []byte(mark+"\n"), s.root.Rename)
}

// link gives the file a name that no other has. A file system without links can't exclude that two processes do so at once.
func (s *Store) link(temporary, name string) error {
	err := s.root.Link(temporary, name)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return s.root.Rename(temporary, name)
	}
	return errors.Join(err, s.root.Remove(temporary))
}

// store writes the file under another name, which no other call has, and then gives it its own.
func (s *Store) store(ctx context.Context, name string, content []byte, give func(temporary, name string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	temporary := path.Join(incoming, path.Base(name)+"-"+rand.Text())
	err := s.write(temporary, content)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = s.publish(temporary, name, give)
	}
	if err != nil {
		return explain(errors.Join(err, ignoreMissing(s.root.Remove(temporary))))
	}
	return nil
}

// Faults of a disk that takes no picture. They wrap the cause for the log.
var (
	// ErrFull is the fault of a disk that is full.
	ErrFull = fault.RetryAfter(fault.Unavailable, time.Minute, "The server's disk is full. Try again later.")
	// ErrDenied is the fault of a folder that this process may not write into, or that is read-only.
	ErrDenied = fault.RetryAfter(fault.Unavailable, time.Minute, "The server can't store pictures right now. Try again later.")
)

// explain turns an error of the file system into a fault.
func explain(err error) error {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
	}
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) { // also EPERM
		return fmt.Errorf("%w: %w", ErrDenied, err)
	}
	return err
}

// write makes a file whose bytes are on the disk when write returns.
func (s *Store) write(name string, content []byte) error {
	if err := s.makeFolder(path.Dir(name)); err != nil {
		return err
	}
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return err
	}
	if err = s.give(name); err == nil {
		_, err = f.Write(content)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// publish gives the file its name so that a power failure can't undo it: it also syncs the folder.
func (s *Store) publish(temporary, name string, give func(temporary, name string) error) error {
	folder := path.Dir(name)
	if err := s.makeFolder(folder); err != nil {
		return err
	}
	if err := give(temporary, name); err != nil {
		return err
	}
	for ; ; folder = path.Dir(folder) {
		if err := s.syncFolder(folder); err != nil {
			return errors.Join(err, s.root.Remove(name))
		}
		if folder == "." {
			return nil
		}
	}
}

// syncFolder does nothing on Windows, which syncs no folders: NTFS has a journal of names.
func (s *Store) syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := s.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (s *Store) Open(ctx context.Context, key media.Key) (media.File, error) {
	if err := ctx.Err(); err != nil {
		return media.File{}, err
	}
	kind, ok := key.Type()
	if !ok {
		return media.File{}, media.ErrNotFound
	}
	// Put makes regular files only, and opening another kind might block for ever.
	info, err := s.root.Lstat(file(key))
	if err == nil && !info.Mode().IsRegular() {
		return media.File{}, media.ErrNotFound
	}
	var f *os.File
	if err == nil {
		f, err = s.root.Open(file(key))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return media.File{}, media.ErrNotFound
	}
	if err != nil {
		return media.File{}, err
	}
	return media.File{ReadSeekCloser: f, Type: kind, Bytes: info.Size(), Modified: instant.Normalise(info.ModTime())}, nil
}

func (s *Store) Remove(ctx context.Context, key media.Key) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, ok := key.Type(); !ok {
		return nil
	}
	return ignoreMissing(s.root.Remove(file(key)))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// folders are those of the audiences.
var folders = []string{path.Clean(string(media.KeyAt(media.Everyone, ""))), path.Clean(string(media.KeyAt(media.Viewers, "")))}

// All implements media.Store. It lists the files that Open would open. It skips links and files
// in other places, because Put does not make them.
func (s *Store) All(ctx context.Context) iter.Seq2[media.Stored, error] {
	return func(yield func(media.Stored, error) bool) {
		err := fs.WalkDir(s.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
			if err = cmp.Or(ctx.Err(), err); err != nil {
				return ignoreMissing(err)
			}
			if entry.IsDir() && name != "." && path.Dir(name) == "." && !slices.Contains(folders, name) {
				return fs.SkipDir
			}
			folder, own := path.Split(name)
			key := media.Key(path.Join(path.Dir(path.Clean(folder)), own))
			if _, isKey := key.Type(); !isKey || file(key) != name || !entry.Type().IsRegular() {
				return nil
			}
			info, err := entry.Info()
			if err != nil {
				return ignoreMissing(err)
			}
			if !yield(media.Stored{Key: key, Since: instant.Normalise(info.ModTime())}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(media.Stored{}, err)
		}
	}
}
