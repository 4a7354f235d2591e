// Package disk keeps pictures in a folder, one file each.
//
// A file has its key as its name, below the folder of its audience, and is spread
// over subfolders. It appears there under its name when all of it is on the disk,
// and never changes. Nothing outside the folder is ever read or written, and
// inside it only what has the form of a key is served.
package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/secret"
)

// minKey is the least number of bytes of the key for signing: with fewer,
// signatures could be guessed.
const minKey = 16

// incoming is the folder of the files that are being written. It is no audience's.
const incoming = "incoming"

// abandoned is the age of an incoming file that nobody is writing any more.
const abandoned = time.Hour

// spreading is how many of a key's letters are the name of its subfolder.
const spreading = 2

// file is where the picture with the key is: spread over subfolders, so that none
// gets too full.
func file(key media.Key) string {
	folder, name := path.Split(string(key))
	return path.Join(folder, name[:spreading], name)
}

// Store implements media.Store.
type Store struct {
	media.Addresses
	root *os.Root
}

// New opens the folder, and makes it when it is not there. Addresses are under
// the public one and signed with the key.
func New(dir, publicURL string, key []byte) (*Store, error) {
	if len(key) < minKey {
		return nil, fmt.Errorf("the key for signing addresses has %d bytes, fewer than %d", len(key), minKey)
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{Addresses: media.NewAddresses(publicURL, secret.New(string(key))), root: root}
	if err := s.clear(); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

// Close gives the folder back. What was opened before can still be read.
func (s *Store) Close() error { return s.root.Close() }

// clear makes the folder of incoming files, or rids it of those that a server
// left behind when it was killed. Other servers may be writing theirs.
func (s *Store) clear() error {
	if err := s.root.MkdirAll(incoming, 0o750); err != nil {
		return err
	}
	files, err := fs.ReadDir(s.root.FS(), incoming)
	if err != nil {
		return err
	}
	for _, f := range files {
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // its writer has just finished
		}
		if err != nil {
			return err
		}
		if time.Since(info.ModTime()) > abandoned {
			if err := ignoreMissing(s.root.Remove(path.Join(incoming, f.Name()))); err != nil {
				return err
			}
		}
	}
	return nil
}

// Put implements media.Store.
func (s *Store) Put(ctx context.Context, u media.Upload, a media.Audience) (media.Key, error) {
	key, err := media.NewKey(a, u.Type)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return "", err
	}
	temporary := path.Join(incoming, path.Base(string(key)))
	err = s.write(temporary, u.Bytes)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = s.publish(temporary, file(key))
	}
	if err != nil {
		return "", explain(errors.Join(err, ignoreMissing(s.root.Remove(temporary))))
	}
	return key, nil
}

// ErrFull is the fault of a disk that takes no more, or must not be written to. The
// cause is wrapped beside it, for the log.
var ErrFull = fault.RetryAfter(fault.Unavailable, time.Minute, "Nothing can be stored right now. Try again later.")

// explain turns an error of the file system into what a caller can use.
func explain(err error) error {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EFBIG} {
		if errors.Is(err, full) {
			return fmt.Errorf("%w: %w", ErrFull, err)
		}
	}
	return err
}

// write makes a file that is on the disk when write returns.
func (s *Store) write(name string, content []byte) error {
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// publish gives the file its name, so that not even a failure of power takes it
// away again: a folder is a file as well, which has to reach the disk.
func (s *Store) publish(temporary, name string) error {
	folder := path.Dir(name)
	if err := s.root.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	if err := s.root.Rename(temporary, name); err != nil {
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

func (s *Store) syncFolder(name string) error {
	f, err := s.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Open implements media.Store.
func (s *Store) Open(ctx context.Context, key media.Key) (media.File, error) {
	if err := ctx.Err(); err != nil {
		return media.File{}, err
	}
	kind, ok := key.Type()
	if !ok {
		return media.File{}, media.ErrNotFound
	}
	// What is no plain file was not put here, and opening it might wait for ever.
	info, err := s.root.Lstat(file(key))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return media.File{}, media.ErrNotFound
	}
	if err != nil {
		return media.File{}, err
	}
	f, err := s.root.Open(file(key))
	if errors.Is(err, fs.ErrNotExist) {
		return media.File{}, media.ErrNotFound
	}
	if err != nil {
		return media.File{}, err
	}
	return media.File{ReadSeekCloser: f, Type: kind, Modified: instant.Normalise(info.ModTime())}, nil
}

// Remove implements media.Store.
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
