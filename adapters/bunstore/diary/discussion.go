package diary

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/event"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// CommentRow is a comment on an event.
type CommentRow struct {
	bun.BaseModel `bun:"table:comments,alias:c"`
	ID            event.CommentID `bun:",pk,autoincrement"`
	EventID       event.ID
	AuthorID      user.ID
	Content       string
	Created       engine.Time
	Edited        engine.Time
	ReplyTo       event.CommentID `bun:",nullzero"`
	ReplyAuthor   user.ID         `bun:",scanonly,nullzero"`
	Hidden        bool
	engine.PageRow
}

// authoredComment is a comment with its author.
type authoredComment struct {
	CommentRow
	people.MemberRow
}

func (r CommentRow) Comment() event.Comment {
	return event.Comment{
		ID: r.ID, Event: r.EventID, Author: r.AuthorID, Content: r.Content, Created: r.Created.Time, Edited: r.Edited.Time,
		ReplyTo: event.Replied{ID: r.ReplyTo, By: r.ReplyAuthor}, Hidden: r.Hidden,
	}
}

const (
	// lockDiscussed locks the counts of the event $1, which also prevents its removal, and finds what says whether the
	// user $2 may see it.
	lockDiscussed = `
		SELECT n.author_id, e.status, e.permission, e.hidden,
			EXISTS (SELECT 1 FROM subscriptions WHERE user_id = $2 AND followed_id = n.author_id) AS follows,
			EXISTS (SELECT 1 FROM subscriptions WHERE user_id = n.author_id AND followed_id = $2) AS is_followed,
			EXISTS (SELECT 1 FROM blocks WHERE user_id = $2 AND other_id = n.author_id) AS is_blocked
		FROM event_counts n JOIN events e ON e.id = n.event_id
		WHERE n.event_id = $1
		FOR NO KEY UPDATE OF n`

	// lockCommented locks the counts of the event of the comment $1, without which no comment changes or goes. A comment never
	// moves to another event.
	lockCommented = `
		SELECT event_id FROM event_counts
		WHERE event_id = (SELECT c.event_id FROM comments c WHERE c.id = $1)
		FOR UPDATE`

	// findReplied finds the author of the comment $1 on the event $2, if the viewer $3 sees it.
	findReplied = `
		SELECT author_id FROM comments c
		WHERE c.id = $1 AND c.event_id = $2 AND (NOT c.hidden OR c.author_id = $3)
			AND NOT EXISTS (SELECT 1 FROM blocks WHERE user_id = $3 AND other_id = c.author_id)`

	// insertComment adds the comment of $2 with the text $3, written at $4, to the event $1, if it exists. It replies to the
	// comment $5; NULL: to none.
	insertComment = `
		INSERT INTO comments (event_id, author_id, content, created, reply_to)
		SELECT event_id, $2, $3, $4, $5 FROM event_counts WHERE event_id = $1
		RETURNING id`

	// RecountComments counts $2 more comments on the event $1, and finds the newest of them.
	RecountComments = `
		UPDATE event_counts
		SET comments = comments + $2,
			commented = (SELECT MAX(c.created) FROM comments c WHERE c.event_id = $1 AND NOT c.hidden)
		WHERE event_id = $1`

	// insertLike stores the like of the event $1, if it exists, by $2. It returns a row if the like is new.
	insertLike = `
		INSERT INTO likes (event_id, user_id)
		SELECT event_id, $2 FROM event_counts WHERE event_id = $1
		ON CONFLICT DO NOTHING
		RETURNING 1`

	// deleteLike takes back the like of the event $1 by $2. It returns a row if there was one.
	deleteLike = `
		DELETE FROM likes WHERE event_id = $1 AND user_id = $2
		RETURNING -1`

	// CountLikes counts $2 more likes of the event $1.
	CountLikes = `
		UPDATE event_counts SET likes = likes + $2 WHERE event_id = $1`
)

// lockDiscussed queues the statement that locks the counts of the event, and sets the author. The transaction fails unless the
// user may see the event.
func (v Events) lockDiscussed(tx *engine.Tx, on event.ID, by user.ID, author *user.ID) {
	engine.Found(tx, tx.Queue(lockDiscussed, on, by).Must(event.ErrNotFound), func(row *EventRow) error {
		if *author = row.AuthorID; !row.State().Exposure().VisibleTo(row.Relation(by, row.AuthorID)) {
			return event.ErrNotFound
		}
		return nil
	})
}

