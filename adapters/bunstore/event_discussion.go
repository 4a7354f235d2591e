package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/user"
)

type commentRow struct {
	bun.BaseModel `bun:"table:comments,alias:c"`
	ID            event.CommentID `bun:",pk,autoincrement"`
	EventID       event.ID
	AuthorID      user.ID
	Content       string
	Created       dbTime
}

func (r commentRow) comment() event.Comment {
	return event.Comment{ID: r.ID, Event: r.EventID, Author: r.AuthorID, Content: r.Content, Created: r.Created.Time}
}

// listedComment is a row of a page of comments.
type listedComment struct {
	commentRow `bun:",extend"`
	counted
}

// AddComment updates the count first, which checks that the event exists and locks it, so that
// the next statement counts all comments of the author.
func (v Events) AddComment(ctx context.Context, c event.Comment) (event.Comment, error) {
	err := v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		at := dbTime{c.Created}
		done, err := tx.NewUpdate().Model((*eventCountsRow)(nil)).Set("comments = comments + 1").
			Set("commented = CASE WHEN commented > ? THEN commented ELSE ? END", at, at).
			Where("event_id = ?", c.Event).Exec(ctx)
		if err := orNotAffected(done, err, event.ErrNotFound); err != nil {
			return err
		}
		insert := step{
			statement: v.s.sql.insertComment, args: []any{int64(c.Event), int64(c.Author), c.Content, v.s.dialect.instant(at)},
			row: func(scan func(...any) error) error { return scan((*int64)(&c.ID)) },
		}
		if most := v.limits.Comments; most > 0 {
			insert.statement, insert.args, insert.orElse = v.s.sql.insertCommentWithin, append(insert.args, int64(most)), v.limits.ErrComments()
		}
		return tx.run(ctx, insert)
	})
	if err != nil {
		return event.Comment{}, err
	}
	return c, nil
}

func (v Events) Comment(ctx context.Context, id event.CommentID) (event.Comment, error) {
	var row commentRow
	err := v.s.read(ctx, func(ctx context.Context) error {
		err := v.s.reader.NewSelect().Model(&row).Where("id = ?", id).Scan(ctx)
		return orNotFound(err, event.ErrNoComment)
	})
	if err != nil {
		return event.Comment{}, err
	}
	return row.comment(), nil
}

// RemoveComment finds the latest remaining comment in a separate statement: only after
// the lock does it see all concurrent comments.
func (v Events) RemoveComment(ctx context.Context, id event.CommentID) error {
	return v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		var on event.ID // a comment never moves to another event
		err := tx.NewSelect().Model((*commentRow)(nil)).Column("event_id").Where("id = ?", id).Scan(ctx, &on)
		if err != nil {
			return orNotFound(err, event.ErrNoComment)
		}
		if err := v.s.lockCounts(ctx, tx, on); err != nil {
			return orNotFound(err, event.ErrNoComment)
		}
		done, err := tx.NewDelete().Model((*commentRow)(nil)).Where("id = ?", id).Exec(ctx)
		if err := orNotAffected(done, err, event.ErrNoComment); err != nil {
			return err
		}
		_, err = tx.NewUpdate().Model((*eventCountsRow)(nil)).Set("comments = comments - 1").
			Set("commented = (SELECT max(c.created) FROM comments c WHERE c.event_id = ?)", on).
			Where("event_id = ?", on).Exec(ctx)
		return err
	})
}

// lockCounts locks the counts of the event, which also prevents its removal. It returns
// sql.ErrNoRows if the event does not exist.
func (s *Store) lockCounts(ctx context.Context, tx *transaction, on event.ID) error {
	var locked event.ID
	query := "SELECT event_id FROM event_counts WHERE event_id = ? " + s.dialect.forUpdate()
	return tx.NewRaw(query, on).Scan(ctx, &locked)
}

func (v Events) Comments(ctx context.Context, on event.ID, r page.Request) (page.Page[event.Comment], error) {
	p, err := listPage[listedComment](ctx, v.s, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("event_id = ?", on)
	}, "created DESC, id DESC")
	return page.Map(p, listedComment.comment), err
}

// newestComments returns the query for the newest comments on each event in $1, at most
// $2 each.
func newestComments(d dialect) string {
	return "SELECT c.id, c.event_id, c.author_id, c.content, c.created" +
		d.forEach("SELECT c.id FROM comments c WHERE c.event_id = {1} ORDER BY c.created DESC, c.id DESC LIMIT CAST($2 AS bigint)", "bigint") +
		" JOIN comments c ON c.id = top.id ORDER BY w.place, c.created DESC, c.id DESC"
}

func (v Events) Like(ctx context.Context, on event.ID, who user.ID, likes bool) error {
	return v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		if err := v.s.lockCounts(ctx, tx, on); err != nil {
			return orNotFound(err, event.ErrNotFound)
		}
		statement, change := "DELETE FROM likes WHERE event_id = ? AND user_id = ?", -1
		if likes {
			statement, change = "INSERT INTO likes (event_id, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING", 1
		}
		done, err := tx.NewRaw(statement, on, who).Exec(ctx)
		if added, err := affected(done, err); err != nil || !added {
			return err
		}
		_, err = tx.NewUpdate().Model((*eventCountsRow)(nil)).Set("likes = likes + ?", change).
			Where("event_id = ?", on).Exec(ctx)
		return err
	})
}
