package disk

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"slices"

	"plaza/domain/instant"
	"plaza/domain/media"
)

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
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(media.Stored{}, err)
		}
	}
}

// errStopped ends the walk of a caller that has stopped.
var errStopped = errors.New("stopped")
