package diary

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/media"
)

// DeletionQueue implements media.DeletionQueue. Triggers fill it, so that every deleted
// row queues its picture.
type DeletionQueue struct{ DB *engine.DB }

type discardRow struct {
	bun.BaseModel `bun:"table:discards,alias:d"`
	Key           media.Key
	Due           engine.Time
}

// Claim skips keys that another caller is claiming.
func (v DeletionQueue) Claim(ctx context.Context, now, next time.Time, limit int) ([]media.Key, error) {
	key := func(r discardRow) media.Key { return r.Key }
	due, err := engine.Claim(ctx, v.DB, "due", "key", key, postponeKeys, now, next, limit)
	return engine.Mapped(due, key), err
}

// postponeKeys makes the keys of $1 due at $2.
var postponeKeys = engine.Both(`UPDATE discards SET due = $2 WHERE key = ANY($1)`)

// forgetKeys takes the keys of $1 out of the queue.
var forgetKeys = engine.Both(`DELETE FROM discards WHERE key = ANY($1)`)

func (v DeletionQueue) Done(ctx context.Context, keys []media.Key) error {
	return v.DB.Exec(ctx, v.DB.Pick(forgetKeys), keys)
}

// reserveKey queues the key $1, unless it is queued or of a picture that is kept, to be removed at $2.
const reserveKey = `
	INSERT INTO discards (key, due)
	SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM pictures WHERE key = $1)
	ON CONFLICT (key) DO NOTHING`

// Reserve waits for a call that moves a picture to the key, which it sees then.
func (v DeletionQueue) Reserve(ctx context.Context, r media.Reservation) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		people.LockPicture(tx, r.Key)
		tx.Queue(reserveKey, r.Key, r.Until).Must(media.ErrMoving)
		return nil
	})
}

// pictureRow is a row that refers to pictures by a key or a cover. Its place is its number, its digest, or its key.
type pictureRow struct {
	Place any
	Key   media.Key `bun:",nullzero"`
	Cover engine.Cover
}

func (r pictureRow) references(of string) (found []media.Reference) {
	if id, is := r.Place.(int64); is {
		of = fmt.Sprint(of, " ", id)
	}
	for _, key := range append(media.Picture(r.Cover).Keys(), r.Key) {
		if key != "" {
			found = append(found, media.Reference{Key: key, Of: of})
		}
	}
	return found
}

// pictureRows are all that refers to pictures. A statement finds the next $2 rows behind the place $1.
var pictureRows = []struct {
	of        string
	begin     any // before all places
	statement string
}{
	{"plate", 0, "SELECT id AS place, photo AS key FROM plates WHERE id > $1 ORDER BY id LIMIT CAST($2 AS bigint)"},
	{"user image", 0, "SELECT id AS place, key FROM images WHERE deleted IS NULL AND id > $1 ORDER BY id LIMIT CAST($2 AS bigint)"},
	{"avatar of user", 0, `
		SELECT id AS place, avatar AS cover FROM users WHERE avatar IS NOT NULL AND id > $1 ORDER BY id LIMIT CAST($2 AS bigint)`},
	{"hidden avatar of user", 0, `
		SELECT user_id AS place, avatar AS cover FROM hidden_profiles
		WHERE avatar IS NOT NULL AND user_id > $1 ORDER BY user_id LIMIT CAST($2 AS bigint)`},
	{"publication", 0, `
		SELECT id AS place, cover FROM publications WHERE cover IS NOT NULL AND id > $1 ORDER BY id LIMIT CAST($2 AS bigint)`},
	{"node", 0, "SELECT id AS place, cover FROM nodes WHERE cover IS NOT NULL AND id > $1 ORDER BY id LIMIT CAST($2 AS bigint)"},
	{"demand", 0, "SELECT id AS place, cover FROM demands WHERE cover IS NOT NULL AND id > $1 ORDER BY id LIMIT CAST($2 AS bigint)"},
	{"copy for a report", 0, "SELECT id AS place, key FROM kept_pictures WHERE id > $1 ORDER BY id LIMIT CAST($2 AS bigint)"},
	{"import", []byte{}, `
		SELECT digest AS place, picture AS cover FROM import_covers WHERE digest > $1 ORDER BY digest LIMIT CAST($2 AS bigint)`},
	{"", "", "SELECT key AS place, key FROM discards WHERE key > $1 ORDER BY key LIMIT CAST($2 AS bigint)"},
}

// referenceBatch is how many rows References reads at once.
const referenceBatch = 2000

// References reads in small batches: it is not urgent, and this limits memory and
// locks.
func (v DeletionQueue) References(ctx context.Context) iter.Seq2[media.Reference, error] {
	return func(yield func(media.Reference, error) bool) {
		for _, from := range pictureRows {
			for after := from.begin; after != nil; {
				rows, err := engine.All[pictureRow](ctx, v.DB, from.statement, after, referenceBatch)
				if err != nil {
					yield(media.Reference{}, err)
					return
				}
				after = nil
				if len(rows) == referenceBatch {
					after = rows[len(rows)-1].Place
				}
				for _, row := range rows {
					for _, found := range row.references(from.of) {
						if !yield(found, nil) {
							return
						}
					}
				}
			}
		}
	}
}
