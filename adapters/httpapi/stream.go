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
)

const (
	// beat is how often a stream sends something, if nothing happens.
	beat = 25 * time.Second
	// retryAfter is how long a client waits before it connects again.
	retryAfter = 3 * time.Second
)

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
		if a.sendAll(ctx, c, stream, out); out.Err != nil && ctx.Err() == nil {
			a.Streams.Cut.Add(1)
		}
	})), err
}

func (a *api) closeStream(ctx context.Context, stream *notifications.Stream) {
	if err := a.Streams.Close(context.WithoutCancel(ctx), stream); err != nil {
		transport.Logger(ctx).WarnContext(ctx, "the place of a stream is free only later", "error", err)
	}
}

// sendAll sends what comes. Clients of a server that stops come back at different times.
func (a *api) sendAll(ctx context.Context, c *transport.Call, stream *notifications.Stream, out *transport.Events) {
	out.Comment()
	out.Retry(retryAfter)
	quiet := time.NewTicker(beat)
	defer quiet.Stop()
	for out.Err == nil {
		select {
		case <-ctx.Done():
			return
		case <-quiet.C:
			out.Comment()
		case d, isOpen := <-stream.News:
			switch {
			case isOpen:
				a.sendNews(c, d, out)
			case a.Streams.IsStopping():
				out.Retry(time.Second + rand.N(9*time.Second))
				return
			default:
				return
			}
		}
	}
}

// sendNews sends the oldest first. The id of each event says what the client has with it.
func (a *api) sendNews(c *transport.Call, d notifications.Delivery, out *transport.Events) {
	var people users
	people, out.Err = a.describe(c, d.Members, mapSlice(d.Items, actorOf), nil)
	at := d.At
	if d.IsReset {
		out.Send("reset", at, struct{}{})
	}
	for _, n := range slices.Backward(d.Items) {
		at.Notification = n.ID
		out.Send("notification", at, people.renderNotification(n))
	}
	for _, o := range d.Orders {
		at.Change = o.Change
		out.Send("order", at, map[string]any{"id": o.ID, "status": o.State})
	}
	if d.HasUnread {
		out.Send("unread", at, map[string]int{"unread_count": d.Unread})
	}
}
