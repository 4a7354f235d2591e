package bunstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"time"

	"plaza/adapters/bunstore/internal/engine"
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
	s      *Store
	limits quota.Limits
}

// Images returns the repository of user images.
func (s *Store) Images() Images { return Images{s: s} }

// imageRow is a stored image. Its tags are parsed after they are read.
type imageRow struct {
	userimage.Image
	tags     []string
	revision int64
}

// The columns of images: those of a list, whose owner is known, and all.
var (
	imageListed = engine.Columns[imageRow]{
		engine.Plain("id", func(i *imageRow) *int64 { return (*int64)(&i.ID) }),
		engine.Plain("key", func(i *imageRow) *string { return (*string)(&i.Key) }),
		engine.Plain("width", func(i *imageRow) *int { return &i.Width }),
		engine.Plain("height", func(i *imageRow) *int { return &i.Height }),
		engine.List("tags", func(i *imageRow) *[]string { return &i.tags }),
		engine.Instant("created", func(i *imageRow) *time.Time { return &i.Created }),
	}
	imageAll = slices.Concat(imageListed, engine.Columns[imageRow]{
		engine.Plain("owner_id", func(i *imageRow) *int64 { return (*int64)(&i.Owner) }),
		engine.Instant("deleted", func(i *imageRow) *time.Time { return &i.Deleted }),
		engine.Plain("hidden", func(i *imageRow) *bool { return &i.Hidden }),
		engine.Plain("revision", func(i *imageRow) *int64 { return &i.revision }),
	})
	imageNew = imageAll[1:] // the database numbers the images
)

func imageRowOf(i userimage.Image, revision int64) imageRow {
	return imageRow{Image: i, tags: i.Tags.Names(), revision: revision}
}

func (r imageRow) image() (_ userimage.Image, err error) {
	if r.Tags, err = userimage.ParseTags(r.tags); err != nil {
		return userimage.Image{}, fmt.Errorf("image %d: %v", r.ID, err) // an internal error, not a fault
	}
	return r.Image, nil
}

// imageSteps are the statements of single images, and of all for a check.
type imageSteps struct {
	insertImage string // imageNew
	saveImage   string // $1 id, then imageNew
	image       string // $1 id
	lockImage   string // $1 id
	imagesAfter string // $1 id, $2 limit
}

func newImageSteps(d engine.Dialect) imageSteps {
	image := "SELECT " + imageAll.List() + " FROM images WHERE id = $1"
	return imageSteps{
		insertImage: "INSERT INTO images (" + imageNew.List() + ") " + "VALUES (" + imageNew.Parameters(1) + ") RETURNING id",
		saveImage:   "UPDATE images SET " + imageNew.Set(2) + " WHERE id = $1",
		image:       image,
		lockImage:   image + " " + d.ForUpdate(),
		imagesAfter: "SELECT " + imageAll.List() + " FROM images WHERE id > $1 ORDER BY id LIMIT CAST($2 AS bigint)",
	}
}

// countImage counts one more image of the owner $1, who has fewer than $2.
const countImage = `
	INSERT INTO image_counts AS c (owner_id, kept) VALUES ($1, 1)
	ON CONFLICT (owner_id) DO UPDATE SET kept = c.kept + 1 WHERE c.kept < $2`

// Add counts the bytes and the image in the order in which a deletion takes them back, so that
// writers cannot deadlock. Concurrent calls for the owner wait for each other.
func (v Images) Add(ctx context.Context, i userimage.Image, charges ...ratelimit.Charge) (userimage.Image, error) {
	row := imageRowOf(i, 0)
	err := v.s.write(ctx, func(_ context.Context, tx *listedTransaction) error {
		chargeAll(tx.Tx, charges)
		countPictures(tx.Tx, v.limits, i.Owner, countedPicture{i.Key, i.Bytes, true})
		tx.Queue(countImage, i.Owner, userimage.MaxImages).Must(userimage.ErrFull)
		tx.Queue(v.s.steps.insertImage, imageNew.Values(&row, v.s.Dialect)...).Into((*int64)(&i.ID))
		if err := tx.Send(); err != nil {
			return err
		}
		complete(tx.Tx, i.Completes, idempotency.Image, int64(i.ID))
		return nil
	})
	if err != nil {
		return userimage.Image{}, err
	}
	i.Bytes, i.Completes = 0, nil
	return i, nil
}

