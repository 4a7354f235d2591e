package memory

import (
	"context"

	"plaza/domain/event"
	"plaza/domain/idempotency"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

func (v Events) AddComment(
	ctx context.Context, c event.Comment, charges ...ratelimit.Charge,
) (_ event.Comment, author *user.Member, err error) {
	c, err = charged(ctx, v.s, charges, func() (event.Comment, error) {
		on, err := v.s.discussed(c.Event, c.Author)
		if err != nil {
			return event.Comment{}, err
		}
		replied := v.s.comments[c.ReplyTo.ID]
		if c.ReplyTo.ID != 0 && (replied.Event != c.Event || !replied.VisibleTo(c.Author, v.s.relation(c.Author, replied.Author))) {
			return event.Comment{}, event.ErrNoReplied
		}
		own := v.s.comments.count(func(other event.Comment) bool { return other.Event == c.Event && other.Author == c.Author })
		if err := v.limits.CheckComments(own); err != nil {
			return event.Comment{}, err
		}
		if err := v.s.requests.checkHeld(c.Completes); err != nil {
			return event.Comment{}, err
		}
		c.ID = event.CommentID(v.s.numbers.comment.next())
		v.s.requests.complete(c.Completes, idempotency.Comment, int64(c.ID))
		c.ReplyTo.By, c.Completes = replied.Author, nil
		v.s.notify(notification.OfComment(c).For(on.Author))
		v.s.notify(notification.OfReply(c, on.Author))
		v.s.comments[c.ID] = c
		author = v.s.member(c.Author)
		return c, nil
	})
	return c, author, err
}

// discussed returns the event that the user comments on or likes. It returns ErrNotFound if the user may not see it.
func (s *Store) discussed(id event.ID, by user.ID) (event.State, error) {
	e, exists := s.events[id]
	if !exists || !e.Exposure().VisibleTo(s.relation(by, e.Author)) {
		return event.State{}, event.ErrNotFound
	}
	return e, s.checkUser(by)
}

// commentsOn returns the comments on the event that the viewer sees, the newest first.
func (s *Store) commentsOn(id event.ID, viewer user.ID) []event.Comment {
	seen := sorted(s.comments.where(func(c event.Comment) bool {
		return c.Event == id && c.VisibleTo(viewer, s.relation(viewer, c.Author))
	}), latest(event.Comment.AtCursor))
	for i := range seen {
		seen[i] = s.replying(seen[i])
	}
	return seen
}

func (v Events) Comment(ctx context.Context, id event.CommentID) (event.Comment, error) {
	return read(ctx, v.s, func() (event.Comment, error) {
		c, err := v.s.comments.get(id, event.ErrNoComment)
		return v.s.replying(c), err
	})
}

// replying returns the comment with the author of the one that it replies to, if that is still there.
func (s *Store) replying(c event.Comment) event.Comment {
	c.ReplyTo.By = 0
	if replied := s.comments[c.ReplyTo.ID]; !replied.Hidden {
		c.ReplyTo.By = replied.Author
	}
	return c
}

func (v Events) EditComment(ctx context.Context, c event.Comment, charges ...ratelimit.Charge) error {
	return execCharged(ctx, v.s, charges, func() error {
		stored, err := v.s.comments.get(c.ID, event.ErrNoComment)
		if err == nil {
			stored.Content, stored.Edited = c.Content, c.Edited
			v.s.comments[c.ID] = stored
		}
		return err
	})
}

func (v Events) RemoveComment(ctx context.Context, id event.CommentID) error {
	return exec(ctx, v.s, func() error {
		c, err := v.s.comments.get(id, event.ErrNoComment)
		v.s.removeComment(c)
		return err
	})
}

func (s *Store) removeComment(c event.Comment) {
	delete(s.comments, c.ID)
	s.unhide(moderation.Comment, int64(c.ID))
	s.unnotify(notification.OfComment(c).Source)
	s.unnotify(notification.OfReply(c, 0).Source)
}

func (v Events) Comments(
	ctx context.Context, on event.ID, viewer user.ID, r page.Request,
) (p page.Page[event.Comment], members map[user.ID]*user.Member, err error) {
	p, err = read(ctx, v.s, func() (page.Page[event.Comment], error) {
		p, err := page.Slice(r, v.s.commentsOn(on, viewer), event.Comment.AtCursor)
		members = v.s.membersOf(authorsOf(p.Items)...)
		return p, err
	})
	return p, members, err
}

func (v Events) AllComments(ctx context.Context, q event.CommentQuery, r page.Request) (page.Page[event.Comment], error) {
	return pageOf(ctx, v.s, r, v.s.comments.where(func(c event.Comment) bool {
		return (q.On == 0 || c.Event == q.On) && (q.By == 0 || c.Author == q.By) && q.Has(c.Created)
	}), page.Keys(q.Span, event.Comment.AtCursor))
}

func authorsOf(comments []event.Comment) []user.ID {
	ids := make([]user.ID, len(comments))
	for i, c := range comments {
		ids[i] = c.Author
	}
	return ids
}

func (v Events) Like(ctx context.Context, l event.Like, charges ...ratelimit.Charge) error {
	return execCharged(ctx, v.s, charges, func() error {
		on, err := v.s.discussed(l.Event, l.By)
		if err != nil {
			return err
		}
		notice := notification.OfLike(l).For(on.Author)
		switch {
		case l.IsLiked == v.s.likes[l.Event][l.By]:
		case l.IsLiked:
			if v.s.likes[l.Event] == nil {
				v.s.likes[l.Event] = map[user.ID]bool{}
			}
			v.s.likes[l.Event][l.By] = true
			v.s.notify(notice)
		default:
			v.s.withdraw(notice)
			v.s.removeLike(l.Event, l.By)
		}
		return nil
	})
}

// removeLike removes the like with its notification, unless that is withdrawn.
func (s *Store) removeLike(on event.ID, by user.ID) {
	delete(s.likes[on], by)
	of := notification.OfLike(event.Like{Event: on, By: by}).Source
	if n, exists := s.notified(of); exists && !n.isWithdrawn {
		s.unnotify(of)
	}
}

func (v Events) Likings(ctx context.Context, on []event.ID, viewer user.ID) (map[event.ID]event.Liking, error) {
	return read(ctx, v.s, func() (map[event.ID]event.Liking, error) {
		likings := map[event.ID]event.Liking{}
		for _, id := range on {
			if state, exists := v.s.events[id]; exists {
				likings[id] = event.Liking{
					Event: id, Author: state.Author,
					Likes: len(v.s.likes[id]), IsLiked: v.s.likes[id][viewer],
					Exposure: state.Exposure(),
					Relation: v.s.relation(viewer, state.Author),
				}
			}
		}
		return likings, nil
	})
}
