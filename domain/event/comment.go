package event

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/text"
	"plaza/domain/user"
)

// CommentID numbers comments.
type CommentID int64

// CommentLimit bounds a comment (EVT-21).
var CommentLimit = text.Limit{Chars: 2000}

// ErrNoComment is the fault of a comment that does not exist, or on an event that
// the caller may not see.
var ErrNoComment = fault.New(fault.NotFound, "Comment not found.")

// Comment is a user's comment on an event.
type Comment struct {
	ID      CommentID // zero until stored
	Event   ID
	Author  user.ID
	Content string
	Created time.Time
	Edited  time.Time // zero: never
	ReplyTo Replied
	Hidden  bool // by staff (MOD-03)
	// Completes is the key that storing the comment completes; nil: none, and once stored.
	Completes *idempotency.Key
}

// Replied is the comment on the same event that a comment replies to.
type Replied struct {
	ID CommentID // zero: the comment is no reply
	By user.ID   // its author; zero: it was deleted since, or staff have hidden it
}

// ErrNoReplied is the fault of a reply to a comment that its author does not see, or that is on another event.
var ErrNoReplied = fault.New(fault.Invalid, "Comment not found.")

// AtCursor returns the place of the comment in its list, the newest first (GEN-18).
func (c Comment) AtCursor() page.Cursor { return page.At(c.Created, c.ID) }

// NewComment returns the author's comment on the event. Blank or too long content is
// a fault on content.
func NewComment(on ID, author user.ID, content string, now time.Time) (Comment, error) {
	var wrong fault.Fields
	wrong.Add("content", CommentLimit.RequiredProblem(content))
	return Comment{Event: on, Author: author, Content: content, Created: instant.Normalise(now)}, wrong.Err()
}

// Edit returns the comment with other content (EVT-26). Blank or too long content is a fault on content.
func (c Comment) Edit(content string, now time.Time) (Comment, error) {
	edited, err := NewComment(c.Event, c.Author, content, now)
	c.Content, c.Edited = content, edited.Created
	return c, err
}

// VisibleTo reports whether a viewer with the relation to the author may see the comment on an event that they may see: not
// across a block (MOD-02), and a hidden one only its author (MOD-03).
func (c Comment) VisibleTo(viewer user.ID, r subscription.Relation) bool {
	return r != subscription.Blocked && (!c.Hidden || viewer == c.Author)
}

// RemovableBy reports whether the user may delete the comment: its author and the
// author of the event may.
func (c Comment) RemovableBy(actor, eventAuthor user.ID) bool {
	return actor == c.Author || actor == eventAuthor
}

// ErrNotCommenter is the fault of deleting a comment without being its author or the
// author of the event.
var ErrNotCommenter = fault.New(fault.Denied, "Only the author of the comment or of the event may delete a comment.")

// ErrNotWriter is the fault of editing a comment of another person.
var ErrNotWriter = fault.New(fault.Denied, "Only the author of the comment may edit it.")

// Like is that a user likes an event, or no longer does.
type Like struct {
	Event   ID
	By      user.ID
	IsLiked bool
	At      time.Time
}

// NewLike returns the user's like of the event, or that the user takes it back.
func NewLike(on ID, by user.ID, isLiked bool, now time.Time) Like {
	return Like{Event: on, By: by, IsLiked: isLiked, At: instant.Normalise(now)}
}

// Liking is the likes of an event to a viewer (EVT-22).
type Liking struct {
	Event   ID
	Author  user.ID
	Likes   int
	IsLiked bool // by the viewer
	Exposure
	Relation subscription.Relation // of the viewer to the event's author
}

// CheckRead returns nil if the viewer may see the event, else ErrNotFound (EVT-07).
func (l Liking) CheckRead() error { return l.Exposure.CheckRead(l.Relation) }

// Counts are the numbers of comments and likes of an event (EVT-17).
type Counts struct{ Comments, Likes int }
