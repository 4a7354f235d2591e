package event

import (
	"context"
	"errors"

	"plaza/domain/subscription"
	"plaza/domain/user"
)

// The purposes. A person may report in spite of a block (MOD-01).
const (
	ToRead Purpose = iota
	ToReport
)

// Purpose is what a viewer looks at an event for.
type Purpose int

// See returns the likes of the event if the viewer may see it for the purpose. Any other event is ErrNotFound.
func See(ctx context.Context, d Discussion, on ID, viewer user.ID, p Purpose) (Liking, error) {
	likings, err := d.Likings(ctx, []ID{on}, viewer)
	if err != nil {
		return Liking{}, err
	}
	likes, exists := likings[on]
	if !exists {
		return Liking{}, ErrNotFound
	}
	if p == ToReport {
		likes.Relation = likes.Relation.WithoutBlocks()
	}
	return likes, likes.CheckRead()
}

// SeeComment returns a comment on an event that the viewer may See, and the likes of the event. Any other comment is
// ErrNoComment, and one that is hidden from the viewer. A block hides it from lists alone: the event's author may delete it.
func SeeComment(ctx context.Context, d Discussion, id CommentID, viewer user.ID, p Purpose) (Comment, Liking, error) {
	c, err := d.Comment(ctx, id)
	if err != nil {
		return Comment{}, Liking{}, err
	}
	on, err := See(ctx, d, c.Event, viewer, p)
	if errors.Is(err, ErrNotFound) || err == nil && !c.VisibleTo(viewer, subscription.Stranger) {
		err = ErrNoComment
	}
	return c, on, err
}
