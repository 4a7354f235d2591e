package bunstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/user"
)

// Room implements quota.Room.
type Room struct {
	DB     *engine.DB
	Limits quota.Limits
}

// Drafts, comments and follows are counted in an index, at most as many as the quota has, while others who add one for the
// same account wait. The bytes of pictures have a sum for each account, picture_totals. A new picture is added to it by a
// statement, a deleted one is subtracted by a trigger of discards, so that nothing that deletes a picture forgets it.
const (
	// hasFewerDrafts finds a row if the author $1 has fewer drafts than $2.
	hasFewerDrafts = `
		SELECT 1 WHERE (
			SELECT COUNT(*) FROM (
				SELECT 1 FROM events WHERE author_id = $1 AND status = 0 LIMIT CAST($2 AS bigint)) counted) < CAST($2 AS bigint)`

	// hasFewerComments finds a row if the author $2 has fewer comments on the event $1 than $3.
	hasFewerComments = `
		SELECT 1 WHERE (
			SELECT COUNT(*) FROM (
				SELECT 1 FROM comments WHERE event_id = $1 AND author_id = $2 LIMIT CAST($3 AS bigint)) counted) < CAST($3 AS bigint)`

	// takeBytes adds $2 to the bytes of the owner $1, unless they would be more than $3.
	takeBytes = `
		INSERT INTO picture_totals AS t (owner_id, bytes)
		SELECT CAST($1 AS bigint), CAST($2 AS bigint) WHERE CAST($2 AS bigint) <= CAST($3 AS bigint)
		ON CONFLICT (owner_id) DO UPDATE SET bytes = t.bytes + EXCLUDED.bytes
		WHERE t.bytes + EXCLUDED.bytes <= CAST($3 AS bigint)`
)

// CheckPictures asks nothing of the database if there is no quota.
func (v Room) CheckPictures(ctx context.Context, owner user.ID) error {
	if v.Limits.Pictures == 0 {
		return ctx.Err()
	}
	var taken int64
	err := v.DB.ReadRow(ctx, "SELECT bytes FROM picture_totals WHERE owner_id = $1", []any{int64(owner)}, &taken)
	return cmp.Or(err, v.Limits.CheckPictures(taken+1))
}

// CountSizes locks the picture before the total, as the trigger of discards does.
func (v Room) CountSizes(ctx context.Context, of media.Key, bytes int64) error {
	err := v.DB.Write(ctx, func(tx *engine.Tx) error {
		tx.Queue("UPDATE pictures SET bytes = bytes + $2, has_sizes = TRUE WHERE key = $1 AND NOT has_sizes", of, bytes).Must(engine.ErrMissed)
		tx.Queue("UPDATE picture_totals SET bytes = bytes + $2 WHERE owner_id = (SELECT owner_id FROM pictures WHERE key = $1)", of, bytes)
		return nil
	})
	if errors.Is(err, engine.ErrMissed) {
		return nil
	}
	return err
}

// countedPicture is a new picture whose bytes count for the quota of its owner.
type countedPicture struct {
	key      media.Key
	bytes    int64
	hasSizes bool // the bytes include those of its sizes (IMG-08)
}

// countPictures queues the statements that count new pictures of the owner.
func countPictures(tx *engine.Tx, l quota.Limits, owner user.ID, pictures ...countedPicture) {
	var all int64
	for _, p := range pictures {
		all += p.bytes
	}
	if all == 0 {
		return
	}
	tx.Queue(takeBytes, owner, all, cmp.Or(l.Pictures, math.MaxInt64)).Must(l.ErrPictures())
	for _, p := range pictures {
		if p.bytes > 0 {
			tx.Queue("INSERT INTO pictures (key, owner_id, bytes, has_sizes) VALUES ($1, $2, $3, $4)", p.key, owner, p.bytes, p.hasSizes)
		}
	}
}

// newPlates returns the plates that are not stored yet as counted pictures, and clears their
// bytes, which are not stored with them.
func newPlates(plates []event.Plate) (counted []countedPicture) {
	for i, p := range plates {
		if p.ID == 0 {
			counted = append(counted, countedPicture{p.Photo, p.Bytes, true})
			plates[i].Bytes = 0
		}
	}
	return counted
}

// countsDrafts reports whether storing next in place of replaced, which may be nil, must be
// refused if its author has as many drafts as the quota.
func (v Events) countsDrafts(replaced, next *event.Event) bool {
	return v.Limits.Drafts > 0 && event.AddsDraft(replaced, next)
}

// needDraft queues the statements that find room for another draft of the author. Without room the transaction fails with full.
func (v Events) needDraft(tx *engine.Tx, author user.ID, full error) {
	v.lockDrafts(tx, author)
	tx.Queue(hasFewerDrafts, author, v.Limits.Drafts).Must(full)
}

// lockDrafts makes others who add a draft for the author wait. It is among the first locks of its transaction, so that
// writers cannot deadlock.
func (v Events) lockDrafts(tx *engine.Tx, author user.ID) { tx.Lock(fmt.Sprint("drafts of ", author)) }

// needComment queues the statements that find room for the comment.
func (v Events) needComment(tx *engine.Tx, c event.Comment) {
	if v.Limits.Comments > 0 {
		tx.Lock(fmt.Sprint("comments of ", c.Author, " on ", c.Event))
		tx.Queue(hasFewerComments, c.Event, c.Author, v.Limits.Comments).Must(v.Limits.ErrComments())
	}
}
