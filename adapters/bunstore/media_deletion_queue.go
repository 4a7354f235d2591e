package bunstore

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/media"
)

// DeletionQueue implements media.DeletionQueue. Triggers fill it, so that every deleted
// row queues its picture.
type DeletionQueue struct{ s *Store }

// DeletionQueue returns the queue of pictures awaiting deletion.
func (s *Store) DeletionQueue() DeletionQueue { return DeletionQueue{s} }

type discardRow struct {
	bun.BaseModel `bun:"table:discards,alias:d"`
	Key           media.Key
	Due           engine.Time
}

// Claim skips keys that another caller is claiming.
func (v DeletionQueue) Claim(ctx context.Context, now, next time.Time, limit int) ([]media.Key, error) {
	key := func(r discardRow) media.Key { return r.Key }
	due, err := claim(ctx, v.s, "due", "key", key, now, next, limit)
	return engine.Mapped(due, key), err
}

func (v DeletionQueue) Done(ctx context.Context, keys []media.Key) error {
	if len(keys) == 0 {
		return ctx.Err()
	}
	return v.s.exec(ctx, v.s.Writer.NewDelete().Table("discards").Where("key IN (?)", bun.List(keys)))
}

// reserveKey queues the key $1, unless it is queued, to be removed at $2.
const reserveKey = `
	INSERT INTO discards (key, due) VALUES ($1, $2)
	ON CONFLICT (key) DO NOTHING`

func (v DeletionQueue) Reserve(ctx context.Context, r media.Reservation) error {
	return v.s.Write(ctx, func(tx *engine.Tx) error {
		tx.Queue(reserveKey, r.Key, r.Until).Must(media.ErrMoving)
		return nil
	})
}

// pictureTable is a table whose rows refer to pictures by a key or a cover. Its rows
// are read in the order of the column by, whose first value is greater than begin.
type pictureTable struct {
	of, table, where string
	key, cover, by   string
	begin            any
}

var pictureTables = []pictureTable{
	{"plate", "plates", "TRUE", "photo", "NULL", "id", int64(0)},
	{"user image", "images", "deleted IS NULL", "key", "NULL", "id", int64(0)},
	{"avatar of user", "users", "avatar IS NOT NULL", "NULL", "avatar", "id", int64(0)},
	{"publication", "publications", "cover IS NOT NULL", "NULL", "cover", "id", int64(0)},
	{"node", "nodes", "cover IS NOT NULL", "NULL", "cover", "id", int64(0)},
	{"demand", "demands", "cover IS NOT NULL", "NULL", "cover", "id", int64(0)},
	{"import", "import_covers", "TRUE", "NULL", "picture", "digest", []byte{}},
	{"", "discards", "TRUE", "key", "NULL", "key", ""},
}

// referenceBatch is how many rows References reads at once.
const referenceBatch = 2000

// References reads in small batches: it is not urgent, and this limits memory and
// locks.
func (v DeletionQueue) References(ctx context.Context) iter.Seq2[media.Reference, error] {
	return func(yield func(media.Reference, error) bool) {
		for _, from := range pictureTables {
			for at := from.begin; at != nil; {
				found, next, err := v.nextReferences(ctx, from, at)
				if err != nil {
					yield(media.Reference{}, err)
					return
				}
				for _, k := range found {
					if !yield(k, nil) {
						return
					}
				}
				at = next
			}
		}
	}
}

// nextReferences returns the pictures of the next rows and the position after them; nil
// at the end.
func (v DeletionQueue) nextReferences(ctx context.Context, from pictureTable, after any) (found []media.Reference, next any, err error) {
	query := "SELECT " + from.by + ", " + from.key + ", " + from.cover + " FROM " + from.table +
		" WHERE " + from.where + " AND " + from.by + " > ? ORDER BY " + from.by + " LIMIT ?"
	err = v.s.Read(ctx, func(ctx context.Context) error {
		found, next = nil, nil
		rows, err := v.s.Reader.QueryContext(ctx, query, after, referenceBatch)
		if err != nil {
			return err
		}
		defer rows.Close()
		n := 0
		for ; rows.Next(); n++ {
			var key sql.NullString
			var picture engine.Cover
			if err := rows.Scan(&next, &key, &picture); err != nil {
				return err
			}
			found = append(found, from.references(next, media.Key(key.String), picture)...)
		}
		if n < referenceBatch {
			next = nil
		}
		return rows.Err()
	})
	return found, next, err
}

func (from pictureTable) references(at any, key media.Key, picture engine.Cover) (found []media.Reference) {
	of := from.of
	if number, is := at.(int64); is {
		of = fmt.Sprint(of, " ", number)
	}
	if key != "" {
		found = append(found, media.Reference{Key: key, Of: of})
	}
	for _, key := range media.Picture(picture).Keys() {
		found = append(found, media.Reference{Key: key, Of: of})
	}
	return found
}