func (v Events) AddComment(
	ctx context.Context, c event.Comment, charges ...ratelimit.Charge,
) (event.Comment, *user.Member, error) {
	var by *user.Member
	key := c.Completes
	c.Completes = nil
	err := v.DB.Write(ctx, func(tx *engine.Tx) error {
		var author user.ID
		by = nil
		v.needComment(tx, c)
		people.ChargeAll(tx, charges)
		v.lockDiscussed(tx, c.Event, c.Author, &author)
		if c.ReplyTo.ID != 0 {
			tx.Queue(findReplied, c.ReplyTo.ID, c.Event, c.Author).Must(event.ErrNoReplied).Into((*int64)(&c.ReplyTo.By))
		}
		tx.Queue(insertComment, c.Event, c.Author, c.Content, c.Created, engine.NullIfZero(c.ReplyTo.ID)).Into((*int64)(&c.ID))
		if err := tx.Send(); err != nil {
			return err
		}
		tx.Queue(RecountComments, c.Event, 1)
		people.Notify(tx, notification.OfComment(c).For(author), notification.OfReply(c, author))
		people.CompleteKey(tx, key, idempotency.Comment, int64(c.ID))
		tx.Add(people.MembersOf(v.DB, []user.ID{c.Author}, func(m user.Member) { by = &m }))
		return nil
	})
	return c, by, err
}

func (v Events) EditComment(ctx context.Context, c event.Comment, charges ...ratelimit.Charge) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		people.ChargeAll(tx, charges)
		tx.Queue(lockCommented, c.ID).Must(event.ErrNoComment)
		tx.Queue("UPDATE comments SET content = $2, edited = $3 WHERE id = $1", c.ID, c.Content, c.Edited).Must(event.ErrNoComment)
		return nil
	})
}

// commentByID finds the comment $1.
const commentByID = `
	SELECT c.id, c.event_id, c.author_id, c.content, c.created, c.edited, c.reply_to, c.hidden,
		(SELECT r.author_id FROM comments r WHERE r.id = c.reply_to AND NOT r.hidden) AS reply_author
	FROM comments c WHERE c.id = $1`

func (v Events) Comment(ctx context.Context, id event.CommentID) (event.Comment, error) {
	row, err := engine.One[CommentRow](ctx, v.DB, event.ErrNoComment, commentByID, id)
	return row.Comment(), err
}

// RemoveComment finds the latest remaining comment in a separate statement: only after
// the lock does it see all concurrent comments.
func (v Events) RemoveComment(ctx context.Context, id event.CommentID) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		var on event.ID
		var wasHidden bool
		tx.Queue(lockCommented, id).Must(event.ErrNoComment).Into((*int64)(&on))
		tx.Queue("DELETE FROM comments WHERE id = $1 RETURNING hidden", id).Must(event.ErrNoComment).Into(&wasHidden)
		if err := tx.Send(); err != nil || wasHidden {
			return err
		}
		tx.Queue(RecountComments, on, -1)
		return nil
	})
}

// TurnComment hides or restores the comment with its notification, and returns its author.
func TurnComment(_ *engine.DB, tx *engine.Tx, t moderation.Thing, isHidden bool, _ media.Moves) (user.ID, error) {
	var row CommentRow
	tx.Queue(lockCommented, t.ID).Must(event.ErrNoComment)
	err := engine.OrNotFound(tx.NewSelect().Model(&row).Where("id = ?", t.ID).Scan(tx.Context()), event.ErrNoComment)
	if err == nil {
		row.Hidden, err = moderation.Turned(row.Hidden, isHidden)
	}
	if err != nil {
		return 0, err
	}
	more := 1
	if isHidden {
		more = -1
	}
	tx.Queue("UPDATE comments SET hidden = $2 WHERE id = $1", t.ID, isHidden)
	tx.Queue(RecountComments, row.EventID, more)
	tx.Queue("UPDATE notifications SET withdrawn = $3 WHERE actor_id = $1 AND kind IN ('comment', 'reply') AND object_id = $2",
		row.AuthorID, t.ID, isHidden)
	return row.AuthorID, nil
}

