package diary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Images implements userimage.Repository.
type Images struct {
	DB     *engine.DB
	Limits quota.Limits
}

// ImageRow is a user's image.
type ImageRow struct {
	bun.BaseModel `bun:"table:images,alias:i"`
	ID            userimage.ID `bun:",pk,autoincrement"`
	OwnerID       user.ID
	Key           media.Key
	Width         int
	Height        int
	Tags          []string `bun:",array"`
	Created       engine.Time
	Deleted       engine.Time
	Hidden        bool
	Revision      int64
	engine.PageRow
}

func (r ImageRow) Image() (userimage.Image, error) {
	tags, err := userimage.ParseTags(r.Tags)
	if err != nil {
		return userimage.Image{}, fmt.Errorf("image %d: %v", r.ID, err) // an internal error, not a fault
	}
	return userimage.Image{
		ID: r.ID, Owner: r.OwnerID, Key: r.Key, Width: r.Width, Height: r.Height, Tags: tags,
		Created: r.Created.Time, Deleted: r.Deleted.Time, Hidden: r.Hidden,
	}, nil
}

const (
	// countImage counts one more image of the owner $1, who has fewer than $2.
	countImage = `
		INSERT INTO image_counts AS c (owner_id, kept) VALUES ($1, 1)
		ON CONFLICT (owner_id) DO UPDATE SET kept = c.kept + 1 WHERE c.kept < $2`

	// insertImage stores an image: $1 owner, $2 key, $3 width, $4 height, $5 tags, $6 created.
	insertImage = `
		INSERT INTO images (owner_id, key, width, height, tags, created) VALUES ($1, $2, $3, $4, $5, $6)
		RETURNING id`

	// updateImage changes the image $1: $2 owner, $3 key, $4 width, $5 height, $6 tags, $7 created, $8 deleted, $9 whether it is
	// hidden.
	updateImage = `
		UPDATE images SET owner_id = $2, key = $3, width = $4, height = $5, tags = $6, created = $7, deleted = $8, hidden = $9,
			revision = revision + 1
		WHERE id = $1`

	// lockImage locks the image $1 and finds it.
	lockImage = `
		SELECT id, owner_id, key, width, height, tags, created, deleted, hidden, revision FROM images WHERE id = $1
		FOR UPDATE`
)

// Add counts the bytes and the image in the order in which a deletion takes them back, so that
// writers cannot deadlock. Concurrent calls for the owner wait for each other.
func (v Images) Add(ctx context.Context, i userimage.Image, charges ...ratelimit.Charge) (userimage.Image, error) {
	err := v.DB.Write(ctx, func(tx *engine.Tx) error {
		people.ChargeAll(tx, charges)
		people.CountPictures(tx, v.Limits, i.Owner, people.CountedPicture{Key: i.Key, Bytes: i.Bytes})
		tx.Queue(countImage, i.Owner, userimage.MaxImages).Must(userimage.ErrFull)
		tx.Queue(insertImage, i.Owner, i.Key, i.Width, i.Height, i.Tags.Names(), i.Created).Into((*int64)(&i.ID))
		if err := tx.Send(); err != nil {
			return err
		}
		people.CompleteKey(tx, i.Completes, idempotency.Image, int64(i.ID))
		return nil
	})
	i.Bytes, i.Completes = 0, nil
	return i, err
}

func (v Images) Get(ctx context.Context, id userimage.ID) (userimage.Image, error) {
	row, err := engine.SelectOne[ImageRow](ctx, v.DB, userimage.ErrNotFound, "id = ?", id)
	if err != nil {
		return userimage.Image{}, err
	}
	return row.Image()
}

func (v Images) Change(ctx context.Context, id userimage.ID, fn func(*userimage.Image) error) (next userimage.Image, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		old, err := loadImage(tx, id)
		if err != nil {
			return err
		}
		next = old
		if err := cmp.Or(fn(&next), tx.Context().Err()); err != nil {
			return err
		}
		next.ID = id
		saveImage(tx, next)
		if old.Deleted.IsZero() && !next.Deleted.IsZero() { // it never comes back, and stays its owner's
			tx.Queue("UPDATE image_counts SET kept = kept - 1 WHERE owner_id = $1", old.Owner)
		}
		return nil
	})
	return next, err
}

// loadImage locks the image and returns it.
func loadImage(tx *engine.Tx, id userimage.ID) (found userimage.Image, err error) {
	engine.Found(tx, tx.Queue(lockImage, id).Must(userimage.ErrNotFound), func(row *ImageRow) (err error) {
		found, err = row.Image()
		return err
	})
	err = tx.Send()
	return found, err
}

