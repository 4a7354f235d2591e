package people

import (
	"cmp"
	"context"
	"math"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/user"
)

// Notifications implements notification.Store.
//
// A notification is written in the transaction of its source. The rest is done by triggers: they count
// the notifications of a person, keep the newest of them, and remove a notification with its source.
type Notifications struct{ DB *engine.DB }

const (
	// insertNotice tells the person $1 of what $3 did: of the kind $2 with the object $4, or of what staff did with that, which is
	// of the kind $7, and said: $8. Triggers count it, and bring a withdrawn notification back.
	insertNotice = `
		INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires, about, note)
		VALUES ($1, $2, $3, $4, $5, $6, NULLIF($7, ''), $8)`

	// withdrawNotice hides the notification of the like of the event $1 by $2, if it was created after $3. It then stays
	// for $4 behind its creation; older ones go with their like.
	withdrawNotice = `
		UPDATE notifications SET withdrawn = TRUE, expires = created + $4
		WHERE actor_id = $2 AND kind = 'like' AND object_id = $1 AND created > $3`

	// lockUnread locks the counts of the notifications of $1. Only a statement behind the lock sees all concurrent ones.
	lockUnread = `
		SELECT 1 FROM notification_counts WHERE owner_id = $1
		FOR UPDATE`

	// markRead marks the notifications of $1 as read, up to the newest of those up to $2.
	markRead = `
		UPDATE notification_counts
		SET read_up_to = (SELECT MAX(n.id) FROM notifications n WHERE n.owner_id = $1 AND n.withdrawn = FALSE AND n.id <= $2),
			unread = (SELECT COUNT(*) FROM notifications n WHERE n.owner_id = $1 AND n.withdrawn = FALSE AND n.id > $2)
		WHERE owner_id = $1
			AND read_up_to < (SELECT MAX(n.id) FROM notifications n WHERE n.owner_id = $1 AND n.withdrawn = FALSE AND n.id <= $2)`

	// unreadOf counts the notifications of $1 that are not read.
	unreadOf = `
		SELECT unread - (SELECT COUNT(*) FROM unseen_replies u WHERE u.owner_id = $1 AND u.id > read_up_to)
		FROM notification_counts WHERE owner_id = $1`

	// notices finds the notifications of $1 before the id $2 and behind $4, $3 of them, with what they are about. Without any there is a row
	// with the counts.
	notices = `
		SELECT k.unread, k.read_up_to, n.id, n.kind, n.actor_id, n.object_id, n.about, n.note, n.created,
			e.id AS event_id, e.title AS event_title, c.id AS comment_id, c.content AS comment_content,
			u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen
		FROM (
			SELECT COALESCE(MAX(unread), 0) - (SELECT COUNT(*) FROM unseen_replies u
					WHERE u.owner_id = $1 AND u.id > (SELECT read_up_to FROM notification_counts WHERE owner_id = $1)) AS unread,
				COALESCE(MAX(read_up_to), 0) AS read_up_to
			FROM notification_counts WHERE owner_id = $1) k
		LEFT JOIN (
			SELECT id, kind, actor_id, object_id, about, note, created FROM notifications n
			WHERE owner_id = $1 AND withdrawn = FALSE AND id < $2 AND id > $4
				AND (n.kind <> 'reply' OR NOT EXISTS (SELECT 1 FROM unseen_replies u WHERE u.owner_id = $1 AND u.id = n.id))
			ORDER BY id DESC LIMIT CAST($3 AS bigint)) n ON TRUE
		LEFT JOIN comments c ON c.id = CASE WHEN n.kind IN ('comment', 'reply') THEN n.object_id END
		LEFT JOIN events e ON e.id = COALESCE(c.event_id, CASE n.kind WHEN 'like' THEN n.object_id END)
		LEFT JOIN users u ON u.id = n.actor_id AND u.phone NOT LIKE 'erased-%'
		LEFT JOIN presence p ON p.user_id = u.id
		ORDER BY n.id DESC`
)

