package bunstore

import (
	"cmp"
	"context"
	"math"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/user"
)

// Notifications implements notification.Store.
//
// A notification is written by a step behind that of its source, in the same batch. The rest is done by triggers: they count
// the notifications of a person, keep the newest of them, and remove a notification with its source.
type Notifications struct{ s *Store }

// Notifications returns the store of notifications.
func (s *Store) Notifications() Notifications { return Notifications{s} }

// notificationSteps are the statements that write notifications: $1 the event, or the followed person, $2 kind, $3 who did
// it, $4 created, $5 expires. The author of the event is told, unless they did it.
type notificationSteps struct {
	notifyOfFollow string // unless the subscription that was just inserted existed already
	lockUnread     string // $1 the person
	markRead       string // $1 the person, $2 up to
	unread         string // $1 the person
}

func newNotificationSteps(d engine.Dialect) notificationSteps {
	const newest = "(SELECT MAX(n.id) FROM notifications n WHERE n.owner_id = $1 AND n.withdrawn = FALSE AND n.id <= $2)"
	return notificationSteps{
		notifyOfFollow: notifyOf("$1", "$1", "WHERE "+d.HasInserted("subscriptions")+d.UnlessMissed()),
		// Only a statement behind the lock sees all concurrent notifications.
		lockUnread: lockingOnly(d, "SELECT 1 FROM notification_counts WHERE owner_id = $1 "),
		markRead: "UPDATE notification_counts SET read_up_to = " + newest + ", unread = (SELECT COUNT(*) FROM notifications n" +
			" WHERE n.owner_id = $1 AND n.withdrawn = FALSE AND n.id > $2) WHERE owner_id = $1 AND read_up_to < " + newest,
		unread: "SELECT unread FROM notification_counts WHERE owner_id = $1",
	}
}

// notifyOf returns the statement that stores a notification of the object to the person for each row of the rest of the query.
func notifyOf(person, object, rest string) string {
	return "INSERT INTO notifications (owner_id, kind, actor_id, created, expires, object_id)" +
		" SELECT " + person + ", $2, $3, $4, $5, " + object + " " + rest
}

// lockingOnly returns the query with the clause that locks its rows, or nothing where there is one writer at a time.
func lockingOnly(d engine.Dialect, query string) string {
	if d.ForUpdate() == "" {
		return ""
	}
	return query + d.ForUpdate()
}

// noticeArgs returns the parameters of the statements that store a notification, $1 first.
func (s *Store) noticeArgs(first int64, n notification.Notice) []any {
	return []any{first, string(n.Kind), int64(n.By), s.Dialect.Instant(n.Created), s.Dialect.Instant(n.Expires())}
}

const (
	// insertNotice tells the person $1 of what $3 did: of the kind $2 with the object $4. Triggers count it, and bring a
	// withdrawn notification back (0040).
	insertNotice = `
		INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires)
		VALUES ($1, $2, $3, $4, $5, $6)`

	// withdrawNotice hides the notification of the like of the event $1 by $2, if it was created after $3. It then stays
	// for $4 behind its creation; older ones go with their like.
	withdrawNotice = `
		UPDATE notifications SET withdrawn = TRUE, expires = created + $4
		WHERE actor_id = $2 AND kind = 'like' AND object_id = $1 AND created > $3`

	// turnNoticeOfComment hides ($3 is true) or shows the notification of the comment $2 by $1.
	turnNoticeOfComment = `
		UPDATE notifications SET withdrawn = $3
		WHERE actor_id = $1 AND kind = 'comment' AND object_id = $2`
)

// notify queues the statement that stores the notice, if it is to anyone.
func notify(tx *engine.Tx, n notification.Notice) {
	if n.To != 0 {
		tx.Queue(insertNotice, n.To, n.Kind, n.By, n.Object, n.Created, n.Expires())
	}
}

// withdraw queues the statement that hides the notification of a like that is taken back.
func withdraw(tx *engine.Tx, n notification.Notice) {
	tx.Queue(withdrawNotice, n.Object, n.By, n.Created.Add(-notification.RepeatAfter), notification.RepeatAfter)
}

// notificationsPage is the hot read of the notifications of the person $1 before the id $2, $3 of them. The first two columns
// are in a row of their own if there are none.
var notificationsPage = "SELECT k.unread, k.read_up_to, n.id, n.kind, n.actor_id, n.created, e.id, e.title, c.id, c.content, " + memberFields +
	" FROM (SELECT COALESCE(MAX(unread), 0) AS unread, COALESCE(MAX(read_up_to), 0) AS read_up_to FROM notification_counts WHERE owner_id = $1) k" +
	" LEFT JOIN (SELECT id, kind, actor_id, object_id, created FROM notifications WHERE owner_id = $1 AND withdrawn = FALSE AND id < $2" +
	" ORDER BY id DESC LIMIT CAST($3 AS bigint)) n ON TRUE" +
	" LEFT JOIN comments c ON c.id = CASE n.kind WHEN 'comment' THEN n.object_id END" +
	" LEFT JOIN events e ON e.id = CASE n.kind WHEN 'comment' THEN c.event_id WHEN 'like' THEN n.object_id END" +
	joinMember("n.actor_id") + " ORDER BY n.id DESC"

func (v Notifications) List(ctx context.Context, of user.ID, r page.CursorRequest) (list notification.List, err error) {
	var n notification.Notification
	var unread, readUpTo int64
	var by user.Member
	targets := append([]any{
		&unread, &readUpTo, engine.OrZeroNumber[notification.ID]{Into: &n.ID}, engine.OrZeroText[notification.Kind]{Into: &n.Kind},
		engine.OrZeroNumber[user.ID]{Into: &n.By}, engine.IntoTime{Into: &n.Created},
		optionalTarget(&n.Event.ID), engine.OrZeroText[string]{Into: &n.Event.Title},
		optionalTarget(&n.Comment.ID), engine.OrZeroText[string]{Into: &n.Comment.Content},
	}, memberTargets(&by, v.s.Dialect)...)
	var items []notification.Notification
	read := engine.Step{
		Statement: v.s.hotReads.notifications,
		Args:      []any{int64(of), cmp.Or(r.After.ID, math.MaxInt64), int64(r.Size() + 1)},
		Row: func(scan func(...any) error) error {
			err := scan(targets...)
			if n.ID == 0 {
				return err
			}
			n.IsRead = int64(n.ID) <= readUpTo
			if items = append(items, n); len(items) <= r.Size() {
				addMember(list.Members, by)
			}
			return err
		},
	}
	err = v.s.ReadRows(ctx, read, func() { items, list.Members = nil, map[user.ID]*user.Member{} })
	list.CursorPage = page.UpTo(r.Size(), items, notification.Notification.Cursor)
	list.Unread = atMostKept(unread)
	return list, err
}

// atMostKept returns a stored count of notifications. The store may have a few more than it keeps.
func atMostKept(count int64) int { return int(min(max(count, 0), notification.MaxKept)) }

func (v Notifications) MarkRead(ctx context.Context, of user.ID, upTo notification.ID) error {
	return v.s.writeAll(ctx, append(lockStep(v.s.steps.lockUnread, int64(of)),
		engine.Step{Statement: v.s.steps.markRead, Args: []any{int64(of), int64(upTo)}}))
}

func (v Notifications) Unread(ctx context.Context, of user.ID) (int, error) {
	var unread int64
	err := v.s.ReadRow(ctx, v.s.steps.unread, []any{int64(of)}, &unread)
	return atMostKept(unread), err
}
