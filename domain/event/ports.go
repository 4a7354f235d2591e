package event

import (
	"context"

	"plaza/domain/calendar"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Entry is an event with its counts, as clients see it.
type Entry struct {
	*Event
	Counts
	Revision int64 // set by the store, so that ChangeRead can tell whether the event has changed
}

// Repository stores events, and updates the feed to their listings in the same step. It keeps
// the quotas with which the store was opened (GEN-14): Add, Change and ChangeRead return
// quota.Limits.ErrDrafts for one draft too many, and ErrPictures if the new plates take more
// bytes than are left. They store nothing then. Concurrent calls must not exceed a quota.
// One type implements Repository, Reader, Discussion and RelatedReader over the same
// data. Every implementation passes test/ports.Events.
type Repository interface {
	// Add stores a new event and returns it with its number and the numbers of its
	// plates. No method of these ports may assign a number twice.
	//
	// Here and in all methods that take charges, of all ports: the charges are applied in
	// the transaction of the write, so that concurrent calls on any server cannot exceed a
	// limit. If one is refused, the method must write and charge nothing, and return
	// ratelimit.ErrThrottled with the time to wait. A call that fails must not be charged.
	//
	// Here and in all methods that store a value with a field Completes, of all ports: the
	// key is completed as package idempotency says.
	Add(ctx context.Context, e *Event, charges ...ratelimit.Charge) (*Event, error)
	// Get returns a private copy of the event with its counts, or ErrNotFound.
	Get(ctx context.Context, id ID) (Entry, error)
	// GetFor is Get with the relation of the viewer to the event's author. It must read both
	// at one moment.
	GetFor(ctx context.Context, id ID, viewer user.ID) (Entry, subscription.Relation, error)
	// Change loads the event, calls fn and stores the result, atomically and
	// isolated from other Changes of it. It returns a private copy of the stored event.
	// New plates get their numbers. If fn fails, nothing is stored and Change returns
	// fn's error unchanged. If fn panics or the context ends, nothing is stored. No
	// reader may see a partial Change. fn must do no I/O: it may run again. fn must not
	// call a port of the store: a store may hold a lock while fn runs, so such a call may
	// never return. A Change that changes nothing is not charged.
	Change(ctx context.Context, id ID, fn func(*Event) error, charges ...ratelimit.Charge) (Entry, error)
	// ChangeRead is Change of an event that the caller has read and not modified. The
	// store need not load the event again if it has not changed since.
	ChangeRead(ctx context.Context, read Entry, fn func(*Event) error, charges ...ratelimit.Charge) (Entry, error)
	// Remove deletes the event with its comments, likes and listing, gives back the bytes
	// of its plates, and returns the deleted event, so that the caller can delete its
	// pictures. It returns ErrNotFound if the event does not exist: of concurrent calls,
	// exactly one gets the event.
	Remove(ctx context.Context, id ID) (*Event, error)
}

// Query selects and orders events of an author.
type Query struct {
	Author   user.ID
	Viewer   user.ID       // lists those that the viewer may see, by VisibleStates
	Status   *Status       // nil: any
	From, To calendar.Date // the first and the last day; zero: any
	Order    Ordering
	Page     page.Request // behind a cursor only in the zero Ordering: its keys are those of State.AtDay
}

// Admits reports whether the query selects the event if the viewer may see it.
func (q Query) Admits(e State) bool {
	return e.Author == q.Author && (q.Status == nil || e.Status == *q.Status) &&
		e.Date.Compare(q.From) >= 0 && (q.To.IsZero() || e.Date.Compare(q.To) <= 0)
}

// Reader lists events.
type Reader interface {
	// List returns a page of the author's events that the Viewer may see, in order. The
	// total must equal the number of events on all pages.
	List(ctx context.Context, q Query) (page.Page[Entry], error)
	// Written returns a page of the author's events in the span, whoever may see them, by their creation in its order, ties by
	// descending id.
	Written(ctx context.Context, author user.ID, s page.Span, p page.Request) (page.Page[State], error)
	// Commented returns at most limit of the author's events with comments, the event
	// with the latest comment first, ties by descending id.
	Commented(ctx context.Context, author user.ID, limit int) ([]Entry, error)
	// Timeline returns the published events of the users whom the viewer follows that the viewer may
	// see by VisibleStates, behind the cursor: the newest publication first, ties by descending id. Cursors are
	// those of State.AtCursor. The cost must not grow with the events of the followed, nor by more than a
	// constant for each followed user.
	Timeline(ctx context.Context, viewer user.ID, r page.CursorRequest) (page.CursorPage[Entry], error)
	// OfPlate returns the event that the plate is attached to, or ErrNoPlate.
	OfPlate(ctx context.Context, id PlateID) (ID, error)
	// Located returns the texts and places of at most limit events of all authors,
	// drafts included, with ids greater than after, by ascending id. Calling it again
	// with the last id must yield every event; events added or removed meanwhile must
	// not hide others.
	Located(ctx context.Context, after ID, limit int) ([]Located, error)
}

// CommentQuery selects comments.
type CommentQuery struct {
	On        ID      // the event; zero: any
	By        user.ID // their author; zero: anyone
	page.Span         // of when they were written
}

// Discussion stores comments and likes, their exact counts, and their notifications
// (notification.Store). Comments and likes do not modify the event.
type Discussion interface {
	// AddComment stores the comment, and returns it with its number, and its author, or nil if
	// their data was erased. It returns
	// ErrNotFound if the event does not exist or the comment's author may not see it by VisibleStates, ErrNoReplied if it replies
	// to a comment that is not on the event or not VisibleTo its author, and
	// quota.Limits.ErrComments if the comment's author has written as many on the event as the store was opened
	// with (GEN-14). Concurrent calls must not exceed the quota.
	AddComment(ctx context.Context, c Comment, charges ...ratelimit.Charge) (Comment, *user.Member, error)
	// EditComment stores the content and the time of the edit, or returns ErrNoComment. The author is told of nothing.
	EditComment(ctx context.Context, c Comment, charges ...ratelimit.Charge) error
	// Comment returns the comment, or ErrNoComment.
	Comment(ctx context.Context, id CommentID) (Comment, error)
	// RemoveComment deletes the comment, or returns ErrNoComment: of concurrent calls,
	// exactly one deletes it.
	RemoveComment(ctx context.Context, id CommentID) error
	// Comments returns a page of the event's comments, newest first, ties by
	// descending id, and their authors as user.Directory returns them at that moment. It leaves out those that are not
	// VisibleTo the viewer, and the total does not count them. A deleted event has no comments.
	Comments(ctx context.Context, on ID, viewer user.ID, p page.Request) (page.Page[Comment], map[user.ID]*user.Member, error)
	// AllComments returns a page of the comments that the query selects, hidden ones included, the newest first, ties by descending
	// id, or in the order of its span.
	AllComments(ctx context.Context, q CommentQuery, p page.Request) (page.Page[Comment], error)
	// Like sets whether the user likes the event. Repeating a call changes nothing, but is
	// charged. It returns ErrNotFound if the event does not exist or the user may not see it by VisibleStates.
	Like(ctx context.Context, l Like, charges ...ratelimit.Charge) error
	// Likings returns the likes of the events, and what decides whether the viewer may see
	// them. Events that do not exist are absent. It must read all of an event at one moment.
	Likings(ctx context.Context, on []ID, viewer user.ID) (map[ID]Liking, error)
}