// noticeRow is a row of notices.
type noticeRow struct {
	Unread         int64
	ReadUpTo       notification.ID
	ID             notification.ID   `bun:",nullzero"`
	Kind           notification.Kind `bun:",nullzero"`
	ActorID        user.ID           `bun:",nullzero"`
	ObjectID       int64             `bun:",nullzero"`
	About          moderation.Kind   `bun:",nullzero"`
	Note           string            `bun:",nullzero"`
	Created        engine.Time
	EventID        event.ID        `bun:",nullzero"`
	EventTitle     string          `bun:",nullzero"`
	CommentID      event.CommentID `bun:",nullzero"`
	CommentContent string          `bun:",nullzero"`
	MemberRow
}

func (r noticeRow) notification() notification.Notification {
	of := notification.Notice{Source: notification.Source{Kind: r.Kind, By: r.ActorID, Object: r.ObjectID}, About: r.About}
	n := notification.Notification{ID: r.ID, IsRead: r.ID <= r.ReadUpTo, Subject: of.Subject(), Note: r.Note}
	n.Kind, n.By, n.Created = r.Kind, r.ActorID, r.Created.Time
	n.Event.ID, n.Event.Title, n.Comment.ID, n.Comment.Content = r.EventID, r.EventTitle, r.CommentID, r.CommentContent
	return n
}

// Notify queues the statements that store the notices, those that are to anyone. They lock the counts of people in one order.
func Notify(tx *engine.Tx, notices ...notification.Notice) {
	slices.SortFunc(notices, func(a, b notification.Notice) int { return cmp.Compare(a.To, b.To) })
	for _, n := range notices {
		if n.To != 0 {
			tx.Queue(insertNotice, n.To, n.Kind, engine.NullIfZero(n.By), n.Object, n.Created, n.Expires(), n.About, n.Note)
		}
	}
}

// WithdrawNotice queues the statement that hides the notification of a like that is taken back.
func WithdrawNotice(tx *engine.Tx, n notification.Notice) {
	tx.Queue(withdrawNotice, n.Object, n.By, n.Created.Add(-notification.RepeatAfter), notification.RepeatAfter)
}

func (v Notifications) List(ctx context.Context, of user.ID, r page.CursorRequest) (notification.List, error) {
	var list notification.News
	err := v.DB.ReadRows(ctx, func() { list = notification.News{Members: map[user.ID]*user.Member{}} },
		v.readNotices(&list, of, cmp.Or(r.After.ID, math.MaxInt64), 0, r.Size()))
	part := page.UpTo(r.Size(), list.Items, notification.Notification.Cursor)
	return notification.List{CursorPage: part, Members: list.Members, Unread: list.Unread}, err
}

// readNotices reads the notifications of the person between the ids, one more than the most that are wanted, with the people of those.
func (v Notifications) readNotices(into *notification.News, of user.ID, before int64, after notification.ID, most int) engine.Step {
	return engine.Each(v.DB, func(r *noticeRow) error {
		if into.Unread = atMostKept(r.Unread); r.ID == 0 {
			return nil
		}
		if into.Items = append(into.Items, r.notification()); len(into.Items) <= most {
			AddMember(into.Members, r.Member())
		}
		return nil
	}, notices, of, before, most+1, after)
}

// atMostKept returns a stored count of notifications. The store may have a few more than it keeps.
func atMostKept(count int64) int { return int(min(max(count, 0), notification.MaxKept)) }

func (v Notifications) MarkRead(ctx context.Context, of user.ID, upTo notification.ID) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		tx.Queue(lockUnread, of)
		tx.Queue(markRead, of, upTo)
		return nil
	})
}

func (v Notifications) Unread(ctx context.Context, of user.ID) (int, error) {
	var unread int64
	err := v.DB.ReadRow(ctx, unreadOf, []any{int64(of)}, &unread)
	return atMostKept(unread), err
}
