package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/domain/event"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/user"
)

// notificationsView is a part of the caller's notifications (NTF-02).
type notificationsView struct {
	Data        []notificationView `json:"data"`
	Cursor      any                `json:"cursor"`
	UnreadCount int                `json:"unread_count"`
}

type notificationView struct {
	ID        notification.ID     `json:"id"`
	Kind      notification.Kind   `json:"kind"`
	User      *person             `json:"user"`
	Subject   subjectOfNotice     `json:"subject"`
	Reason    *string             `json:"reason"`
	Outcome   *string             `json:"outcome"`
	Event     *notifiedEvent      `json:"event"`
	Comment   *notifiedComment    `json:"comment"`
	CreatedAt transport.Timestamp `json:"created_at"`
	IsRead    bool                `json:"is_read"`
}

type subjectOfNotice struct {
	Kind moderation.Kind `json:"kind"`
	ID   int64           `json:"id"`
}

type notifiedEvent struct {
	ID    event.ID `json:"id"`
	Title string   `json:"title"`
}

type notifiedComment struct {
	ID      event.CommentID `json:"id"`
	Content string          `json:"content"`
}

func (a *api) listNotifications(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	request := q.Cursor()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	list, err := a.Notifications.List(c.Context(), c.Actor, request)
	people, err := a.describe(c, list.Members, mapSlice(list.Items, actorOf), err)
	return transport.Bare(notificationsView{
		Data: mapSlice(list.Items, people.renderNotification), Cursor: c.CursorOf(list.Next), UnreadCount: list.Unread,
	}), err
}

// actorOf returns who did what the notification tells of; 0: staff, or the wallet.
func actorOf(n notification.Notification) user.ID { return n.By }

func (people users) renderNotification(n notification.Notification) notificationView {
	return notificationView{
		ID: n.ID, Kind: n.Kind, User: transport.Optional(renderPerson(people[n.By]), n.By != 0), Subject: subjectOfNotice(n.Subject),
		Reason:    transport.Optional(n.Note, n.Kind == notification.Hidden || n.Kind == notification.Restored),
		Outcome:   transport.Optional(n.Note, n.Kind == notification.ReportDecided),
		Event:     transport.Optional(notifiedEvent(n.Event), n.Event.ID != 0),
		Comment:   transport.Optional(notifiedComment(n.Comment), n.Comment.ID != 0),
		CreatedAt: transport.Timestamp(n.Created), IsRead: n.IsRead,
	}
}

// readBody says up to which notification the caller has read.
type readBody struct {
	UpTo *notification.ID `json:"up_to" validate:"required"`
}

func (a *api) readNotifications(c *transport.Call) (transport.Reply, error) {
	body, readErr := transport.Read[readBody](c)
	return transport.NoContent(), a.Notifications.MarkRead(c.Context(), c.Actor, deref(body.UpTo), readErr)
}
