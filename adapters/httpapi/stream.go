package httpapi

import (
	"cmp"
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"plaza/adapters/httpapi/transport"
	"plaza/application/notifications"
	"plaza/domain/notification"
	"plaza/domain/payment"
	"plaza/domain/user"
)

const (
	// beat is how often a stream sends something, if nothing happens.
	beat = 25 * time.Second
	// retryAfter is how long a client waits before it connects again.
	retryAfter = 3 * time.Second
	// closeTime is how long freeing the place of a stream may take.
	closeTime = 5 * time.Second
)

// unreadView is how many notifications are unread (NTF-04).
type unreadView struct {
	UnreadCount int `json:"unread_count"`
}

// orderStateView is the state of an order that has changed (NTF-04).
type orderStateView struct {
	ID     payment.OrderID `json:"id"`
	Status payment.State   `json:"status"`
}

// stream sends the caller what happens, until the key or the connection ends, or the server stops (NTF-04).
func (a *api) stream(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	last := cmp.Or(c.Gin.GetHeader("Last-Event-ID"), q.Text("last_event_id"))
	if err := q.Err(); err != nil || c.Gin.Request.Method == http.MethodHead {
		return transport.Bare(transport.EventStream(nil)), err
	}
	stream, err := a.Streams.Open(c.Context(), c.Actor, c.Key, last)
	return transport.Bare(transport.EventStream(func(ctx context.Context, out *transport.Events) {
		defer a.closeStream(ctx, stream)
		c.Gin.Request = c.Gin.Request.WithContext(ctx)
		if err := a.sendAll(c, stream, out); err != nil && ctx.Err() == nil {
			a.Streams.Cut.Add(1)
		}
	})), err
}

func (a *api) closeStream(ctx context.Context, stream *notifications.Stream) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	if err := a.Streams.Close(ctx, stream); err != nil {
		transport.Logger(ctx).WarnContext(ctx, "the place of a stream is free only later", "error", err)
	}
}

// sendAll sends what comes. Clients of a server that stops come back at different times.
func (a *api) sendAll(c *transport.Call, stream *notifications.Stream, out *transport.Events) error {
	err := cmp.Or(out.Comment(), out.Retry(retryAfter))
	quiet := time.NewTicker(beat)
	defer quiet.Stop()
	for err == nil {
		select {
		case <-c.Context().Done():
			return nil
		case <-quiet.C:
			err = out.Comment()
		case d, isOpen := <-stream.News:
			switch {
			case isOpen:
				err = a.sendNews(c, d, out)
			case a.Streams.IsStopping():
				return out.Retry(time.Second + rand.N(9*time.Second))
			default:
				return nil
			}
		}
	}
	return err
}

// sendNews sends the oldest first. The id of each event says what the client has with it.
func (a *api) sendNews(c *transport.Call, d notifications.Delivery, out *transport.Events) error {
	people, err := a.describeNotified(c, d.Items, d.Members, nil)
	if d.IsReset {
		err = cmp.Or(err, out.Send("reset", d.Next.String(), struct{}{}))
	}
	at := d.Since
	for _, n := range slices.Backward(d.Items) {
		at.Notification = n.ID
		err = cmp.Or(err, out.Send("notification", at.String(), people.renderNotification(n)))
	}
	for _, o := range d.Orders {
		at.Change = o.Change
		err = cmp.Or(err, out.Send("order", at.String(), orderStateView{o.ID, o.State}))
	}
	if d.HasUnread {
		err = cmp.Or(err, out.Send("unread", d.Next.String(), unreadView{d.Unread}))
	}
	return err
}

// describeNotified returns the people who did what the notifications tell of.
func (a *api) describeNotified(
	c *transport.Call, items []notification.Notification, members map[user.ID]*user.Member, err error,
) (users, error) {
	var by []user.ID
	for _, n := range items {
		if n.By != 0 {
			by = append(by, n.By)
		}
	}
	return a.describe(c, members, by, err)
}
