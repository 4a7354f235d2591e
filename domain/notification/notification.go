// Package notification tells people what others did: a comment on their event, a reply to their comment, a like, a new follower; what
// staff did with a thing of theirs, or with their report; and that an order was paid.
//
// A store writes a notification in the step that stores what it tells of, and takes it along with that. One's own acts
// make none. A like that is taken back and given again within RepeatAfter of its notification makes no other one.
package notification

import (
	"context"
	"time"

	"plaza/domain/event"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// ID numbers notifications. Of two notifications of a person the later one has the greater ID.
type ID int64

// Kind is what a notification tells of.
type Kind string

// The kinds of NTF-02 and NTF-03.
const (
	Comment       Kind = "comment" // on an event of the person
	Reply         Kind = "reply"   // to a comment of the person
	Like          Kind = "like"    // of an event of the person
	Follow        Kind = "follow"  // of the person
	Hidden        Kind = "hidden"  // a thing of the person, by staff
	Restored      Kind = "restored"
	ReportDecided Kind = "report_decided" // of the person, by staff
	OrderPaid     Kind = "order_paid"     // of the person, as the wallet says
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

// Source is what a notification tells of. A source has at most one notification, unless no person did it.
type Source struct {
	Kind   Kind
	By     user.ID // the person who did it; zero: staff, or the wallet
	Object int64   // the comment, the liked event, the followed user, or the number of the subject of what staff did
}

// Subject is the thing that a notification is about.
type Subject struct {
	Kind moderation.Kind // or KindReport or KindOrder
	ID   int64
}

// Kinds of a Subject that is a report or an order.
const (
	KindReport moderation.Kind = "report"
	KindOrder  moderation.Kind = "order"
)

// Notice is a notification that is to be stored.
type Notice struct {
	Source
	To      user.ID // zero: the source makes no notification
	Created time.Time
	About   moderation.Kind // of the subject of what staff did
	Note    string          // what staff say: the reason, or the outcome of a report
}

// Subject returns what the notification is about.
func (n Notice) Subject() Subject {
	switch {
	case n.By == 0:
		return Subject{n.About, n.Object}
	case n.Kind == Like:
		return Subject{moderation.Event, n.Object}
	case n.Kind == Follow:
		return Subject{moderation.Profile, int64(n.By)}
	}
	return Subject{moderation.Comment, n.Object}
}

// Expires returns until when the notification is kept.
func (n Notice) Expires() time.Time { return n.Created.Add(KeptFor) }

// OfComment returns the notice of a comment, To no one yet.
func OfComment(c event.Comment) Notice {
	return Notice{Source: Source{Comment, c.Author, int64(c.ID)}, Created: c.Created}
}

// OfReply returns the notice of a comment to the author of the one that it replies to, unless they are told of it as the author of
// the event.
func OfReply(c event.Comment, author user.ID) Notice {
	n := Notice{Source: Source{Reply, c.Author, int64(c.ID)}, Created: c.Created}
	if c.ReplyTo.By == author {
		return n
	}
	return n.For(c.ReplyTo.By)
}

// OfLike returns the notice of a like, To no one yet.
func OfLike(l event.Like) Notice {
	return Notice{Source: Source{Like, l.By, int64(l.Event)}, Created: l.At}
}

// For returns the notice to the author of the event, or of a comment. One's own acts make none.
func (n Notice) For(author user.ID) Notice {
	if n.By != author {
		n.To = author
	}
	return n
}

// OfFollow returns the notice of a subscription. Following a category makes no notification.
func OfFollow(s subscription.Subscription) Notice {
	return Notice{Source: Source{Follow, s.User, int64(s.Followed)}, To: s.Followed, Created: s.Created}
}

// OfHiding returns the notice of a thing that staff have hidden.
func OfHiding(h moderation.Hiding) Notice {
	return Notice{Source: Source{Kind: Hidden, Object: h.ID}, To: h.Owner, Created: h.At, About: h.Kind, Note: h.Reason}
}

// OfRestoring returns the notice of a hidden thing that staff have restored. Without a time of the decision it is To no one.
func OfRestoring(h moderation.Hiding, d moderation.Decision) Notice {
	n := Notice{Source: Source{Kind: Restored, Object: h.ID}, Created: d.At, About: h.Kind, Note: d.Reason}
	if !d.At.IsZero() {
		n.To = h.Owner
	}
	return n
}

// OfDecision returns the notice of a report that staff have decided.
func OfDecision(r moderation.Report) Notice {
	return Notice{
		Source: Source{Kind: ReportDecided, Object: int64(r.ID)}, To: r.By, Created: r.Decided, About: KindReport, Note: string(r.State()),
	}
}

// OfPaid returns the notice of an order that has become paid, or one To no one.
func OfPaid(before, o payment.Order) Notice {
	n := Notice{Source: Source{Kind: OrderPaid, Object: int64(o.ID)}, Created: o.PaidAt, About: KindOrder}
	if o.State == payment.Paid && before.State != payment.Paid {
		n.To = o.User
	}
	return n
}

// Notification tells a person of something that another one or staff did.
type Notification struct {
	ID      ID
	Kind    Kind
	By      user.ID // zero: staff, or the wallet
	Event   Event   // zero but for a comment, a reply and a like
	Comment Content // zero unless it is of a comment or a reply
	Subject Subject
	Note    string // what staff say
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
// person the store keeps at least the newest MinKept, and at most MaxKept. A reply on an event that the person may not see by
// event.VisibleStates is neither listed nor counted as long as that is so. Every implementation passes test/ports.Notifications.
type Store interface {
	Streams
	// List returns the notifications of the person behind the cursor, the newest first.
	List(ctx context.Context, of user.ID, r page.CursorRequest) (List, error)
	// MarkRead marks the notifications of the person up to that one as read. Later ones never become read with it,
	// also if the ID is greater than theirs. Notifications that are read stay read.
	MarkRead(ctx context.Context, of user.ID, upTo ID) error
	// Unread returns how many notifications of the person are not read, at most MaxKept.
	Unread(ctx context.Context, of user.ID) (int, error)
}
