package event

import (
	"context"

	"plaza/domain/page"
	"plaza/domain/user"
)

// Entry is an event with its counts, as it is shown.
type Entry struct {
	*Event
	Counts
	Revision int64 // the store's own: by it ChangeRead knows whether the event is still the same
}

// Repository stores events, and keeps the feed equal to their listings in the
// same step. One type implements Repository, Reader, Discussion and Scenery over the
// same data; every implementation passes test/ports.Events.
type Repository interface {
	// Add stores a new event and returns it with its number, and its plates with
	// theirs. No number is ever given twice, here and below.
	Add(ctx context.Context, e *Event) (*Event, error)
	// Get returns a private copy of the event with its counts, or ErrNotFound.
	Get(ctx context.Context, id ID) (Entry, error)
	// Change loads the event, calls fn and stores the result, atomically and
	// isolated from other Changes of it; it returns a private copy of what is
	// stored then. New plates get their numbers. If fn fails, nothing is stored
	// and its error comes back as it is; nothing is stored either when fn panics or
	// the context ends, and nobody ever sees half of a Change. fn must do no I/O: it
	// may run again. Calling the store from inside fn must fail at once.
	Change(ctx context.Context, id ID, fn func(*Event) error) (Entry, error)
	// ChangeRead is Change of an event that the caller has just got, and has not
	// touched: a store need not read it again while it is still the same.
	ChangeRead(ctx context.Context, read Entry, fn func(*Event) error) (Entry, error)
	// Remove deletes the event with its comments and likes and takes it off the
	// feed, and returns what it was, so that its pictures can follow. ErrNotFound
	// when it is not there: of many at once, one gets the event.
	Remove(ctx context.Context, id ID) (*Event, error)
}

// Query says which events of an author are wanted, and how.
type Query struct {
	Author user.ID
	Reach  []StatusPermission // the showings to list; none lists nothing
	Order  Ordering
	Page   page.Request
}

// Reader lists events.
type Reader interface {
	// List returns a page of the author's events within the reach, in order. The
	// total must count exactly those that paging through yields.
	List(ctx context.Context, q Query) (page.Page[Entry], error)
	// Commented returns the author's events that have comments, the one with the
	// latest comment first, ties by descending id, at most limit.
	Commented(ctx context.Context, author user.ID, limit int) ([]Entry, error)
	// OfPlate returns the event that the plate is attached to, or ErrNoPlate.
	OfPlate(ctx context.Context, id PlateID) (ID, error)
	// Located returns the texts and places of everybody's events, drafts too, that
	// come after the id: by ascending id, at most limit. Going on after the last one
	// leads through all events, however many there are; events that are written or
	// removed meanwhile hide no others.
	Located(ctx context.Context, after ID, limit int) ([]Located, error)
}

// Discussion stores comments and likes, and their exact counts. None of it is a
// modification of the event.
type Discussion interface {
	// AddComment stores the comment and returns it with its number. ErrNotFound
	// when its event is gone.
	AddComment(ctx context.Context, c Comment) (Comment, error)
	// Comment returns the comment, or ErrNoComment.
	Comment(ctx context.Context, id CommentID) (Comment, error)
	// RemoveComment deletes the comment, or returns ErrNoComment: of many at once,
	// one removes it.
	RemoveComment(ctx context.Context, id CommentID) error
	// Comments returns a page of the event's comments, newest first, ties by
	// descending id. An event that is gone has none.
	Comments(ctx context.Context, on ID, p page.Request) (page.Page[Comment], error)
	// Like makes the person like the event, or no longer, whatever was before.
	// ErrNotFound when the event is gone.
	Like(ctx context.Context, on ID, who user.ID, likes bool) error
}