func (v Images) Get(ctx context.Context, id userimage.ID) (userimage.Image, error) {
	row, err := engine.ReadOne(ctx, v.s.DB, userimage.ErrNotFound, v.s.steps.image, []any{int64(id)}, imageAll.Reader(v.s.Dialect))
	if err != nil {
		return userimage.Image{}, err
	}
	return row.image()
}

func (v Images) Change(ctx context.Context, id userimage.ID, fn func(*userimage.Image) error) (next userimage.Image, err error) {
	err = v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		old, revision, err := v.lock(ctx, tx, id)
		if err != nil {
			return err
		}
		next = old
		if err := cmp.Or(fn(&next), ctx.Err()); err != nil {
			return err
		}
		next.ID = id
		if err := tx.Run(ctx, v.save(next, revision+1)); err != nil {
			return err
		}
		return v.recount(ctx, tx, old, next)
	})
	return next, err
}

// lock locks the image, and returns it with its revision.
func (v Images) lock(ctx context.Context, tx *listedTransaction, id userimage.ID) (userimage.Image, int64, error) {
	var found []imageRow
	lock := engine.Step{Statement: v.s.steps.lockImage, Args: []any{int64(id)}}
	lock.Row = engine.Collect(&found, imageAll.Reader(v.s.Dialect))
	if err := tx.Run(ctx, lock); err != nil {
		return userimage.Image{}, 0, err
	}
	if len(found) == 0 {
		return userimage.Image{}, 0, userimage.ErrNotFound
	}
	i, err := found[0].image()
	return i, found[0].revision, err
}

// save returns the step that stores the image with the revision.
func (v Images) save(i userimage.Image, revision int64) engine.Step {
	row := imageRowOf(i, revision)
	return engine.Step{Statement: v.s.steps.saveImage, Args: append([]any{int64(i.ID)}, imageNew.Values(&row, v.s.Dialect)...)}
}

// turn hides or restores the image, whose files are at the reservation's key, and returns its owner. A trigger queues the former
// key, which this call's caller removes before the reservation ends.
func (v Images) turn(ctx context.Context, tx *listedTransaction, id userimage.ID, isHidden bool, to media.Reservation) (user.ID, error) {
	i, revision, err := v.lock(ctx, tx, id)
	if err == nil && !i.Deleted.IsZero() {
		err = userimage.ErrNotFound
	}
	if err == nil {
		i.Hidden, err = moderation.Turned(i.Hidden, isHidden)
	}
	if err != nil {
		return 0, err
	}
	from, until := i.Key, v.s.Dialect.Instant(to.Until)
	taken, err := engine.Affected(tx.NewRaw("DELETE FROM discards WHERE key = ? AND due = ?", to.Key, engine.At(to.Until)).Exec(ctx))
	if err == nil && !taken {
		err = media.ErrMoving
	}
	if err != nil {
		return 0, err
	}
	i.Key = to.Key
	return i.Owner, tx.Run(ctx,
		engine.Step{Statement: "UPDATE pictures SET key = $2 WHERE key = $1", Args: []any{string(from), string(to.Key)}},
		v.save(i, revision+1),
		engine.Step{Statement: "UPDATE discards SET due = $2 WHERE key = $1", Args: []any{string(from), until}},
	)
}

// recount updates the counts after an image was deleted, restored or given to another
// owner.
func (v Images) recount(ctx context.Context, tx *listedTransaction, old, next userimage.Image) error {
	wasKept, isKept := old.Deleted.IsZero(), next.Deleted.IsZero()
	if wasKept == isKept && old.Owner == next.Owner {
		return nil
	}
	if isKept {
		if _, err := tx.NewRaw("INSERT INTO image_counts (owner_id, kept) VALUES (?, 1) "+
			"ON CONFLICT (owner_id) DO UPDATE SET kept = image_counts.kept + 1", next.Owner).Exec(ctx); err != nil {
			return err
		}
	}
	if wasKept {
		_, err := tx.NewRaw("UPDATE image_counts SET kept = kept - 1 WHERE owner_id = ?", old.Owner).Exec(ctx)
		return err
	}
	return nil
}

// imageFilter selects the statement of a list of images. Each combination has its own
// statement, because even a condition that is always true would be evaluated on every
// row.
type imageFilter struct{ contains, overlaps, page bool }

