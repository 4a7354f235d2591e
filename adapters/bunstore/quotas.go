package bunstore

import (
	"context"
	"fmt"
	"math"

	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/user"
)

// Within returns the events as a store that was opened with the quotas.
func (v Events) Within(l quota.Limits) Events { return Events{v.s, l} }

// Within returns the images as a store that was opened with the quotas.
func (v Images) Within(l quota.Limits) Images { return Images{v.s, l} }

// Within returns the accounts as a store that was opened with the quotas.
func (v Accounts) Within(l quota.Limits) Accounts { return Accounts{v.s, l} }

// Room implements quota.Room.
type Room struct {
	s      *Store
	limits quota.Limits
}

// Room returns the room within the quotas.
func (s *Store) Room(l quota.Limits) Room { return Room{s, l} }

var _ quota.Room = Room{}

// quotaSteps are the statements that keep the quotas of accounts.
//
// Drafts and comments are counted in an index, at most as many as the quota has. The bytes of
// pictures have a sum for each account, picture_totals. A new picture is added to it by a step,
// a deleted one is subtracted by a trigger of discards, so that nothing that deletes a picture
// forgets it.
type quotaSteps struct {
	lockDrafts  string // $1 name from draftsOf; empty where there is one writer at a time
	draftsBelow string // $1 author, $2 quota; a row if one more is possible
	takeBytes   string // $1 owner, $2 bytes, $3 quota; a row if they are left
	addPicture  string // $1 key, $2 owner, $3 bytes
	bytesTaken  string // $1 owner
	setAvatar   string // $1 avatar, $2 user
}

func newQuotaSteps(d dialect) quotaSteps {
	return quotaSteps{
		lockDrafts:  d.lockName("$1"),
		draftsBelow: "SELECT 1 WHERE " + draftsBelow("$1", "$2"),
		takeBytes: "INSERT INTO picture_totals (owner_id, bytes) SELECT CAST($1 AS bigint), CAST($2 AS bigint)" +
			" WHERE CAST($2 AS bigint) <= CAST($3 AS bigint)" + d.unlessMissed() +
			" ON CONFLICT (owner_id) DO UPDATE SET bytes = picture_totals.bytes + EXCLUDED.bytes" +
			" WHERE picture_totals.bytes + EXCLUDED.bytes <= CAST($3 AS bigint) RETURNING bytes",
		addPicture: "INSERT INTO pictures (key, owner_id, bytes) " + d.values("$1, $2, $3"),
		bytesTaken: "SELECT bytes FROM picture_totals WHERE owner_id = $1",
		setAvatar:  "UPDATE users SET avatar = $1 WHERE id = $2 RETURNING id",
	}
}

// fewer returns the condition that the rows of the FROM item are fewer than the parameter. It
// reads no more rows than that.
func fewer(rows, than string) string {
	than = "CAST(" + than + " AS bigint)"
	return "(SELECT COUNT(*) FROM (SELECT 1 FROM " + rows + " LIMIT " + than + ") counted) < " + than
}

// draftsBelow returns the condition that the author has fewer drafts than the quota.
func draftsBelow(author, quota string) string {
	return fewer("events d WHERE d.author_id = "+author+" AND d.status = 0", quota)
}

// CheckPictures asks nothing of the database if there is no quota.
func (v Room) CheckPictures(ctx context.Context, owner user.ID) error {
	if v.limits.Pictures == 0 {
		return ctx.Err()
	}
	var taken int64
	err := v.s.read(ctx, func(ctx context.Context) error {
		return v.s.dialect.query(ctx, step{
			statement: v.s.sql.bytesTaken, args: []any{int64(owner)}, row: func(scan func(...any) error) error { return scan(&taken) },
		})
	})
	if err != nil {
		return err
	}
	return v.limits.CheckPictures(taken + 1)
}

// countedPicture is a new picture whose bytes count for the quota of its owner.
type countedPicture struct {
	key   media.Key
	bytes int64
}

// pictureSteps returns the steps that count new pictures of the owner. They must be rolled back
// if they fail.
func (s *Store) pictureSteps(l quota.Limits, owner user.ID, pictures ...countedPicture) []step {
	var all int64
	var each []step
	for _, p := range pictures {
		if p.bytes > 0 {
			all += p.bytes
			each = append(each, step{statement: s.sql.addPicture, args: []any{string(p.key), int64(owner), p.bytes}})
		}
	}
	if all == 0 {
		return nil
	}
	take := step{statement: s.sql.takeBytes, args: []any{int64(owner), all, int64(math.MaxInt64)}}
	if l.Pictures > 0 {
		take.args[2], take.orElse = l.Pictures, l.ErrPictures()
	}
	return append([]step{take}, each...)
}

// newPlates returns the plates that are not stored yet as counted pictures, and clears their
// bytes, which are not stored with them.
func newPlates(plates []event.Plate) (counted []countedPicture) {
	for i, p := range plates {
		if p.ID == 0 {
			counted = append(counted, countedPicture{p.Photo, p.Bytes})
			plates[i].Bytes = 0
		}
	}
	return counted
}

// countsDrafts reports whether storing next in place of replaced, which may be nil, must be
// refused if its author has as many drafts as the quota.
func (v Events) countsDrafts(replaced, next *event.Event) bool {
	return v.limits.Drafts > 0 && event.AddsDraft(replaced, next)
}

// lockDrafts returns the step that makes others who add a draft of the author wait until the
// transaction ends. It comes before those that lock rows, so that writers cannot deadlock.
func (s *Store) lockDrafts(author user.ID) []step {
	if s.sql.lockDrafts == "" {
		return nil
	}
	return []step{{statement: s.sql.lockDrafts, args: []any{fmt.Sprint("drafts of ", author)}, locks: true}}
}
