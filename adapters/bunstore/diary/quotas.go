package diary

import (
	"fmt"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/event"
	"plaza/domain/user"
)

// Drafts and comments are looked up in an index, at most as many as the quota has, while others who add one for the same
// account wait.
const (
	// hasFewerDrafts finds a row if the author $1 has fewer drafts than $2, which means no $2-th one.
	hasFewerDrafts = `
		SELECT 1 WHERE NOT EXISTS (
			SELECT 1 FROM events WHERE author_id = $1 AND status = 0 LIMIT 1 OFFSET CAST($2 AS bigint) - 1)`

	// hasFewerComments finds a row if the author $2 has fewer comments on the event $1 than $3.
	hasFewerComments = `
		SELECT 1 WHERE NOT EXISTS (
			SELECT 1 FROM comments WHERE event_id = $1 AND author_id = $2 LIMIT 1 OFFSET CAST($3 AS bigint) - 1)`
)

// newPlates returns the plates that are not stored yet as counted pictures, and clears their
// bytes, which are not stored with them.
func newPlates(plates []event.Plate) (counted []people.CountedPicture) {
	for i, p := range plates {
		if p.ID == 0 {
			counted = append(counted, people.CountedPicture{Key: p.Photo, Bytes: p.Bytes})
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
