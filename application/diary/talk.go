package diary

import (
	"context"
	"errors"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/page"
)

// noEvent is the fault of a request that refers to an event which does not exist
// or which the actor may not see: the same words for both.
func noEvent(err error) error {
	if errors.Is(err, event.ErrNotFound) {
		return fault.Field("event", "There is no such event.")
	}
	return err
}

// Comment says something of an event that the actor may see (EVT-19). Another one
// is a fault on event.
func (d *Diary) Comment(ctx context.Context, actor access.Actor, on event.ID, content string) (event.Comment, error) {
	c, err := event.NewComment(on, actor.ID, content, d.now())
	if err != nil {
		return event.Comment{}, err
	}
	if _, err := d.readable(ctx, actor, on); err != nil {
		return event.Comment{}, noEvent(err)
	}
	c, err = d.discussion.AddComment(ctx, c)
	return c, noEvent(err)
}

// Comments returns a page of what was said of an event that the actor may see,
// the newest first. Another one is a fault on event.
func (d *Diary) Comments(ctx context.Context, actor access.Actor, on event.ID, p page.Request) (page.Page[event.Comment], error) {
	if _, err := d.readable(ctx, actor, on); err != nil {
		return page.Page[event.Comment]{}, noEvent(err)
	}
	return d.discussion.Comments(ctx, on, p)
}

// DeleteComment takes a comment away that the actor wrote, or that is on an event
// of the actor's. For who may not see the event there is no such comment.
func (d *Diary) DeleteComment(ctx context.Context, actor access.Actor, id event.CommentID) error {
	c, err := d.discussion.Comment(ctx, id)
	if err != nil {
		return err
	}
	on, err := d.readable(ctx, actor, c.Event)
	if errors.Is(err, event.ErrNotFound) {
		return event.ErrNoComment
	}
	if err != nil {
		return err
	}
	if !c.RemovableBy(actor.ID, on.Author()) {
		return event.ErrNotCommenter
	}
	return d.discussion.RemoveComment(ctx, id)
}

// Like makes the actor like an event that they may see, or no longer (EVT-19).
func (d *Diary) Like(ctx context.Context, actor access.Actor, on event.ID, likes bool) error {
	if _, err := d.readable(ctx, actor, on); err != nil {
		return err
	}
	return d.discussion.Like(ctx, on, actor.ID, likes)
}
