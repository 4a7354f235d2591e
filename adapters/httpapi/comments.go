package httpapi

import (
	"context"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/diary"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
)

// commentBody is a new comment on an event (EVT-19).
type commentBody struct {
	Event   *event.ID        `json:"event" validate:"required"`
	Content *string          `json:"content" validate:"required"`
	ReplyTo *event.CommentID `json:"reply_to" validate:"omitnil,min=1"`
}

func (a *api) writeComment(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[commentBody](c)
	key, readErr := c.BodyKey("comment", &body, readErr)
	said, err := a.Diary.Comment(c.Context(), c.Actor, deref(body.Event), deref(body.Content), deref(body.ReplyTo), key, readErr)
	shown, err := a.renderSaid(c, said, err)
	return transport.Created(shown), err
}

// editedComment is other content of a comment (EVT-26).
type editedComment struct {
	Content *string `json:"content" validate:"required"`
}

func (a *api) editComment(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[editedComment](c)
	said, err := a.Diary.EditComment(c.Context(), c.Actor, event.CommentID(c.ID), deref(body.Content), readErr)
	shown, err := a.renderSaid(c, said, err)
	return transport.Data(shown), err
}

func (a *api) renderSaid(c *transport.Call, said diary.Said, err error) (commentView, error) {
	people, err := a.describe(c, map[user.ID]*user.Member{said.Author: said.By}, []user.ID{said.Author}, err)
	return people.renderComment(said.Comment), err
}

func (a *api) listComments(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	on, request := event.ID(q.PositiveInt("event", 0)), q.Page()
	if on == 0 {
		q.Wrong.Merge(fault.Fields{"event": {text.Required}})
	}
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	comments, members, err := a.Diary.Comments(c.Context(), c.Actor, on, request)
	people, err := a.describe(c, members, mapSlice(comments.Items, func(c event.Comment) user.ID { return c.Author }), err)
	return transport.Paged(c, page.Map(comments, people.renderComment)), err
}

func (a *api) deleteComment(c *transport.Call) (transport.Reply, error) {
	return withID(c, a.Diary.DeleteComment)
}

func (a *api) like(c *transport.Call) (transport.Reply, error) { return a.setLike(c, true) }

func (a *api) unlike(c *transport.Call) (transport.Reply, error) { return a.setLike(c, false) }

func (a *api) setLike(c *transport.Call, likes bool) (transport.Reply, error) {
	return withID(c, func(ctx context.Context, actor access.Actor, id event.ID) error {
		return a.Diary.Like(ctx, actor, id, likes)
	})
}

// likeView is the likes of an event to the caller (EVT-22).
type likeView struct {
	Liked     bool `json:"liked"` // the same as IsLiked
	IsLiked   bool `json:"is_liked"`
	LikeCount int  `json:"like_count"`
}

func (a *api) readLike(c *transport.Call) (transport.Reply, error) {
	likes, err := a.Diary.Liking(c.Context(), c.Actor, event.ID(c.ID))
	return transport.Data(likeView{likes.IsLiked, likes.IsLiked, likes.Likes}), err
}

// eventLikeView is the likes of one event of several (EVT-24).
type eventLikeView struct {
	Event     event.ID `json:"event"`
	IsLiked   bool     `json:"is_liked"`
	LikeCount int      `json:"like_count"`
}

func (a *api) listLikes(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	asked := mapSlice(q.PositiveInts("event", diary.MaxLikings), func(id int64) event.ID { return event.ID(id) })
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	likings, err := a.Diary.Likings(c.Context(), c.Actor, asked)
	return transport.Data(mapSlice(likings, func(l event.Liking) eventLikeView {
		return eventLikeView{l.Event, l.IsLiked, l.Likes}
	})), err
}

// commentView is a comment, alone or within its event (EVT-17).
type commentView struct {
	ID         event.CommentID      `json:"id"`
	User       person               `json:"user"`
	Content    string               `json:"content"`
	CreateTime transport.Timestamp  `json:"create_time"`
	EditedAt   *transport.Timestamp `json:"edited_at"`
	ReplyTo    *repliedView         `json:"reply_to"`
	IsHidden   bool                 `json:"is_hidden,omitzero"` // by staff; its author alone sees it then (MOD-06)
}

// repliedView is the comment that another one replies to (EVT-26).
type repliedView struct {
	ID event.CommentID `json:"id"`
	By user.ID         `json:"user"`
}

func (people users) renderComment(c event.Comment) commentView {
	return commentView{
		c.ID, renderPerson(people[c.Author]), c.Content, transport.Timestamp(c.Created), view.OrNever(c.Edited),
		transport.Optional(repliedView(c.ReplyTo), c.ReplyTo.By != 0), c.Hidden,
	}
}