// imageStatements are the hot reads of images: the parameters are the owner $1, then,
// if requested, tags that an image must all have, tags of which it must have any, and
// the size and offset of a page, whose rows begin with the total.
func imageStatements(d engine.Dialect) map[imageFilter]string {
	texts := map[imageFilter]string{}
	for i := range 8 {
		filter := imageFilter{contains: i&1 != 0, overlaps: i&2 != 0, page: i&4 != 0}
		texts[filter] = imagesStatement(d, filter)
	}
	return texts
}

func imagesStatement(d engine.Dialect, filter imageFilter) string {
	last := 1
	parameter := func() string {
		last++
		return "$" + strconv.Itoa(last)
	}
	columns, where, limit := imageListed.List(), "owner_id = $1 AND deleted IS NULL AND NOT hidden", ""
	if filter.contains {
		where += " AND " + d.AllOf("tags", parameter())
	}
	if filter.overlaps {
		where += " AND " + d.AnyOf("tags", parameter())
	}
	if filter.page {
		columns = "COUNT(*) OVER (), " + columns
		limit = " LIMIT CAST(" + parameter() + " AS bigint) OFFSET CAST(" + parameter() + " AS bigint)"
	}
	return "SELECT " + columns + " FROM images WHERE " + where + " ORDER BY created DESC, id DESC" + limit
}

// statementFor returns the hot read of the query, for a page or, if p is nil, for all
// images.
func (v Images) statementFor(q userimage.Query, p *page.Request) (statement string, args []any) {
	args = append(make([]any, 0, 5), int64(q.Owner))
	if len(q.Contains) > 0 {
		args = append(args, v.s.Dialect.ListOf(q.Contains))
	}
	if len(q.Overlaps) > 0 {
		args = append(args, v.s.Dialect.ListOf(q.Overlaps))
	}
	if p != nil {
		args = append(args, int64(p.Size()), int64(p.Offset()))
	}
	return v.s.hotReads.images[imageFilter{len(q.Contains) > 0, len(q.Overlaps) > 0, p != nil}], args
}

// imageReader returns a function that scans an image of the owner; columns for the
// targets before precede it.
func imageReader(d engine.Dialect, owner user.ID, before ...any) func(engine.Scanner) (userimage.Image, error) {
	row := imageRow{Image: userimage.Image{Owner: owner}}
	targets := imageListed.Targets(&row, d, before...)
	return func(scan engine.Scanner) (userimage.Image, error) {
		row.tags = nil // no memory is shared with the previous row
		if err := scan(targets...); err != nil {
			return userimage.Image{}, err
		}
		return row.image()
	}
}

func (v Images) List(ctx context.Context, q userimage.Query, p page.Request) (page.Page[userimage.Image], error) {
	q, possible := q.Normalise() // strings that can't be tags can't be bound
	if !possible {
		if err := ctx.Err(); err != nil {
			return page.Page[userimage.Image]{}, err
		}
		return page.Of[userimage.Image](p, nil, 0)
	}
	statement, args := v.statementFor(q, &p)
	return engine.ReadPage(ctx, v.s.DB, p, statement, args, func(total *int) func(engine.Scanner) (userimage.Image, error) {
		return imageReader(v.s.Dialect, q.Owner, total)
	})
}

// errStopped ends an iteration whose consumer has stopped.
var errStopped = errors.New("iteration stopped")

// All yields rows while it reads them. It does not retry a statement after it has
// yielded a row.
func (v Images) All(ctx context.Context, q userimage.Query) iter.Seq2[userimage.Image, error] {
	return func(yield func(userimage.Image, error) bool) {
		q, possible := q.Normalise()
		statement, args := v.statementFor(q, nil)
		used := false
		err := v.s.Read(ctx, func(ctx context.Context) error {
			if !possible {
				return nil
			}
			read := imageReader(v.s.Dialect, q.Owner)
			err := v.s.ScanRows(ctx, statement, args, func(scan func(...any) error) error {
				i, err := read(scan)
				if err != nil {
					return err
				}
				if used = true; !yield(i, nil) {
					return errStopped
				}
				return nil
			})
			if used && err != nil && v.s.Dialect.Classify(err) == engine.Retryable {
				return fmt.Errorf("%w: %v", engine.ErrAway, err)
			}
			return err
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(userimage.Image{}, err)
		}
	}
}
