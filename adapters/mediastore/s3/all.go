package s3

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/minio/minio-go/v7"

	"plaza/domain/instant"
	"plaza/domain/media"
)

// page is how many objects are requested at once, S3's maximum.
const page = 1000

var errOrder = errors.New("the list is not in order")

// All implements media.Store. It requests a page when the caller has consumed the one
// before, so slow callers are fine.
func (s *Store) All(ctx context.Context) iter.Seq2[media.Stored, error] {
	return func(yield func(media.Stored, error) bool) {
		for _, a := range []media.Audience{media.Everyone, media.Viewers} {
			folder := s.object(media.KeyAt(a, ""))
			for after, more := "", true; more; {
				var pictures []media.Stored
				var err error
				pictures, after, more, err = s.list(ctx, folder, after)
				for _, p := range pictures {
					if err = ctx.Err(); err != nil {
						break
					}
					if !yield(p, nil) {
						return
					}
				}
				if err != nil {
					yield(media.Stored{}, fmt.Errorf("listing the pictures: %w", explain(ctx, err)))
					return
				}
			}
		}
	}
}

// list returns a page of the folder's pictures after the object, the last object on it, and
// whether more may follow.
func (s *Store) list(ctx context.Context, folder, after string) (pictures []media.Stored, last string, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	withoutOwner, seen := false, 0
	for o := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{
		Prefix: folder, StartAfter: after, Recursive: true, MaxKeys: page, FetchOwner: &withoutOwner,
	}) {
		switch {
		case o.Err != nil:
			return nil, "", false, o.Err
		case o.Key <= after: // otherwise the listing might never end
			return nil, "", false, errOrder
		}
		after = o.Key
		key := media.Key(strings.TrimPrefix(o.Key, s.prefix))
		if _, ok := key.Type(); ok && strings.HasPrefix(o.Key, folder) {
			pictures = append(pictures, media.Stored{Key: key, Since: instant.Normalise(o.LastModified)})
		}
		if seen++; seen == page {
			return pictures, after, true, nil
		}
	}
	// A cancelled list looks like a complete one.
	return pictures, after, false, ctx.Err()
}
