package people

import (
	"cmp"
	"context"
	"math"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Room implements quota.Room.
type Room struct {
	DB     *engine.DB
	Limits quota.Limits
}

// takeBytes adds $2 to the bytes of the owner $1, unless they would be more than $3. The bytes of pictures have a sum for each
// account. A deleted picture is subtracted by a trigger of discards, so that nothing that deletes a picture forgets it.
const takeBytes = `
	INSERT INTO picture_totals AS t (owner_id, bytes)
	SELECT CAST($1 AS bigint), CAST($2 AS bigint) WHERE CAST($2 AS bigint) <= CAST($3 AS bigint)
	ON CONFLICT (owner_id) DO UPDATE SET bytes = t.bytes + EXCLUDED.bytes
	WHERE t.bytes + EXCLUDED.bytes <= CAST($3 AS bigint)`

// CheckPictures asks nothing of the database about a quota or a limit that there is not.
func (v Room) CheckPictures(ctx context.Context, owner user.ID, charges ...ratelimit.Charge) error {
	if err := CheckCharges(ctx, v.DB, charges); err != nil || v.Limits.Pictures == 0 {
		return cmp.Or(err, ctx.Err())
	}
	var taken int64
	err := v.DB.ReadRow(ctx, "SELECT bytes FROM picture_totals WHERE owner_id = $1", []any{int64(owner)}, &taken)
	return cmp.Or(err, v.Limits.CheckPictures(taken+1))
}

// queueFormer queues the key $1, whose files the caller removes before $2.
const queueFormer = `
	INSERT INTO discards (key, due) VALUES ($1, $2)
	ON CONFLICT (key) DO UPDATE SET due = EXCLUDED.due`

// LockPicture locks the key that a picture is moved to.
func LockPicture(tx *engine.Tx, key media.Key) { tx.Lock("picture " + string(key)) }

// MovePictures queues the statements that move the pictures, before those that give them their new keys.
func MovePictures(tx *engine.Tx, moves media.Moves, pictures ...media.Key) {
	slices.Sort(pictures) // all callers lock them in one order
	for _, from := range pictures {
		to := moves.To[from]
		LockPicture(tx, to)
		tx.Queue("DELETE FROM discards WHERE key = $1 AND due = $2", to, moves.Until).Must(media.ErrMoving)
		tx.Queue("UPDATE pictures SET key = $2 WHERE key = $1", from, to)
		tx.Queue(queueFormer, from, moves.Until)
	}
}

// CountedPicture is a new picture whose bytes count for the quota of its owner.
type CountedPicture struct {
	Key   media.Key
	Bytes int64 // with those of its sizes
}

// CountPictures queues the statements that count new pictures of the owner.
func CountPictures(tx *engine.Tx, l quota.Limits, owner user.ID, pictures ...CountedPicture) {
	var all int64
	for _, p := range pictures {
		all += p.Bytes
	}
	if all == 0 {
		return
	}
	tx.Queue(takeBytes, owner, all, cmp.Or(l.Pictures, math.MaxInt64)).Must(l.ErrPictures())
	for _, p := range pictures {
		if p.Bytes > 0 {
			tx.Queue("INSERT INTO pictures (key, owner_id, bytes) VALUES ($1, $2, $3)", p.Key, owner, p.Bytes)
		}
	}
}