func saveImage(tx *engine.Tx, i userimage.Image) {
	tx.Queue(updateImage, i.ID, i.Owner, i.Key, i.Width, i.Height, i.Tags.Names(), i.Created, i.Deleted, i.Hidden)
}

// TurnImage hides or restores the image, which moves, and returns its owner.
func TurnImage(_ *engine.DB, tx *engine.Tx, t moderation.Thing, isHidden bool, moves media.Moves) (user.ID, error) {
	i, err := loadImage(tx, userimage.ID(t.ID))
	if err == nil && !i.Deleted.IsZero() {
		err = userimage.ErrNotFound
	}
	if err == nil {
		i.Hidden, err = moderation.Turned(i.Hidden, isHidden)
	}
	from := i.Key
	if err == nil {
		i.Key, err = moves.Of(from)
	}
	if err == nil {
		people.MovePictures(tx, moves, from)
		saveImage(tx, i)
	}
	return i.Owner, err
}

// imagesOf finds the images of the owner $1 that have all tags of $2, and any of the tags of $3 if there are any: $4 of them
// after $5 behind the one $7 created at $6, the newest first, with their number. SQLite counts by itself, and only for a page:
// for COUNT(*) OVER () it would keep all rows in memory before it returns the first.
var imagesOf = engine.Text{
	Postgres: `
	SELECT COUNT(*) OVER () AS total, id, owner_id, key, width, height, tags, created
	FROM images
	WHERE owner_id = $1 AND deleted IS NULL AND NOT hidden
		AND tags @> $2 AND (cardinality($3::text[]) = 0 OR tags && $3) AND (created, id) < ($6, $7)
	ORDER BY created DESC, id DESC
	LIMIT CAST($4 AS bigint) OFFSET CAST($5 AS bigint)`,

	SQLite: `
	WITH found AS NOT MATERIALIZED (
		SELECT id, owner_id, key, width, height, tags, created FROM images
		WHERE owner_id = $1 AND deleted IS NULL AND NOT hidden
			AND ($2 = '[]' OR NOT EXISTS (
				SELECT 1 FROM json_each($2) w WHERE w.value NOT IN (SELECT t.value FROM json_each(images.tags) t)))
			AND ($3 = '[]' OR EXISTS (
				SELECT 1 FROM json_each($3) w WHERE w.value IN (SELECT t.value FROM json_each(images.tags) t))))
	SELECT CASE $4 WHEN 9223372036854775807 THEN 0 ELSE (SELECT COUNT(*) FROM found) END AS total,
		id, owner_id, key, width, height, tags, created
	FROM found
	WHERE (created, id) < ($6, $7)
	ORDER BY created DESC, id DESC
	LIMIT CAST($4 AS integer) OFFSET CAST($5 AS integer)`,
}

func (v Images) List(ctx context.Context, q userimage.Query, r page.Request) (page.Page[userimage.Image], error) {
	q, possible := q.Normalise() // strings that can't be tags can't be bound
	if !possible {
		p, err := page.Of[userimage.Image](r, nil, 0, nil)
		return p, cmp.Or(ctx.Err(), err)
	}
	created, _, id := engine.Behind(r)
	p, err := engine.PageOf(ctx, v.DB, r, func(row ImageRow) page.Cursor { return page.At(row.Created.Time, row.ID) }, v.DB.Pick(imagesOf),
		q.Owner, q.Contains, q.Overlaps, r.Limit(), r.Offset(), created, id)
	images, broken := page.TryMap(p, ImageRow.Image)
	return images, cmp.Or(err, broken)
}

// errStopped ends an iteration whose consumer has stopped.
var errStopped = errors.New("iteration stopped")

// All yields rows while it reads them. It does not retry a statement after it has
// yielded a row.
func (v Images) All(ctx context.Context, q userimage.Query) iter.Seq2[userimage.Image, error] {
	return func(yield func(userimage.Image, error) bool) {
		q, possible := q.Normalise()
		used := false
		all := engine.Each(v.DB, func(row *ImageRow) error {
			i, err := row.Image()
			if err != nil {
				return err
			}
			if used = true; !yield(i, nil) {
				return errStopped
			}
			return nil
		}, v.DB.Pick(imagesOf), q.Owner, q.Contains, q.Overlaps, math.MaxInt64, 0, engine.FarFuture, math.MaxInt64)
		err := v.DB.Read(ctx, func(ctx context.Context) error {
			if !possible {
				return nil
			}
			err := v.DB.Dialect.Query(ctx, all)
			if used && err != nil && v.DB.Dialect.Classify(err) == engine.Retryable {
				return fmt.Errorf("%w: %v", engine.ErrAway, err)
			}
			return err
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(userimage.Image{}, err)
		}
	}
}
