package httpapi

import (
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
)

// commentBody is a new comment on an event (EVT-19).
type commentBody struct {
	Event   *event.ID `json:"event" validate:"required"`
	Content *string   `json:"content" validate:"required"`
}

func (b *commentBody) content() idempotency.Request {
	var sent sentFields
	number(&sent, "event", b.Event)
	sent.text("content", b.Content)
	return idempotency.Request{Operation: "comment", Fields: sent}
}

func (a *api) writeComment(c *call) (reply, error) {
	body, readErr := read[commentBody](c)
	key, readErr := c.idempotencyKey(body.content, readErr)
	comment, err := a.Diary.Comment(c.ctx(), c.actor, orZero(body.Event), orZero(body.Content), key, readErr)
	if err != nil {
		return reply{}, err
	}
	people, err := a.loadUsers(c.ctx(), comment.Author)
	if err != nil {
		return reply{}, err
	}
	return created(people.renderComment(comment)), nil
}

func (a *api) listComments(c *call) (reply, error) {
	q := c.query()
	on, request := event.ID(q.positiveInt("event", 0)), q.page()
	if on == 0 {
		q.wrong.Merge(fault.Fields{"event": {text.Required}})
	}
	if err := q.err(); err != nil {
		return reply{}, err
	}
	comments, members, err := a.Diary.Comments(c.ctx(), c.actor, on, request)
	if err != nil {
		return reply{}, err
	}
	people, err := a.describe(members, each(comments.Items, func(c event.Comment) user.ID { return c.Author }))
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

// likeView is the likes of an event to the caller (EVT-22).
type likeView struct {
	IsLiked   bool `json:"liked"`
	LikeCount int  `json:"like_count"`
}

func (a *api) readLike(c *call) (reply, error) {
	id, err := pathID[event.ID](c)
	if err != nil {
		return reply{}, err
	}
	likes, err := a.Diary.Liking(c.ctx(), c.actor, id)
	return data(likeView{likes.IsLiked, likes.Likes}), err
}
