package diary

import (
	"context"
	"errors"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
)

// noEvent turns event.ErrNotFound into a fault on event. An event that does not exist and one
// that the actor may not see have the same text.
func noEvent(err error) error {
	if errors.Is(err, event.ErrNotFound) {
		return fault.Field("event", "Event not found.")
	}
	return err
}

// Comment adds a comment to an event that the actor may see (EVT-19). Any other event is a
// fault on event.
func (d *Diary) Comment(ctx context.Context, actor access.Actor, on event.ID, content string, readErr error) (event.Comment, error) {
	c, err := event.NewComment(on, actor.ID, content, d.now())
	_, accessErr := d.readable(ctx, actor, on)
	if err := fault.Merge(fault.Merge(readErr, err), noEvent(accessErr)); err != nil {
		return event.Comment{}, err
	}
	c, err = d.ports.Discussion.AddComment(ctx, c, d.charge(actor, ratelimit.Comment))
	return c, noEvent(err)
}

// Comments returns a page of the comments on an event that the actor may see, the newest
// first. Any other event is a fault on event.
func (d *Diary) Comments(ctx context.Context, actor access.Actor, on event.ID, p page.Request) (page.Page[event.Comment], error) {
	if _, err := d.readable(ctx, actor, on); err != nil {
		return page.Page[event.Comment]{}, noEvent(err)
	}
	return d.ports.Discussion.Comments(ctx, on, p)
}

// DeleteComment deletes a comment that the actor wrote, or that is on the actor's event. If
// the actor may not see the event, the comment is NotFound.
func (d *Diary) DeleteComment(ctx context.Context, actor access.Actor, id event.CommentID) error {
	c, err := d.ports.Discussion.Comment(ctx, id)
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
	return d.ports.Discussion.RemoveComment(ctx, id)
}

// Like sets or removes the actor's like of an event that they may see (EVT-19).
func (d *Diary) Like(ctx context.Context, actor access.Actor, on event.ID, likes bool) error {
	if _, err := d.readable(ctx, actor, on); err != nil {
		return err
	}
	return d.ports.Discussion.Like(ctx, on, actor.ID, likes, d.charge(actor, ratelimit.Like))
}
