package event

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/instant"
	"plaza/domain/text"
	"plaza/domain/user"
)

// CommentID numbers comments.
type CommentID int64

// CommentLimit bounds a comment (EVT-21).
var CommentLimit = text.Limit{Chars: 2000}

// ErrNoComment is the fault of a comment that is not there, or on an event that
// the asker may not see.
var ErrNoComment = fault.New(fault.NotFound, "There is no such comment.")

// Comment is what somebody said of an event.
type Comment struct {
	ID      CommentID // zero until a store has given it one
	Event   ID
	Author  user.ID
	Content string
	Created time.Time
}

// NewComment returns what the author says of the event now. A comment that is
// blank or too long is a fault on content.
func NewComment(on ID, author user.ID, content string, now time.Time) (Comment, error) {
	var wrong fault.Fields
	wrong.Add("content", CommentLimit.RequiredProblem(content))
	return Comment{Event: on, Author: author, Content: content, Created: instant.Normalise(now)}, wrong.Err()
}

// RemovableBy says whether the person may take the comment away: who wrote it,
// or the author of the event that it is on.
func (c Comment) RemovableBy(who, eventAuthor user.ID) bool {
	return who == c.Author || who == eventAuthor
}

// ErrNotCommenter is the fault of removing a comment that is neither one's own
// nor on an own event.
var ErrNotCommenter = fault.New(fault.Denied, "Only its author, or the event's, may delete a comment.")

// Counts is how many comments and likes an event has (EVT-17).
type Counts struct{ Comments, Likes int }
