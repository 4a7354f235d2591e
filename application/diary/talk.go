package diary

import (
	"context"
	"errors"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// noEvent turns event.ErrNotFound into a fault on event. An event that does not exist and one
// that the actor may not see have the same text.
func noEvent(err error) error {
	if errors.Is(err, event.ErrNotFound) {
		return fault.Field("event", "Event not found.")
	}
	return err
}

// Said is a comment with its author.
type Said struct {
	event.Comment
	By *user.Member
}

// Comment adds a comment to an event that the actor may see (EVT-19). Any other event is a
// fault on event. It may reply to another comment on the event.
func (d *Diary) Comment(
	ctx context.Context, actor access.Actor, on event.ID, content string, replyTo event.CommentID, k *idempotency.Key, readErr error,
) (Said, error) {
	c, err := event.NewComment(on, actor.ID, content, d.now())
	if err := fault.Merge(readErr, err); err != nil {
		_, accessErr := d.Liking(ctx, actor, on)
		return Said{}, fault.Merge(err, noEvent(accessErr))
	}
	c.Completes, c.ReplyTo.ID = k, replyTo
	return idempotency.Once(ctx, d.ports.Keys, k, c.Created, idempotency.Lease, func(a idempotency.Answer) (Said, error) {
		return d.said(ctx, actor, event.CommentID(a.ID))
	}, func() (Said, error) {
		c, author, err := d.ports.Discussion.AddComment(ctx, c, d.charge(actor, ratelimit.Comment))
		if err == nil && author == nil {
			err = user.ErrNotFound
		}
		return Said{c, author}, fault.OnField("reply_to", noEvent(d.unlessUnseen(ctx, actor, on, err)))
	})
}

// EditComment changes the content of a comment that the actor wrote (EVT-26). If the actor may not see the event, the comment
// is NotFound.
func (d *Diary) EditComment(
	ctx context.Context, actor access.Actor, id event.CommentID, content string, readErr error,
) (Said, error) {
	c, _, err := event.SeeComment(ctx, d.ports.Discussion, id, actor.ID, event.ToRead)
	switch {
	case err != nil:
		return Said{}, err
	case c.Author != actor.ID:
		return Said{}, event.ErrNotWriter
	}
	c, err = c.Edit(content, d.now())
	if err := fault.Merge(readErr, err); err != nil {
		return Said{}, err
	}
	if err := d.ports.Discussion.EditComment(ctx, c, d.charge(actor, ratelimit.Comment)); err != nil {
		return Said{}, err
	}
	return d.said(ctx, actor, id)
}

// said returns the actor's own comment, as it is now.
func (d *Diary) said(ctx context.Context, actor access.Actor, id event.CommentID) (Said, error) {
	c, _, err := event.SeeComment(ctx, d.ports.Discussion, id, actor.ID, event.ToRead)
	if err != nil {
		return Said{}, err
	}
	authors, err := d.ports.Directory.Members(ctx, []user.ID{c.Author})
	if err == nil && len(authors) == 0 {
		err = event.ErrNoComment
	}
	if err != nil {
		return Said{}, err
	}
	return Said{c, &authors[0]}, nil
}

// Comments returns a page of the comments on an event that the actor may see, the newest
// first, and their authors. Any other event is ErrNotFound.
func (d *Diary) Comments(
	ctx context.Context, actor access.Actor, on event.ID, p page.Request,
) (page.Page[event.Comment], map[user.ID]*user.Member, error) {
	if _, err := d.Liking(ctx, actor, on); err != nil {
		return page.Page[event.Comment]{}, nil, err
	}
	return d.ports.Discussion.Comments(ctx, on, actor.ID, p)
}

// DeleteComment deletes a comment that the actor wrote, or that is on the actor's event. If
// the actor may not see the event, the comment is NotFound.
func (d *Diary) DeleteComment(ctx context.Context, actor access.Actor, id event.CommentID) error {
	c, on, err := event.SeeComment(ctx, d.ports.Discussion, id, actor.ID, event.ToRead)
	if err != nil {
		return err
	}
	if !c.RemovableBy(actor.ID, on.Author) {
		return event.ErrNotCommenter
	}
	return d.ports.Discussion.RemoveComment(ctx, id)
}

// Like sets or removes the actor's like of an event that they may see (EVT-19).
func (d *Diary) Like(ctx context.Context, actor access.Actor, on event.ID, likes bool) error {
	err := d.ports.Discussion.Like(ctx, event.NewLike(on, actor.ID, likes, d.now()), d.charge(actor, ratelimit.Like))
	return d.unlessUnseen(ctx, actor, on, err)
}

// unlessUnseen returns the error of a write, or that of an event that the actor may not see: its limits tell nothing of that.
func (d *Diary) unlessUnseen(ctx context.Context, actor access.Actor, on event.ID, err error) error {
	if fault.Is(err, fault.Throttled) || fault.Is(err, fault.Conflict) {
		if _, accessErr := d.Liking(ctx, actor, on); accessErr != nil {
			return accessErr
		}
	}
	return err
}

// Liking returns the likes of an event that the actor may see (EVT-22).
func (d *Diary) Liking(ctx context.Context, actor access.Actor, on event.ID) (event.Liking, error) {
	return event.See(ctx, d.ports.Discussion, on, actor.ID, event.ToRead)
}

// MaxLikings bounds how many events a client may ask for the likes of at once.
const MaxLikings = 100

// Likings returns the likes of those of the events that the actor may see, in their order (EVT-24).
func (d *Diary) Likings(ctx context.Context, actor access.Actor, on []event.ID) ([]event.Liking, error) {
	likings, err := d.ports.Discussion.Likings(ctx, on, actor.ID)
	if err != nil {
		return nil, err
	}
	seen := make([]event.Liking, 0, len(on))
	for _, id := range on {
		if likes, exists := likings[id]; exists && likes.CheckRead() == nil {
			seen = append(seen, likes)
		}
	}
	return seen, nil
}
