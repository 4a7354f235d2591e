package httpapi

import "plaza/domain/event"

// commentView is a comment, alone or within its event (EVT-17).
type commentView struct {
	ID         event.CommentID `json:"id"`
	User       person          `json:"user"`
	Content    string          `json:"content"`
	CreateTime timestamp       `json:"create_time"`
}

func (people users) renderComment(c event.Comment) commentView {
	return commentView{c.ID, renderPerson(people[c.Author]), c.Content, timestamp(c.Created)}
}
