package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"path"

	"plaza/domain/instant"
	"plaza/domain/media"
)

// namesPerRead is how many names of a folder are read at once. A folder may have any number.
const namesPerRead = 256

// errEnough ends the iteration when the caller stops.
var errEnough = errors.New("enough")

// All implements media.Store. It lists the files that Open would open in the folders of the
// audiences. It skips links and files in other places, because Put does not make them.
func (s *Store) All(ctx context.Context) iter.Seq2[media.Stored, error] {
	return func(yield func(media.Stored, error) bool) {
		for _, a := range []media.Audience{media.Everyone, media.Viewers} {
			err := s.walk(ctx, a, yield)
			if errors.Is(err, errEnough) {
				return
			}
			if err != nil {
				yield(media.Stored{}, err)
				return
			}
		}
	}
}

func (s *Store) walk(ctx context.Context, a media.Audience, yield func(media.Stored, error) bool) error {
	folder := path.Clean(string(media.KeyAt(a, "")))
	return s.each(ctx, folder, func(spread fs.DirEntry) error {
		if len(spread.Name()) != prefixLength {
			return nil
		}
		return s.each(ctx, path.Join(folder, spread.Name()), func(f fs.DirEntry) error {
			key := media.KeyAt(a, f.Name())
			if _, ok := key.Type(); !ok || path.Base(path.Dir(file(key))) != spread.Name() {
				return nil
			}
			info, err := f.Info() // for a link, of the link itself
			if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
				return nil
			}
			if err != nil {
				return err
			}
			if !yield(media.Stored{Key: key, Since: instant.Normalise(info.ModTime())}, nil) {
				return errEnough
			}
			return nil
		})
	})
}

// each calls fn for the entries of the folder, reading a few at a time. A missing folder
// counts as empty.
func (s *Store) each(ctx context.Context, folder string, fn func(fs.DirEntry) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := s.root.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := s.root.Open(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	for {
		entries, err := f.ReadDir(namesPerRead)
		for _, entry := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(entry); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("reading a folder of pictures: %w", err)
		}
	}
}