// commentsPage finds the comments on the event $1 that the viewer $4 sees, $2 of them after $3 behind the comment $6 written at
// $5, the newest first, with their number. The counts of all comments and of hidden ones need an index alone. Most viewers have
// no block, and only for the others comments of blocked people are counted.
const commentsPage = `
	SELECT
		(SELECT COUNT(*) FROM comments WHERE event_id = $1)
			- (SELECT COUNT(*) FROM comments c WHERE c.event_id = $1 AND c.hidden AND c.author_id <> $4)
			- CASE WHEN (SELECT b.other_id FROM blocks b WHERE b.user_id = $4 LIMIT 1) IS NULL THEN 0 ELSE (
				SELECT COUNT(*) FROM comments c
				WHERE c.event_id = $1 AND NOT c.hidden
					AND (SELECT COUNT(*) FROM blocks b WHERE b.user_id = $4 AND b.other_id = c.author_id) > 0) END AS total,
		c.id, c.event_id, c.author_id, c.content, c.created, c.edited, c.reply_to, c.hidden,
		(SELECT r.author_id FROM comments r WHERE r.id = c.reply_to AND NOT r.hidden) AS reply_author,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen
	FROM (
		SELECT c.id, c.event_id, c.author_id, c.content, c.created, c.edited, c.reply_to, c.hidden FROM comments c
		WHERE c.event_id = $1 AND (NOT c.hidden OR c.author_id = $4)
			AND ((SELECT b.other_id FROM blocks b WHERE b.user_id = $4 LIMIT 1) IS NULL
				OR (SELECT COUNT(*) FROM blocks b WHERE b.user_id = $4 AND b.other_id = c.author_id) = 0)
			AND (c.created, c.id) < ($5, $6)
		ORDER BY c.created DESC, c.id DESC
		LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint)) c
	LEFT JOIN users u ON u.id = c.author_id AND u.phone NOT LIKE 'erased-%'
	LEFT JOIN presence p ON p.user_id = u.id
	ORDER BY c.created DESC, c.id DESC`

func (v Events) Comments(
	ctx context.Context, on event.ID, viewer user.ID, r page.Request,
) (page.Page[event.Comment], map[user.ID]*user.Member, error) {
	members := map[user.ID]*user.Member{}
	created, _, id := engine.Behind(r)
	key := func(row authoredComment) page.Cursor { return row.Comment().AtCursor() }
	found, err := engine.PageOf(ctx, v.DB, r, key, commentsPage, on, r.Limit(), r.Offset(), viewer, created, id)
	for _, row := range found.Items {
		people.AddMember(members, row.Member())
	}
	return page.Map(found, func(row authoredComment) event.Comment { return row.Comment() }), members, err
}

func (v Events) AllComments(ctx context.Context, q event.CommentQuery, r page.Request) (page.Page[event.Comment], error) {
	p, err := engine.ListPage[CommentRow](ctx, v.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		return engine.WhereSet(engine.WhereSet(engine.Within(query, "created", q.Span), "event_id", q.On), "author_id", q.By)
	}, engine.Latest(v.DB, q.Span, "created", "id", func(r CommentRow) page.Cursor { return r.Comment().AtCursor() }))
	return page.Map(p, CommentRow.Comment), err
}

func (v Events) Like(ctx context.Context, l event.Like, charges ...ratelimit.Charge) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		var more int64
		var author user.ID
		people.ChargeAll(tx, charges)
		v.lockDiscussed(tx, l.Event, l.By, &author)
		notice, change := notification.OfLike(l), insertLike
		if !l.IsLiked {
			people.WithdrawNotice(tx, notice) // a notification that is not withdrawn goes with its like
			change = deleteLike
		}
		tx.Queue(change, l.Event, l.By).Into(&more)
		if err := tx.Send(); err != nil || more == 0 {
			return err
		}
		tx.Queue(CountLikes, l.Event, more)
		if l.IsLiked {
			people.Notify(tx, notice.For(author))
		}
		return nil
	})
}

// likings finds the likes of the events of $1, whether the viewer $2 likes them, and what says whether the viewer may see them.
// COUNT looks up one row for each; for EXISTS, Postgres may read all whom the viewer follows.
var likings = engine.Both(`
	SELECT e.id, e.author_id, e.status, e.permission, e.hidden, n.likes,
		(SELECT COUNT(*) FROM likes l WHERE l.event_id = e.id AND l.user_id = $2) > 0 AS is_liked,
		(SELECT COUNT(*) FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id = e.author_id) > 0 AS follows,
		(SELECT COUNT(*) FROM subscriptions s WHERE s.user_id = e.author_id AND s.followed_id = $2) > 0 AS is_followed,
		(SELECT COUNT(*) FROM blocks b WHERE b.user_id = $2 AND b.other_id = e.author_id) > 0 AS is_blocked
	FROM events e JOIN event_counts n ON n.event_id = e.id
	WHERE e.id = ANY($1)`)

func (v Events) Likings(ctx context.Context, on []event.ID, viewer user.ID) (map[event.ID]event.Liking, error) {
	all := make(map[event.ID]event.Liking, len(on))
	rows, err := engine.All[EventRow](ctx, v.DB, v.DB.Pick(likings), on, viewer)
	for _, r := range rows {
		all[r.ID] = event.Liking{
			Event: r.ID, Author: r.AuthorID, Likes: int(r.Likes), IsLiked: r.IsLiked, Exposure: r.State().Exposure(),
			Relation: r.Relation(viewer, r.AuthorID),
		}
	}
	return all, err
}
