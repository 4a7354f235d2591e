package httpapi

import (
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
)

// commentBody is a new comment on an event (EVT-19).
type commentBody struct {
	Event   *event.ID `json:"event" validate:"required"`
	Content *string   `json:"content" validate:"required"`
}

func (b *commentBody) check() fault.Fields {
	var wrong fault.Fields
	if b.Content != nil {
		wrong.Add("content", event.CommentLimit.RequiredProblem(*b.Content))
	}
	return wrong
}

func (a *api) writeComment(c *call) (reply, error) {
	body, err := read[commentBody](c)
	if err != nil {
		return reply{}, mergeFaults(err, a.outOfReach(c, body.Event))
	}
	comment, err := a.Diary.Comment(c.ctx(), c.actor, *body.Event, *body.Content)
	if err != nil {
		return reply{}, err
	}
	people, err := a.loadUsers(c.ctx(), comment.Author)
	if err != nil {
		return reply{}, err
	}
	return created(people.renderComment(comment)), nil
}

// outOfReach returns the fault for an event whose comments the caller may not see. Without
// an event it returns nil.
func (a *api) outOfReach(c *call, on *event.ID) error {
	if on == nil {
		return nil
	}
	_, err := a.Diary.Comments(c.ctx(), c.actor, *on, page.Request{})
	return err
}

func (a *api) listComments(c *call) (reply, error) {
	q := c.query()
	on, request := event.ID(q.whole("event", 0)), q.page()
	if on == 0 {
		q.wrong.Merge(fault.Fields{"event": {text.Required}})
	}
	if err := q.err(); err != nil {
		return reply{}, err
	}
	comments, err := a.Diary.Comments(c.ctx(), c.actor, on, request)
	if err != nil {
		return reply{}, err
	}
	people, err := a.loadUsers(c.ctx(), each(comments.Items, func(c event.Comment) user.ID { return c.Author })...)
	if err != nil {
		return reply{}, err
	}
	return paged(page.Map(comments, people.renderComment)), nil
}

func (a *api) deleteComment(c *call) (reply, error) {
	id, err := pathID[event.CommentID](c)
	if err != nil {
		return reply{}, err
	}
	return noContent(), a.Diary.DeleteComment(c.ctx(), c.actor, id)
}

func (a *api) like(c *call) (reply, error) { return a.setLike(c, true) }

func (a *api) unlike(c *call) (reply, error) { return a.setLike(c, false) }

func (a *api) setLike(c *call, likes bool) (reply, error) {
	id, err := pathID[event.ID](c)
	if err != nil {
		return reply{}, err
	}
	return noContent(), a.Diary.Like(c.ctx(), c.actor, id, likes)
}
