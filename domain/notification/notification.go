// Package notification tells people what others did: a comment on their event, a like of it, a new follower.
//
// A store writes a notification in the step that stores what it tells of, and takes it along with that. One's own acts
// make none. A like that is taken back and given again within RepeatAfter of its notification makes no other one.
package notification

import (
	"context"
	"time"

	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// ID numbers notifications. Of two notifications of a person the later one has the greater ID.
type ID int64

// Kind is what a notification tells of.
type Kind string

// The kinds of NTF-02.
const (
	Comment Kind = "comment" // on an event of the person
	Like    Kind = "like"    // of an event of the person
	Follow  Kind = "follow"  // of the person
)

const (
	// KeptFor is how long a notification is kept.
	KeptFor = 90 * 24 * time.Hour
	// MaxKept is how many notifications of a person are kept at most. When there is one more, only the newest MinKept stay.
	MaxKept = 1000
	MinKept = 950
	// RepeatAfter is how long after the notification of a like another like of the same event by the same person makes
	// no new one.
	RepeatAfter = 24 * time.Hour
)

// Source is what a notification tells of. A source has at most one notification.
type Source struct {
	Kind   Kind
	By     user.ID // the person who did it
	Object int64   // the comment, the liked event, or the followed user
}

// Notice is a notification that is to be stored.
type Notice struct {
	Source
	To      user.ID // zero: the source makes no notification
	Created time.Time
}

// Expires returns until when the notification is kept.
func (n Notice) Expires() time.Time { return n.Created.Add(KeptFor) }

// OfComment returns the notice of a comment, To no one yet.
func OfComment(c event.Comment) Notice {
	return Notice{Source{Comment, c.Author, int64(c.ID)}, 0, c.Created}
}

// OfLike returns the notice of a like, To no one yet.
func OfLike(l event.Like) Notice {
	return Notice{Source{Like, l.By, int64(l.Event)}, 0, l.At}
}

// For returns the notice to the author of the event. One's own acts make none.
func (n Notice) For(author user.ID) Notice {
	if n.By != author {
		n.To = author
	}
	return n
}

// OfFollow returns the notice of a subscription. Following a category makes no notification.
func OfFollow(s subscription.Subscription) Notice {
	return Notice{Source{Follow, s.User, int64(s.Followed)}, s.Followed, s.Created}
}

// Notification tells a person of something that another one did.
type Notification struct {
	ID      ID
	Kind    Kind
	By      user.ID
	Event   Event   // zero for a follow
	Comment Content // zero unless it is of a comment
	Created time.Time
	IsRead  bool
}

// Event is the event of a notification as it is now.
type Event struct {
	ID    event.ID
	Title string
}

// Content is the comment of a notification as it is now.
type Content struct {
	ID      event.CommentID
	Content string
}

// Cursor returns where a list continues behind the notification.
func (n Notification) Cursor() page.Cursor { return page.Cursor{ID: int64(n.ID)} }

// List is a part of the notifications of a person.
type List struct {
	page.CursorPage[Notification]
	Members map[user.ID]*user.Member // the people who did what they tell of, as user.Directory returns them
	Unread  int                      // of all notifications of the person, at most MaxKept
}

// Store stores notifications together with what they tell of: event.Discussion stores those of comments and likes,
// subscription.Repository those of follows. A comment that is deleted, a like that is taken back, a subscription that
// is removed and an event that is deleted take theirs along, whichever method of whichever port deletes them. While a block
// stands (block.Repository), what one of the two does makes no notification for the other. Of a
// person the store keeps at least the newest MinKept, and at most MaxKept. Every implementation passes test/ports.Notifications.
type Store interface {
	// List returns the notifications of the person behind the cursor, the newest first.
	List(ctx context.Context, of user.ID, r page.CursorRequest) (List, error)
	// MarkRead marks the notifications of the person up to that one as read. Later ones never become read with it,
	// also if the ID is greater than theirs. Notifications that are read stay read.
	MarkRead(ctx context.Context, of user.ID, upTo ID) error
	// Unread returns how many notifications of the person are not read, at most MaxKept.
	Unread(ctx context.Context, of user.ID) (int, error)
}
